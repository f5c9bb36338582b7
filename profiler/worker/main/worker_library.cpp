// libtriscope_worker.so: the worker for a program that brings kernels as functions of its own process, as Python does.
#include <vector>

#include "kernels/plugin/plugin_library.hpp"
#include "kernels/registry/registry.hpp"
#include "profiler/worker/serve.hpp"

/// Seven functions of include/triscope/attention.h, in this order; python/triscope/_worker.py repeats it.
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

int run(int argc, char** argv, const triscope_worker_kernels* kernels, const triscope::Channel::Ends* ends) {
  triscope::PluginLibrary given;
  given.version = kernels->version, given.kernel = kernels->kernel, given.device = kernels->device;
  given.kernel_version = kernels->kernel_version, given.supported = kernels->supported;
  given.workspace = kernels->workspace, given.launch = kernels->launch;
  std::vector<const triscope::Kernel*> own;
  for (const auto& kernel : triscope::all_kernels()) own.push_back(kernel.get());
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
