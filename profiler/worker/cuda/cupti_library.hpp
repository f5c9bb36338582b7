// libcupti, found at run time, and its errors in words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/base/files/shared_library.hpp"

namespace triscope {

/// A loaded CUPTI of at least 13.0.1; never unloaded (it cannot be taken down reliably).
class CuptiLibrary {
 public:
  /// Loads a copy the process already has, else the one in the folder $TRISCOPE_CUPTI, else, when that is not set, the
  /// one in the CUDA toolkit, Python's site-packages or the loader's path, in this order. `purpose` opens every error:
  /// "kernels cannot be timed with CUPTI". Throws `Error` (environment): not found, too old.
  explicit CuptiLibrary(std::string purpose);
  ~CuptiLibrary() { library_.keep(); }
  CuptiLibrary(const CuptiLibrary&) = delete;
  CuptiLibrary& operator=(const CuptiLibrary&) = delete;

  /// Sets `function` to the symbol; throws `Error` when the library lacks it.
  template <typename Function>
  void find(Function& function, const char* name) const {
    function = library_.symbol<Function>(name);
    if (function == nullptr) refuse_missing(name);
  }
  /// Throws `Error` unless `result` (a CUptiResult) is success: what `call` answered and what to do about it.
  void check(int result, const char* call) const;
  /// Loads libnvperf_host.so, which CUPTI's metric services later open by its bare name. Throws `Error`.
  void load_metric_library();

  const std::string& purpose() const { return purpose_; }
  /// "13.0.1"
  std::string version() const;

 private:
  [[noreturn]] void refuse_missing(const char* name) const;

  std::string purpose_;
  SharedLibrary library_;
  std::string where_;
  std::uint32_t number_ = 0;
  int (*result_string_)(int, const char**) = nullptr;
};

/// A parameter block of CUPTI, zeroed, with the size that its version check asks for.
template <typename Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

}  // namespace triscope
