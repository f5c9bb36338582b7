#include "kernels/base/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <utility>

namespace triscope {

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

bool SharedLibrary::open(const std::string& name, std::string& why) {
  handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* reason = dlerror();
    why = reason != nullptr ? reason : "the loader gives no reason";
  }
  return handle_ != nullptr;
}

bool SharedLibrary::adopt(const std::string& name) {
  handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return handle_ != nullptr;
}

std::string SharedLibrary::file() const {
  link_map* entry = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &entry) != 0 || entry == nullptr) return "";
  return entry->l_name;
}

void* SharedLibrary::find(const char* name) const { return dlsym(handle_, name); }

}  // namespace triscope
