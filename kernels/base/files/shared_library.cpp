#include "kernels/base/files/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "kernels/base/files/trusted_file.hpp"

namespace triscope {
namespace {

// The file that $LD_LIBRARY_PATH leads to; otherwise `soname` itself: the loader's other places are the system's.
std::string where_it_would_be(const std::string& soname) {
  const char* const list = std::getenv("LD_LIBRARY_PATH");
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(":;"), rest.size());
    const std::filesystem::path folder = rest.substr(0, end);
    std::error_code ignored;
    if (std::filesystem::exists(folder / soname, ignored)) return std::filesystem::absolute(folder / soname, ignored);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return soname;
}

}  // namespace

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

bool SharedLibrary::open(const std::string& soname, std::string& why) {
  const std::string name = soname.find('/') == std::string::npos ? where_it_would_be(soname) : soname;
  if (const std::string fault = name.find('/') == std::string::npos ? "" : why_not_trusted(name); !fault.empty()) {
    std::error_code ignored;  // what a descriptor's name leads to is what a person knows
    why = fmt::format("{} is not loaded: {}", std::filesystem::canonical(name, ignored).string(), fault);
    return false;
  }
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
