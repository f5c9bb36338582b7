// A library that is loaded at run time, so that the worker also starts on machines that lack it, and says so.
#pragma once

#include <string>
#include <utility>

namespace triscope {

/// A dlopen handle; closed by the destructor unless `keep` was called (CUPTI must never be unloaded).
class SharedLibrary {
 public:
  SharedLibrary() = default;
  ~SharedLibrary();
  SharedLibrary(SharedLibrary&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;

  /// Opens `name` (a path, or a soname, which is looked for in $LD_LIBRARY_PATH and where the system's loader looks).
  /// False when it cannot be opened, or is not trusted (`why_not_trusted`): `why` then has the reason.
  bool open(const std::string& name, std::string& why);
  /// Takes `name` only when the process has it already.
  bool adopt(const std::string& name);
  /// Gives the handle away: the library stays for the life of the process.
  void* keep() { return std::exchange(handle_, nullptr); }
  explicit operator bool() const { return handle_ != nullptr; }
  /// The file it was loaded from; empty when the loader does not say.
  std::string file() const;

  /// The symbol's address, or null.
  template <typename Function>
  Function symbol(const char* name) const {
    return reinterpret_cast<Function>(find(name));
  }

 private:
  void* find(const char* name) const;
  void* handle_ = nullptr;
};

}  // namespace triscope
