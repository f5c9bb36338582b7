// Measures one group: inputs, check against the oracle, samples.
#pragma once

#include <functional>
#include <optional>

#include "profiler/protocol/messages.hpp"
#include "profiler/worker/device/backend.hpp"
#include "profiler/worker/jobs/tensors.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {

/// How a job talks back.
struct JobPort {
  std::function<void(const Message&)> send;
  std::function<bool()> cancelled;
};

/// Keeps the inputs of the last group, since neighbours in a plan share them; of a follow-up (not verified) only small
/// ones, since it shares the device with the worker that measures.
class MeasureJob {
 public:
  MeasureJob(Backend& backend, KernelList kernels) : backend_(backend), kernels_(kernels) {}

  /// Sends one `ResultReply` an entry. Throws `Error` when the group's inputs cannot be made.
  void run(const MeasureRequest& request, const JobPort& port);

 private:
  const InputSet& inputs_for(const MeasureRequest& request);
  void measure(const MeasureRequest& request, const JobPort& port);

  Backend& backend_;
  KernelList kernels_;
  std::optional<InputSet> inputs_;
};

/// The kernel called `id`; throws `Error` (usage) listing those there are.
const Kernel& require_kernel(KernelList kernels, const std::string& id);
/// The same; throws `Error` (usage) also when it does not run on `device`.
const Kernel& require_kernel_on(KernelList kernels, const std::string& id, const Device& device);

}  // namespace triscope
