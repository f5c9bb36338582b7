#include "kernels/interface/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/interface/kernel_list.hpp"
#include "kernels/interface/refusal.hpp"
#include "kernels/interface/translate.hpp"
#ifdef TRISCOPE_HAVE_CUDA
#include "kernels/cuda/common/current_gpu.hpp"
#endif

namespace triscope::c_interface {
namespace {

std::int64_t gpu_of(const Kernel& kernel) {
#ifdef TRISCOPE_HAVE_CUDA
  if (kernel.info().device == DeviceKind::cuda) return current_gpu().ordinal;
#endif
  (void)kernel;
  return -1;
}

// The CUDA runtime tells an error to whoever asks for the last one, also when that is the check of a later launch.
void forget_last_error() {
#ifdef TRISCOPE_HAVE_CUDA
  clear_cuda_error();
#endif
}

}  // namespace

Prepared prepare(const char* id, const triscope_problem* given, std::int32_t pass) {
  const Offer& offer = require_offer(id);
  Prepared prepared{
      .mark = mark_of_process(), .kernel = nullptr, .problem = read_problem(given), .pass = read_pass(pass)};
  const Kernel& kernel = require_support(offer, prepared.problem, prepared.pass);
  prepared.kernel = &kernel;
  prepared.gpu = gpu_of(kernel);
  // The backward reads what the forward of the same id wrote.
  prepared.lse_fold = require_support(offer, prepared.problem, Pass::forward).fold(prepared.problem);
  const std::string instance = kernel.choose_instance(prepared.problem, prepared.pass);
  if (const auto reason = kernel.unsupported(prepared.problem, prepared.pass, instance))
    throw unsupported(offer, *reason);
  const auto& instances = kernel.info().instances;
  const auto found = std::find(instances.begin(), instances.end(), instance);
  prepared.instance = static_cast<std::uint64_t>(found - instances.begin());
  prepared.workspace_bytes = kernel.workspace_bytes(prepared.problem, prepared.pass, instance);
  return prepared;
}

void run(const Prepared& prepared, const triscope_tensors* tensors, void* stream) {
  const KernelInfo& info = prepared.kernel->info();
  if (stream != nullptr && info.device == DeviceKind::cpu) {
    throw Refusal(TRISCOPE_ARGUMENT,
                  fmt::format("{} runs on the CPU, which has no streams; pass NULL as the stream.", info.id));
  }
  require_gpu_of(prepared, gpu_of(*prepared.kernel));
  Arguments arguments = read_tensors(tensors, prepared);
  arguments.stream = stream;
  try {
    prepared.kernel->launch(prepared.problem, prepared.pass, info.instances[prepared.instance], arguments);
  } catch (...) {
    forget_last_error();
    throw;
  }
}

}  // namespace triscope::c_interface
