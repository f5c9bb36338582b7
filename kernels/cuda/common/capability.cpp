#include "kernels/cuda/common/capability.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace triscope {
namespace {

std::string capability_text(int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); }

class RestrictedKernel final : public Kernel {
 public:
  RestrictedKernel(CapabilityRange range, std::unique_ptr<Kernel> kernel, CurrentGpu current_gpu)
      : range_(range), kernel_(std::move(kernel)), current_gpu_(std::move(current_gpu)) {}

  const KernelInfo& info() const override { return kernel_->info(); }
  Fold fold(const Problem& problem) const override { return kernel_->fold(problem); }
  Fold fold(const Problem& problem, std::string_view instance) const override {
    return kernel_->fold(problem, instance);
  }

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (auto reason = kernel_->unsupported(problem, pass)) return reason;
    return unsupported_gpu();
  }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass, std::string_view instance) const override {
    if (auto reason = kernel_->unsupported(problem, pass, instance)) return reason;
    return unsupported_gpu();
  }

  std::string choose_instance(const Problem& problem, Pass pass) const override {
    return kernel_->choose_instance(problem, pass);
  }
  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view instance) const override {
    return kernel_->workspace_bytes(problem, pass, instance);
  }
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    kernel_->launch(problem, pass, instance, arguments);
  }

 private:
  std::optional<std::string> unsupported_gpu() const {
    try {
      const Gpu gpu = current_gpu_();
      const int capability = 10 * gpu.major + gpu.minor;
      if (capability >= range_.lowest && capability <= range_.highest) return std::nullopt;
      return fmt::format("{} runs on GPUs of compute capability {} {}, and {} has {}", info().id,
                         capability_text(range_.lowest), range_.highest == range_.lowest ? "only" : "and later",
                         gpu.name, capability_text(capability));
    } catch (const std::exception& e) {
      return e.what();
    }
  }

  CapabilityRange range_;
  std::unique_ptr<Kernel> kernel_;
  CurrentGpu current_gpu_;
};

}  // namespace

std::unique_ptr<Kernel> restrict_to(CapabilityRange range, std::unique_ptr<Kernel> kernel, CurrentGpu current_gpu) {
  return std::make_unique<RestrictedKernel>(range, std::move(kernel), std::move(current_gpu));
}

}  // namespace triscope
