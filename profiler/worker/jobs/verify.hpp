// Correct before timed: runs a kernel once on poisoned outputs and compares them with the fp64 oracle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/reference/check.hpp"
#include "profiler/worker/device/backend.hpp"
#include "profiler/worker/jobs/tensors.hpp"

namespace triscope {

using KernelList = std::span<const Kernel* const>;

/// One kernel on one problem, ready to be launched again and again.
class PreparedLaunch {
 public:
  /// Allocates outputs and workspace. For a backward, makes the o and LSE it reads: by the kernel's own forward, or by
  /// another kernel of `kernels` that folds the same operand, or by the oracle. Throws `Error` when none of them can.
  PreparedLaunch(Backend& backend, KernelList kernels, const Kernel& kernel, const Problem& problem, Pass pass,
                 const std::string& instance, const InputSet& inputs);

  void operator()() const { kernel_->launch(problem_, pass_, instance_, arguments_); }

  /// Launches once on poisoned outputs, notes what ran in `launches`, and compares. Throws `Error` when the launch
  /// fails.
  CheckResult verify(const InputSet& inputs, const CheckOptions& options);
  /// The same where another process has accepted outputs with the fingerprint `accepted` of the very same launch;
  /// nullopt: these are equal. Others are compared as `options` say, or as `different_again` says where the kernel
  /// writes others each time it is launched (docs/method.md, "Restarts").
  std::optional<CheckResult> verify_again(const InputSet& inputs, const CheckOptions& options,
                                          const CheckOptions& different_again, std::uint64_t accepted);
  /// Of what the launch of `verify` or `verify_again` wrote.
  std::uint64_t fingerprint() const { return outputs_.fingerprint(); }
  /// Launches again and again, and says how much more memory is in use after each launch when that goes on; nullopt:
  /// none. Outputs are written anew.
  std::optional<std::string> memory_left_behind();
  /// Reads `inputs` from now on, which are those of before, made anew.
  void read(const InputSet& inputs) { inputs.fill(arguments_); }
  /// What the launch of `verify` ran.
  const std::vector<LaunchRecord>& launches() const { return launches_; }
  /// What else there is to say about it: that the inputs were beyond fp16, and which fold was used; empty: nothing.
  const std::string& remark() const { return remark_; }
  OutputSet::Host download() const { return outputs_.download(); }
  /// Poisons the outputs of this pass, so that a write left out shows.
  void poison();

 private:
  void make_forward(KernelList kernels, const InputSet& inputs);
  /// Launches on poisoned outputs; what is wrong with them whatever they should be.
  std::optional<std::string> launch_on_poison(const InputSet& inputs);
  /// The first tensor that this pass reads and that is not as it was made; null: none.
  const char* changed_input(const InputSet& inputs) const;
  std::vector<LaunchRecord> launch_recorded();
  CheckResult compare(const InputSet& inputs, const CheckOptions& options);

  Backend* backend_;
  const Kernel* kernel_;
  Problem problem_;
  Pass pass_;
  std::string instance_;
  OutputSet outputs_;
  Arguments arguments_;
  std::array<std::uint64_t, 3> forward_{};  // fingerprints of what a backward reads of a forward
  std::vector<LaunchRecord> launches_;
  std::string remark_;
};

}  // namespace triscope
