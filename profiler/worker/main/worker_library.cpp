// libtriscope_worker.so: the worker for a program that brings kernels as functions of its own process, as Python does.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/plugin/plugin_library.hpp"
#include "kernels/registry/registry.hpp"
#include "profiler/worker/serve.hpp"

/// Seven functions of include/triscope/attention.h, in this order; python/triscope/_function_kernel.py repeats it.
struct triscope_worker_kernels {  // NOLINT(readability-identifier-naming): named as in the C interface
  decltype(&triscope_attention_version) version;
  decltype(&triscope_kernel) kernel;
  decltype(&triscope_kernel_device) device;
  decltype(&triscope_kernel_version) kernel_version;
  decltype(&triscope_supported) supported;
  decltype(&triscope_workspace) workspace;
  decltype(&triscope_launch) launch;
};

namespace {

/// The end of the instance of what is measured inside another program; the caller gives its own kernel's version the
/// same one.
constexpr std::string_view kMark = ".own-process";

/// A kernel as it is measured inside another program: what else that program does disturbs it, so its instances say so.
class InProgram final : public triscope::Kernel {
 public:
  explicit InProgram(const triscope::Kernel& kernel) : kernel_(&kernel), info_(kernel.info()) {
    for (std::string& instance : info_.instances) instance += kMark;
  }
  const triscope::KernelInfo& info() const override { return info_; }

  std::optional<std::string> unsupported(const triscope::Problem& problem, triscope::Pass pass) const override {
    return kernel_->unsupported(problem, pass);
  }
  std::optional<std::string> unsupported(const triscope::Problem& problem, triscope::Pass pass,
                                         std::string_view instance) const override {
    return kernel_->unsupported(problem, pass, inner(instance));
  }
  triscope::Fold fold(const triscope::Problem& problem) const override { return kernel_->fold(problem); }
  triscope::Fold fold(const triscope::Problem& problem, std::string_view instance) const override {
    return kernel_->fold(problem, inner(instance));
  }
  std::string choose_instance(const triscope::Problem& problem, triscope::Pass pass) const override {
    return kernel_->choose_instance(problem, pass).append(kMark);
  }
  std::size_t workspace_bytes(const triscope::Problem& problem, triscope::Pass pass,
                              std::string_view instance) const override {
    return kernel_->workspace_bytes(problem, pass, inner(instance));
  }
  void launch(const triscope::Problem& problem, triscope::Pass pass, std::string_view instance,
              const triscope::Arguments& arguments) const override {
    kernel_->launch(problem, pass, inner(instance), arguments);
  }

 private:
  static std::string_view inner(std::string_view instance) {
    return instance.ends_with(kMark) ? instance.substr(0, instance.size() - kMark.size()) : instance;
  }

  const triscope::Kernel* kernel_;
  triscope::KernelInfo info_;
};

int run(int argc, char** argv, const triscope_worker_kernels* kernels, const triscope::Channel::Ends* ends) {
  triscope::PluginLibrary given;
  given.version = kernels->version, given.kernel = kernels->kernel, given.device = kernels->device;
  given.kernel_version = kernels->kernel_version, given.supported = kernels->supported;
  given.workspace = kernels->workspace, given.launch = kernels->launch;
  std::vector<std::unique_ptr<InProgram>> marked;
  std::vector<const triscope::Kernel*> own;
  for (const auto& kernel : triscope::all_kernels()) {
    if (ends != nullptr) marked.push_back(std::make_unique<InProgram>(*kernel));
    own.push_back(ends == nullptr ? kernel.get() : marked.back().get());
  }
  return triscope::run_worker(argc, argv, own, &given, ends);
}

}  // namespace

/// triscope-worker's whole program with its arguments. --plugin is the file that `kernels` were made from, and whoever
/// calls has compared its SHA-256.
extern "C" __attribute__((visibility("default"))) int triscope_worker_main(int argc, char** argv,
                                                                           const triscope_worker_kernels* kernels) {
  triscope::keep_freed_memory();
  return run(argc, argv, kernels, nullptr);
}

/// The same as a part of a program that goes on: it talks over these two descriptors, and returns when it is told to
/// quit or nobody is there any more. The program must ignore SIGPIPE.
extern "C" __attribute__((visibility("default"))) int triscope_worker_serve(int argc, char** argv,
                                                                            const triscope_worker_kernels* kernels,
                                                                            int input, int output) {
  const triscope::Channel::Ends ends{input, output};
  return run(argc, argv, kernels, &ends);
}
