#include "profiler/worker/jobs/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/record/words/kernel_remark.hpp"

namespace triscope {
namespace {

// Memory that is left behind is looked for in so many parts of launches; it must grow in each of them, since a cache
// that fills, or rubbish that is collected now and then, does not.
constexpr int kParts = 12;
constexpr std::int64_t kPartNs = 100'000'000, kMostInAPart = 16;  // how long a part is, and how many launches at most
constexpr std::int64_t kHeap = 16;             // bytes of the heap a launch that count: less than the smallest block
constexpr std::int64_t kHeapBesideGpu = 4096;  // there CUDA and CUPTI keep books of each launch

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
  forward_ = outputs_.forward_fingerprints();
}

void PreparedLaunch::poison() {
  if (pass_ == Pass::forward) {
    outputs_.poison_forward();
  } else {
    outputs_.poison_backward();
  }
}

std::vector<LaunchRecord> PreparedLaunch::launch_recorded() {
  const std::string name = fmt::format("{} {} {}", kernel_->info().id, to_string(pass_), instance_);
  std::vector<LaunchRecord> launches = backend_->record_launch(name, [this] { (*this)(); });
  backend_->synchronize();
  return launches;
}

std::optional<std::string> PreparedLaunch::launch_on_poison(const InputSet& inputs) {
  poison();
  launches_ = launch_recorded();
  if (const auto where = outputs_.overrun()) return where;
  if (const char* tensor = changed_input(inputs)) return fmt::format("it changed its input {}", tensor);
  return outputs_.not_finite();
}

const char* PreparedLaunch::changed_input(const InputSet& inputs) const {
  static constexpr std::array kForward{"o", "lse", "lse_state"};
  if (const char* tensor = inputs.changed()) return tensor;
  if (pass_ == Pass::forward) return nullptr;
  const std::array<std::uint64_t, 3> now = outputs_.forward_fingerprints();
  const auto differs = std::mismatch(now.begin(), now.end(), forward_.begin()).first;
  return differs == now.end() ? nullptr : kForward[static_cast<std::size_t>(differs - now.begin())];
}

std::optional<std::string> PreparedLaunch::memory_left_behind() {
  const std::int64_t start = monotonic_raw_ns();
  launch_recorded();
  const std::int64_t launches =
      std::clamp<std::int64_t>(kPartNs / std::max<std::int64_t>(monotonic_raw_ns() - start, 1), 1, kMostInAPart);
  const bool on_gpu = kernel_->info().device == DeviceKind::cuda;
  const std::int64_t least = launches * (on_gpu ? kHeapBesideGpu : kHeap);
  const MemoryInUse first = backend_->memory_in_use();
  MemoryInUse before = first;
  bool heap = true, device = true;
  for (int part = 0; part < kParts; ++part) {
    for (std::int64_t n = 0; n < launches; ++n) launch_recorded();
    const MemoryInUse now = backend_->memory_in_use();
    heap = heap && now.heap_bytes - before.heap_bytes >= least;
    device = device && now.device_bytes > before.device_bytes;
    if (!heap && !device) return std::nullopt;
    before = now;
  }
  const std::int64_t bytes = device ? before.device_bytes - first.device_bytes : before.heap_bytes - first.heap_bytes;
  return fmt::format("it leaves memory behind: {} bytes {} with each launch", bytes / (launches * kParts),
                     device ? "on the GPU" : "of the heap");
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
  if (const auto wrong = launch_on_poison(inputs)) return failed_check(*wrong);
  return compare(inputs, options);
}

std::optional<CheckResult> PreparedLaunch::verify_again(const InputSet& inputs, const CheckOptions& options,
                                                        const CheckOptions& different_again, std::uint64_t accepted) {
  if (const auto wrong = launch_on_poison(inputs)) return failed_check(*wrong);
  const std::uint64_t first = fingerprint();
  if (first == accepted) return std::nullopt;
  if (const auto wrong = launch_on_poison(inputs)) return failed_check(*wrong);
  return compare(inputs, fingerprint() == first ? options : different_again);
}

}  // namespace triscope
