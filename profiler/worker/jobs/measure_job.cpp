#include "profiler/worker/jobs/measure_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <list>

#include "kernels/base/error.hpp"
#include "kernels/plugin/plugin_names.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/words/kernel_refusal.hpp"
#include "profiler/record/words/kernel_remark.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/worker/jobs/sampling.hpp"

namespace triscope {
namespace {

constexpr double kPatience = 3;         // seconds of comparisons after a stop: the supervisor kills who takes ten
constexpr std::size_t kKeptShare = 64;  // of the device's memory: what a follow-up may leave there
// What is compared again of a kernel that writes other bits each time (docs/method.md, "Restarts"). The last keys are
// those that few queries see, also in a sequence without windows.
constexpr CheckOptions kAgain{.rows = 16, .keys = 2, .key_span = 4096};

std::string label_of(const MeasurementKey& key) {
  const std::string windows =
      key.problem.mask == Mask::full ? "full" : fmt::format("{}x{}", key.problem.window1, key.problem.window2);
  return fmt::format("{} {} {} {}, seq {}", key.kernel, key.instance, to_string(key.pass), windows,
                     key.problem.seq_len);
}

// One entry on its way through the job.
struct Work {
  Measurement measurement;
  std::optional<PreparedLaunch> launch;
  std::uint64_t accepted = 0;     // the fingerprint that an earlier process accepted; 0: none did
  std::uint64_t fingerprint = 0;  // of what passed the whole check here
  double check_seconds = 0;       // that the comparison before it was timed took
  bool finished() const { return measurement.status != Status::ok; }
  void fail(const std::string& reason) {
    measurement.status = Status::failed;
    measurement.reason = reason;
  }
  void cancel() {
    measurement.status = Status::cancelled;
    measurement.reason = "stopped by the user";
  }
};

// The probable cause of a wrong result of an extreme problem: fp32 cannot distinguish logits of this size. Empty for
// the usual ones.
std::string beyond_fp32(const Problem& problem) {
  constexpr double kLargest = 4096;  // fp32 steps by 5e-4 there, and the softmax passes that on
  const double dimensions = std::sqrt(static_cast<double>(problem.head_dim));
  const double logit = std::abs(problem.scale.value_or(1 / dimensions)) * dimensions * std::hypot(1.0, problem.k2_bias);
  if (problem.form == Form::gemm || logit < kLargest) return "";
  return fmt::format("; logits are about {} here, where fp32 numbers are {} apart: choose a smaller scale or bias",
                     significant_text(logit, 2), significant_text(logit * std::numeric_limits<float>::epsilon(), 2));
}

CheckOptions check_options(const MeasureRequest& request) {
  CheckOptions options;
  options.seed = request.seed;
  options.peaked =
      !request.tensors.empty();  // given tensors may be anything: only the kernel's own rounding is held against it
  return options;
}

// What is compared of a kernel that writes other bits each time.
CheckOptions check_again_options(const MeasureRequest& request) {
  CheckOptions again = kAgain;
  again.seed = request.seed + static_cast<std::uint64_t>(request.restart);
  again.peaked = check_options(request).peaked;
  return again;
}

// Allocates, launches once on poisoned outputs, compares with the oracle unless that was done elsewhere.
void prepare(Work& work, Backend& backend, KernelList kernels, const std::string& source_hash, const InputSet& inputs,
             const MeasureRequest& request) {
  Measurement& m = work.measurement;
  const MeasurementKey& key = m.key;
  try {
    require_valid(key.problem);
    const Kernel& kernel = require_kernel(kernels, key.kernel);
    if (const std::string& now = kernel.info().source_hash.of(key.pass); now != source_hash) {
      return work.fail(fmt::format("the kernel changed while the sweep ran (source {} is now {})", source_hash, now));
    }
    m.workspace_bytes = static_cast<std::int64_t>(kernel.workspace_bytes(key.problem, key.pass, key.instance));
    work.launch.emplace(backend, kernels, kernel, key.problem, key.pass, key.instance, inputs);
    if (!request.verify) {
      (*work.launch)();
      return backend.synchronize();
    }
    const CheckOptions options = check_options(request), again = check_again_options(request);
    const auto begun = std::chrono::steady_clock::now();
    const std::optional<CheckResult> check = work.accepted == 0
                                                 ? work.launch->verify(inputs, options)
                                                 : work.launch->verify_again(inputs, options, again, work.accepted);
    work.check_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (check) {
      m.error = check->worst;
      m.errors = check->errors;
      if (check->failure) return work.fail("wrong result: " + *check->failure + beyond_fp32(key.problem));
    }
    m.launches = work.launch->launches();
    m.reason = work.launch->remark();
    if (work.accepted != 0) return;
    work.fingerprint = work.launch->fingerprint();
    if (is_own_id(key.kernel)) return;
    if (const auto growth = work.launch->memory_left_behind()) work.fail(*growth);
  } catch (const std::exception& e) {
    end_if_lost(backend, e.what());
    work.fail(e.what());
  }
}

// Some launch changed `tensor` while `sampled` were timed in turns. Who but other people's kernels: ours are tested for
// it. All of the group where there are only ours.
void fail_for_a_changed_input(const char* tensor, const std::vector<Work*>& sampled) {
  const auto foreign = [](const Work* work) { return !is_own_id(work->measurement.key.kernel); };
  const bool only_ours = std::none_of(sampled.begin(), sampled.end(), foreign);
  for (Work* work : sampled) {
    if (!work->finished() && (only_ours || foreign(work)))
      work->fail(fmt::format("wrong result: its input {} was changed while it was timed", tensor));
  }
}

// Progress, and samples as they come.
SamplingHooks hooks_of(const JobPort& port) {
  SamplingHooks hooks;
  hooks.cancelled = port.cancelled;
  hooks.progress = [&port](const SamplingEntry& entry, const char* stage, const std::string& text) {
    port.send(ProgressReport{entry.index, stage, text});
  };
  hooks.sampled = [&port](const SamplingEntry& entry, std::span<const Sample> samples) {
    port.send(SampleBatch{entry.index, {samples.begin(), samples.end()}});
  };
  return hooks;
}

void read_counters(Work& work, Backend& backend, CounterSet set) {
  if (work.finished()) return;
  try {
    work.measurement.counters = backend.read_counters(set, [launch = &*work.launch] { (*launch)(); });
    work.launch.reset();  // one entry's memory at a time is enough
  } catch (const std::exception& e) {
    end_if_lost(backend, e.what());
    work.fail(e.what());
  }
}

// Whether what was timed still computes: other people's kernels may have kept what they computed first.
// After a stop not for long: `patience` seconds are left for it.
void check_after_timing(Work& work, Backend& backend, const InputSet& inputs, const MeasureRequest& request,
                        double& patience) {
  if (work.finished() || !request.verify || is_own_id(work.measurement.key.kernel)) return;
  patience -= work.check_seconds;
  if (patience < 0) {
    work.measurement.reason =
        fmt::format("{}{}{}", work.measurement.reason, work.measurement.reason.empty() ? "" : "; ", kUncheckedAfter);
    return;
  }
  const std::uint64_t before = work.accepted != 0 ? work.accepted : work.fingerprint;
  try {
    const auto check = work.launch->verify_again(inputs, check_options(request), check_again_options(request), before);
    if (check && check->failure) work.fail("wrong result after it was timed: " + *check->failure);
  } catch (const std::exception& e) {
    end_if_lost(backend, e.what());
    work.fail(e.what());
  }
}

SamplingEntry sampling_of(Work& work, std::int64_t index, const std::string& label) {
  SamplingEntry entry;
  entry.index = index;
  entry.label = label;
  entry.launch = [launch = &*work.launch] { (*launch)(); };
  return entry;
}

// Leaves of what was stopped the turns that all entries ended: a part of a turn is not the whole. False where that is
// less than an entry needs to converge; all samples then stay.
bool keep_whole_turns(std::vector<SamplingEntry>& entries) {
  const auto goes_on = [](const SamplingEntry& entry) {
    return entry.failure.empty() && entry.stop == StopReason::go_on;
  };
  std::int64_t whole = std::numeric_limits<std::int64_t>::max();
  for (const SamplingEntry& entry : entries) {
    if (goes_on(entry)) whole = std::min(whole, entry.whole_blocks);
  }
  if (whole < kFewestBlocks) return false;
  for (SamplingEntry& entry : entries) {
    if (!goes_on(entry)) continue;
    std::erase_if(entry.samples, [whole](const Sample& sample) { return sample.block >= whole; });
    entry.block_values.resize(static_cast<std::size_t>(whole));
  }
  return true;
}

void conclude(Work& work, SamplingEntry& entry, const StoppingRule& rule, bool cancelled) {
  Measurement& m = work.measurement;
  m.samples = std::move(entry.samples);
  if (!entry.failure.empty()) return work.fail(entry.failure);
  if (cancelled) return work.cancel();
  const Summary summary = summarize(m.samples, rule);
  const std::optional<Modes> modes = modes_of(m.samples);
  const auto add_remark = [&m](const std::string& text) { m.reason += (m.reason.empty() ? "" : "; ") + text; };
  if (modes) add_remark(modes_text(*modes));
  if (summary.converged) return;
  const std::string why =
      not_converged_text(summary, static_cast<std::int64_t>(entry.block_values.size()), rule,
                         fmt::format("after {} s", significant_text(1e-9 * static_cast<double>(entry.elapsed_ns))));
  m.reason = m.reason.empty() ? why : fmt::format("{}; {}", why, m.reason);
}

}  // namespace

const Kernel& require_kernel(KernelList kernels, const std::string& id) {
  std::vector<std::string> known;
  for (const Kernel* kernel : kernels) {
    if (kernel->info().id == id) return *kernel;
    known.push_back(kernel->info().id);
  }
  throw unknown_kernel(id, known, "run");
}

const Kernel& require_kernel_on(KernelList kernels, const std::string& id, const Device& device) {
  const Kernel& kernel = require_kernel(kernels, id);
  if (kernel.info().device != device.kind) throw kernel_of_another_device(kernel.info(), device, "run");
  return kernel;
}

const InputSet& MeasureJob::inputs_for(const MeasureRequest& request) {
  const bool backward = std::any_of(request.entries.begin(), request.entries.end(),
                                    [](const MeasurementKey& key) { return key.pass == Pass::backward; });
  // The entry that needs most decides: a sink, or the second axis that dot-product attention does without.
  Problem problem = request.entries.front().problem;
  for (const MeasurementKey& key : request.entries) {
    require_valid(key.problem);
    if (key.problem.sink) problem.sink = key.problem.sink;
    if (key.problem.form != Form::dot_product) problem.form = key.problem.form;
  }
  const InputSource source{request.seed, InputKind::normal, request.tensors};
  if (inputs_ && !inputs_->serves(problem, backward, source)) inputs_.reset();  // frees first
  if (!inputs_) inputs_.emplace(backend_, problem, backward, source);
  return *inputs_;
}

void MeasureJob::run(const MeasureRequest& request, const JobPort& port) {
  measure(request, port);
  const auto share = static_cast<std::size_t>(backend_.device().memory_bytes) / kKeptShare;
  if (!request.verify && inputs_->device_bytes() > share) inputs_.reset();
}

void MeasureJob::measure(const MeasureRequest& request, const JobPort& port) {
  if (request.entries.empty() || request.entries.size() != request.source_hashes.size() ||
      (!request.accepted.empty() && request.accepted.size() != request.entries.size())) {
    throw Error("the group cannot be measured", "it has no entries, or not one source hash or fingerprint for each",
                "use a supervisor of the same build");
  }
  const auto progress = [&](std::int64_t entry, const char* stage, const std::string& text) {
    port.send(ProgressReport{entry, stage, text});
  };
  progress(-1, "inputs", "preparing inputs");
  const InputSet& inputs = inputs_for(request);

  std::list<Work> works;
  std::vector<SamplingEntry> entries;
  std::vector<Work*> sampled;
  // A launch wrote into them: what else reads them reads what they should be.
  const auto make_inputs_anew = [&] {
    inputs_.reset();  // frees first
    inputs_for(request);
    for (Work& work : works) {
      if (work.launch) work.launch->read(inputs);
    }
  };
  for (std::size_t n = 0; n < request.entries.size(); ++n) {
    Work& work = works.emplace_back();
    work.measurement.key = request.entries[n];
    work.measurement.source_hash = request.source_hashes[n];
    if (!request.accepted.empty()) work.accepted = request.accepted[n];
    work.measurement.started_unix_ns = unix_now_ns();
    const std::string label = label_of(request.entries[n]);
    if (port.cancelled()) {
      work.cancel();
      continue;
    }
    progress(static_cast<std::int64_t>(n), "check", label + ", checking");
    prepare(work, backend_, kernels_, request.source_hashes[n], inputs, request);
    if (const char* tensor = request.verify ? inputs.changed() : nullptr) {
      if (!work.finished()) work.fail(fmt::format("wrong result: it changed its input {}", tensor));
      make_inputs_anew();
    }
    if (request.counters != CounterSet::none) read_counters(work, backend_, request.counters);
    if (work.finished() || request.counters != CounterSet::none) continue;
    entries.push_back(sampling_of(work, static_cast<std::int64_t>(n), label));
    sampled.push_back(&work);
  }
  const bool completed = !port.cancelled() && take_samples(backend_, request.entries.front().regime, request.stopping,
                                                           entries, hooks_of(port), request.first_settle_ns);
  const bool cancelled = !completed && !(request.keeps_stopped && keep_whole_turns(entries));
  for (std::size_t n = 0; n < entries.size(); ++n) conclude(*sampled[n], entries[n], request.stopping, cancelled);
  if (const char* tensor = inputs.changed()) {
    fail_for_a_changed_input(tensor, sampled);
    make_inputs_anew();
  }
  double patience = port.cancelled() ? kPatience : std::numeric_limits<double>::infinity();
  for (Work* work : sampled) check_after_timing(*work, backend_, inputs, request, patience);
  std::int64_t index = 0;
  for (Work& work : works) port.send(ResultReply{index++, std::move(work.measurement), work.fingerprint});
}

}  // namespace triscope
