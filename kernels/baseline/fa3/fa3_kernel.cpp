// baseline.fa3 as the rest of the program sees it. Its one instance is the version of the library.
#include "kernels/baseline/fa3/fa3_kernel.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/baseline/common/library_kernel.hpp"
#include "kernels/baseline/fa3/fa3_call.hpp"
#include "kernels/baseline/fa3/fa3_library.hpp"
#include "source_hash/baseline.fa3.hpp"

namespace triscope {
namespace {

class Fa3Kernel final : public Kernel {
 public:
  Fa3Kernel(CurrentGpu current_gpu, std::string sha256)
      : info_(baseline_info(
            "baseline.fa3", "FlashAttention-3 (BSD-3-Clause AND Apache-2.0)",
            KernelCard{.label = "FlashAttention-3", .short_label = "FA3", .kind = KernelKind::dot_product, .rank = 1},
            source_hash::kBaselineFa3)),
        current_gpu_(std::move(current_gpu)),
        sha256_(std::move(sha256)) {
    if (sha256_.empty()) sha256_ = fa3::kSha256;
    info_.instances = {fa3::kVersion};  // no other is accepted, so there is no need to load it for this
    try {
      info_.library = fa3::find_library();
    } catch (const std::exception&) {
      // `unsupported` says why
    }
  }
  const KernelInfo& info() const override { return info_; }

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (auto reason = fa3::unsupported_problem(problem, pass)) return reason;
    if (library_.get() == nullptr) return library_.why_not();
    try {
      const Gpu gpu = current_gpu_();
      if (gpu.major == 9 && gpu.minor == 0) return std::nullopt;
      return fmt::format("FlashAttention-3 runs on Hopper GPUs (compute capability 9.0) only, and {} has {}.{}",
                         gpu.name, gpu.major, gpu.minor);
    } catch (const std::exception& e) {
      return e.what();
    }
  }

  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view) const override {
    return fa3::workspace_bytes(problem, pass);
  }

  void launch(const Problem& problem, Pass pass, std::string_view, const Arguments& arguments) const override {
    const fa3::Library* loaded = library_.get();
    if (auto reason = loaded ? fa3::unsupported_problem(problem, pass) : library_.why_not()) {
      throw Error("baseline.fa3 was not launched", *reason, "choose another kernel or problem", ExitCode::usage);
    }
    fa3::call(pass == Pass::forward ? loaded->forward() : loaded->backward(), problem, pass, arguments,
              current_gpu_().ordinal);
  }

 private:
  KernelInfo info_;
  CurrentGpu current_gpu_;
  std::string sha256_;
  mutable LoadedLibrary<fa3::Library> library_{[this] { return fa3::Library(fa3::find_library(), sha256_); }};
};

}  // namespace

std::unique_ptr<Kernel> make_baseline_fa3(CurrentGpu current_gpu, std::string sha256) {
  return std::make_unique<Fa3Kernel>(std::move(current_gpu), std::move(sha256));
}

}  // namespace triscope
