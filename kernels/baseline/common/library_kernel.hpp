// What all kernels have in common that come from a library found at run time.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/gpu.hpp"
#include "kernels/baseline/common/loaded_library.hpp"

namespace triscope {

/// The one instance of a kernel whose library is not there, where its version would stand.
inline constexpr char kAbsentVersion[] = "absent";

/// The facts about a baseline that do not depend on its library.
inline KernelInfo baseline_info(const char* id, const char* name, KernelCard card, const SourceHash& source_hash) {
  KernelInfo info;
  info.id = id;
  info.name = name;
  info.card = std::move(card);
  info.device = DeviceKind::cuda;
  info.source_hash = source_hash;
  info.instances = {kAbsentVersion};
  return info;
}

/// A kernel whose one instance is the version of its library. `Library` has a `version` and a `file`.
template <typename Library>
class LibraryKernel : public Kernel {
 public:
  /// The first use calls `load`, which returns the library, or throws an error that says why there is none.
  LibraryKernel(KernelInfo info, CurrentGpu current_gpu, std::function<Library()> load)
      : info_(std::move(info)), current_gpu_(std::move(current_gpu)), library_([this, load = std::move(load)] {
          Library found = load();
          info_.instances = {found.version};
          info_.library = found.file;
          return found;
        }) {}
  LibraryKernel(const LibraryKernel&) = delete;

  const KernelInfo& info() const override {
    library_.get();
    return info_;
  }

 protected:
  /// Null when it could not be loaded; `why_not` says why.
  Library* library() const { return library_.get(); }
  const std::string& why_not() const { return library_.why_not(); }

  /// Why nothing of it runs here: no library, or no GPU.
  std::optional<std::string> absence() const {
    if (library() == nullptr) return why_not();
    try {
      current_gpu_();
    } catch (const std::exception& e) {
      return e.what();
    }
    return std::nullopt;
  }

 private:
  mutable KernelInfo info_;
  CurrentGpu current_gpu_;
  mutable LoadedLibrary<Library> library_;
};

}  // namespace triscope
