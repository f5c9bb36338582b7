#include "profiler/worker/jobs/verify.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/words/kernel_remark.hpp"

namespace triscope {
namespace {

constexpr double kOracleFlops = 2e11;  // beyond this the oracle's own forward would take minutes

bool can_run(const Kernel& kernel, const Problem& problem, Pass pass) { return !kernel.unsupported(problem, pass); }

// The kernel whose forward makes the LSE that `kernel`'s backward reads.
const Kernel& forward_for(const Kernel& kernel, const Problem& problem, KernelList kernels) {
  if (can_run(kernel, problem, Pass::forward)) return kernel;
  for (const Kernel* other : kernels) {
    const KernelInfo& info = other->info();
    if (info.device != kernel.info().device || other->fold(problem) != kernel.fold(problem)) continue;
    const bool oracle = info.card.kind == KernelKind::oracle;
    if (oracle && useful_flops(problem, Pass::forward) > kOracleFlops) continue;
    if (can_run(*other, problem, Pass::forward)) return *other;
  }
  throw Error(fmt::format("{} backward cannot be prepared", kernel.info().id),
              "it has no forward of its own, and no other kernel computes the LSE it needs",
              "choose another kernel or a smaller problem");
}

CheckResult failed_check(const std::string& why) {
  CheckResult wrong;
  wrong.worst = std::numeric_limits<double>::infinity();
  wrong.failure = why;
  return wrong;
}

}  // namespace

PreparedLaunch::PreparedLaunch(Backend& backend, KernelList kernels, const Kernel& kernel, const Problem& problem,
                               Pass pass, const std::string& instance, const InputSet& inputs)
    : backend_(&backend),
      kernel_(&kernel),
      problem_(problem),
      pass_(pass),
      instance_(instance),
      outputs_(backend, problem, pass, kernel.workspace_bytes(problem, pass, instance)) {
  inputs.fill(arguments_);
  outputs_.fill(arguments_);
  arguments_.stream = backend.stream();
  if (pass == Pass::backward) make_forward(kernels, inputs);
}

void PreparedLaunch::make_forward(KernelList kernels, const InputSet& inputs) {
  const Kernel& forward = forward_for(*kernel_, problem_, kernels);
  const std::string instance = forward.choose_instance(problem_, Pass::forward);
  const BackendMemory workspace(*backend_, forward.workspace_bytes(problem_, Pass::forward, instance));
  Arguments arguments;
  inputs.fill(arguments);
  arguments.o = arguments_.o;
  arguments.lse = arguments_.lse;
  arguments.lse_in_bf16 = arguments_.lse_in_bf16;
  arguments.workspace = workspace.data();
  arguments.stream = backend_->stream();
  forward.launch(problem_, Pass::forward, instance, arguments);
  backend_->synchronize();
  arguments_.lse_fold = forward.fold(problem_, instance);
}

void PreparedLaunch::poison() {
  if (pass_ == Pass::forward) {
    outputs_.poison_forward();
  } else {
    outputs_.poison_backward();
  }
}

std::optional<std::string> PreparedLaunch::launch_on_poison() {
  poison();
  const std::string name = fmt::format("{} {} {}", kernel_->info().id, to_string(pass_), instance_);
  launches_ = backend_->record_launch(name, [this] { (*this)(); });
  backend_->synchronize();
  if (const char* tensor = outputs_.overrun()) return fmt::format("it wrote behind the end of {}", tensor);
  return outputs_.not_finite();
}

CheckResult PreparedLaunch::compare(const InputSet& inputs, const CheckOptions& options) {
  KernelInfo info = kernel_->info();
  // What it folds for this problem; a backward as the forward did whose LSE it is given.
  info.fold = pass_ == Pass::forward ? kernel_->fold(problem_, instance_) : arguments_.lse_fold;
  if (is_half(info.fold) && outputs_.lse_in_bf16()) {
    const Fold half = std::exchange(info.fold, bf16_fold(info.fold, problem_.form));
    remark_ = beyond_half_remark(info.fold, half);
  }
  const std::vector<PositionRange> read = positions_read(problem_, pass_, options);
  const InputSet::Host given = inputs.download(read);
  const OutputSet::Host written = outputs_.download(read);
  return check_against_oracle(info, problem_, pass_, given.pointers(), written.pointers(), options);
}

CheckResult PreparedLaunch::verify(const InputSet& inputs, const CheckOptions& options) {
  if (const auto wrong = launch_on_poison()) return failed_check(*wrong);
  return compare(inputs, options);
}

std::optional<CheckResult> PreparedLaunch::verify_again(const InputSet& inputs, const CheckOptions& options,
                                                        const CheckOptions& different_again, std::uint64_t accepted) {
  if (const auto wrong = launch_on_poison()) return failed_check(*wrong);
  const std::uint64_t first = fingerprint();
  if (first == accepted) return std::nullopt;
  if (const auto wrong = launch_on_poison()) return failed_check(*wrong);
  return compare(inputs, fingerprint() == first ? options : different_again);
}

}  // namespace triscope
