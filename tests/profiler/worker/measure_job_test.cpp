// A group in this process: what a stop leaves behind.
#include "profiler/worker/jobs/measure_job.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "kernels/registry/registry.hpp"
#include "profiler/record/words/kernel_remark.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/worker/device/cpu_backend.hpp"
#include "tests/profiler/protocol/worker_requests.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CountingBackend final : public CpuBackend {
 public:
  std::vector<Counter> read_counters(CounterSet, const Launch& launch) override {
    launch();
    return {{"dram__bytes.sum", "byte", 4096}};
  }
};

/// A device with `memory_bytes`, which knows how much of it is taken.
class SmallBackend final : public CpuBackend {
 public:
  explicit SmallBackend(std::int64_t memory_bytes) : device_(CpuBackend::device()) {
    device_.memory_bytes = memory_bytes;
  }
  const Device& device() const override { return device_; }
  void* allocate(std::size_t bytes) override {
    void* memory = CpuBackend::allocate(bytes);
    return taken_bytes += sizes_[memory] = bytes, memory;
  }
  void release(void* memory) noexcept override {
    taken_bytes -= sizes_[memory];
    CpuBackend::release(memory);
  }

  std::size_t taken_bytes = 0;

 private:
  Device device_;
  std::map<void*, std::size_t> sizes_;
};

TEST(MeasureJob, a_follow_up_leaves_no_large_inputs_on_the_device_it_shares) {
  const Kernel* kernel = find_kernel("cpu.oracle");
  MeasureRequest request;
  request.stopping = {.precision = 1, .budget_ns = 1, .min_blocks = 1, .max_blocks = 1};
  request.entries = {tiny_key("cpu.oracle")};
  request.entries.front().instance = kernel->info().instances.front();
  request.source_hashes = {kernel->info().source_hash.forward};
  JobPort port;
  port.cancelled = [] { return false; };
  port.send = [&](const Message& message) {
    const auto* result = std::get_if<ResultReply>(&message);
    EXPECT_TRUE(result == nullptr || result->measurement.status == Status::ok);
  };
  const std::vector<const Kernel*> kernels{kernel};
  const auto left = [&](bool verify, std::int64_t memory_bytes) {
    SmallBackend backend(memory_bytes);
    MeasureJob job(backend, kernels);
    request.verify = verify;
    job.run(request, port);
    return backend.taken_bytes;
  };
  const std::size_t inputs = left(true, 1 << 10);
  EXPECT_GT(inputs, 1u << 10);  // the worker that measures keeps them: its next group shares them
  EXPECT_EQ(left(false, 1 << 10), 0u);
  EXPECT_EQ(left(false, 1 << 30), inputs);
}

TEST(MeasureJob, counters_that_a_stop_prevents_are_cancelled_not_absent) {
  const Kernel* kernel = find_kernel("cpu.oracle");
  MeasureRequest request;
  request.counters = CounterSet::standard;
  request.verify = false;
  for (int n = 0; n < 2; ++n) {
    request.entries.push_back(tiny_key("cpu.oracle"));
    request.entries.back().instance = kernel->info().instances.front();
    request.source_hashes.push_back(kernel->info().source_hash.forward);
  }
  bool begun = false;
  std::vector<Measurement> results;
  JobPort port;
  port.cancelled = [&] { return begun; };
  port.send = [&](const Message& message) {
    if (const auto* report = std::get_if<ProgressReport>(&message)) begun = begun || report->entry == 0;
    if (const auto* result = std::get_if<ResultReply>(&message)) results.push_back(result->measurement);
  };
  CountingBackend backend;
  const std::vector<const Kernel*> kernels{kernel};
  MeasureJob(backend, kernels).run(request, port);
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].status, Status::ok) << results[0].reason;
  EXPECT_THAT(results[0].counters, SizeIs(1));
  EXPECT_EQ(results[1].status, Status::cancelled);
  EXPECT_THAT(results[1].counters, IsEmpty());
}

/// A stop after at least `blocks` blocks of the oracle, in a job that keeps what it cuts short, or does not.
Measurement stopped_after(std::int64_t blocks, bool keeps) {
  const Kernel* kernel = find_kernel("cpu.oracle");
  MeasureRequest request;
  request.verify = false;
  request.keeps_stopped = keeps;
  request.stopping = {1e-9, 3'600'000'000'000, kFewestBlocks, 1'000'000};
  request.entries.push_back(tiny_key("cpu.oracle"));
  request.entries.back().instance = kernel->info().instances.front();
  request.source_hashes.push_back(kernel->info().source_hash.forward);
  std::int64_t asked = 0;  // whether to stop: once before it is checked, once for the warm-up, then before each block
  Measurement result;
  JobPort port;
  port.cancelled = [&] { return ++asked > 3 + blocks; };
  port.send = [&](const Message& message) {
    if (const auto* reply = std::get_if<ResultReply>(&message)) result = reply->measurement;
  };
  CountingBackend backend;
  const std::vector<const Kernel*> kernels{kernel};
  MeasureJob(backend, kernels).run(request, port);
  return result;
}

TEST(MeasureJob, what_a_stop_cuts_short_counts_from_eight_blocks_where_the_job_keeps_it) {
  const Measurement kept = stopped_after(8, true), few = stopped_after(7, true), not_asked = stopped_after(8, false);
  EXPECT_EQ(kept.status, Status::ok) << kept.reason;
  EXPECT_EQ(block_medians_ms(kept.samples).size(), 8u);
  EXPECT_THAT(kept.reason, testing::HasSubstr("not converged"));
  EXPECT_EQ(few.status, Status::cancelled);
  EXPECT_EQ(block_medians_ms(few.samples).size(), 7u);
  EXPECT_EQ(not_asked.status, Status::cancelled);
}

/// A device on which kernels take turns of a second.
class SettlingBackend final : public CpuBackend {
 public:
  std::int64_t settle_ns() const override { return 1; }
};

TEST(MeasureJob, of_a_turn_that_a_stop_cuts_nothing_counts) {
  const Kernel* kernel = find_kernel("cpu.oracle");
  MeasureRequest request;
  request.verify = false;
  request.keeps_stopped = true;
  request.stopping = {1e-9, 3'600'000'000'000, kFewestBlocks, 1'000'000};
  for (const std::int64_t window : {3, 4}) {
    request.entries.push_back(tiny_key("cpu.oracle"));
    request.entries.back().problem.window1 = window;
    request.entries.back().instance = kernel->info().instances.front();
    request.source_hashes.push_back(kernel->info().source_hash.forward);
  }
  constexpr std::int64_t kAsked = 85;  // some 25 blocks a turn: in the second turn of the second kernel
  std::int64_t asked = 0;
  std::vector<Measurement> results;
  JobPort port;
  port.cancelled = [&] { return ++asked > kAsked; };
  port.send = [&](const Message& message) {
    if (const auto* reply = std::get_if<ResultReply>(&message)) results.push_back(reply->measurement);
  };
  SettlingBackend backend;
  const std::vector<const Kernel*> kernels{kernel};
  MeasureJob(backend, kernels).run(request, port);
  ASSERT_THAT(results, SizeIs(2));
  const std::size_t blocks = block_medians_ms(results[0].samples).size();
  EXPECT_EQ(results[0].status, Status::ok) << results[0].reason;
  EXPECT_EQ(results[1].status, Status::ok) << results[1].reason;
  EXPECT_EQ(block_medians_ms(results[1].samples).size(), blocks) << "the turns that both ended, and no part of one";
  EXPECT_GE(blocks, 8u);
}

/// The oracle under a name of its own; `change` sees what each launch wrote.
class ChangingKernel final : public Kernel {
 public:
  explicit ChangingKernel(std::function<void(int launch, float* o)> change)
      : oracle_(*find_kernel("cpu.oracle")), change_(std::move(change)) {
    info_ = oracle_.info();
    info_.id = "test.changing";
  }
  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    return oracle_.unsupported(problem, pass);
  }
  std::size_t workspace_bytes(const Problem&, Pass, std::string_view) const override { return 0; }
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    oracle_.launch(problem, pass, instance, arguments);
    change_(++launches_, static_cast<float*>(arguments.o));
  }

 private:
  const Kernel& oracle_;
  std::function<void(int launch, float* o)> change_;
  KernelInfo info_;
  mutable int launches_ = 0;
};

/// What a process says of `kernel` when an earlier one has accepted outputs with the fingerprint `accepted`.
ResultReply checked_after(std::uint64_t accepted, const Kernel& kernel, std::int64_t restart = 1,
                          Pass pass = Pass::forward) {
  MeasureRequest request;
  request.stopping = {.precision = 1, .budget_ns = 1, .min_blocks = 1, .max_blocks = 1};
  request.entries = {tiny_key(kernel.info().id)};
  request.entries.front().instance = kernel.info().instances.front();
  request.entries.front().problem.seq_len = 200;
  request.entries.front().regime = Regime::burst;  // without a warm-up
  request.entries.front().pass = pass;
  request.source_hashes = {kernel.info().source_hash.of(pass)};
  request.accepted = {accepted};
  request.restart = restart;
  ResultReply reply;
  JobPort port;
  port.cancelled = [] { return false; };
  port.send = [&](const Message& message) {
    if (const auto* result = std::get_if<ResultReply>(&message)) reply = *result;
  };
  CpuBackend backend;
  const std::vector<const Kernel*> kernels{&kernel};
  MeasureJob(backend, kernels).run(request, port);
  return reply;
}

const auto kAsItIs = [](int, float*) {};

TEST(MeasureJob, outputs_that_an_earlier_process_accepted_are_not_compared_again) {
  const ResultReply first = checked_after(0, ChangingKernel(kAsItIs));
  EXPECT_EQ(first.measurement.status, Status::ok) << first.measurement.reason;
  EXPECT_NE(first.fingerprint, 0u);
  EXPECT_EQ(first.measurement.errors.count("o"), 1u);
  const ResultReply again = checked_after(first.fingerprint, ChangingKernel(kAsItIs));
  EXPECT_EQ(again.measurement.status, Status::ok) << again.measurement.reason;
  EXPECT_THAT(again.measurement.errors, IsEmpty());
  EXPECT_EQ(again.measurement.error, std::nullopt);
}

TEST(MeasureJob, a_backward_that_changes_what_its_forward_wrote_is_wrong) {
  const ResultReply right = checked_after(0, ChangingKernel(kAsItIs), 1, Pass::backward);
  EXPECT_EQ(right.measurement.status, Status::ok) << right.measurement.reason;
  const ResultReply wrong = checked_after(0, ChangingKernel([](int, float* o) { o[1999] *= 2; }), 1, Pass::backward);
  EXPECT_EQ(wrong.measurement.status, Status::failed);
  EXPECT_THAT(wrong.measurement.reason, HasSubstr("wrong result: it changed its input o"));
}

TEST(MeasureJob, outputs_that_differ_from_the_accepted_ones_are_compared_wholly) {
  const std::uint64_t accepted = checked_after(0, ChangingKernel(kAsItIs)).fingerprint;
  // One element in 3,200: of 400 rows 64 are compared wholly and 16 otherwise, so all elements of the first row.
  const ResultReply wrong = checked_after(accepted, ChangingKernel([](int, float* o) { o[3] += 1; }));
  EXPECT_EQ(wrong.measurement.status, Status::failed);
  EXPECT_THAT(wrong.measurement.reason, HasSubstr("wrong result: o: "));
  const ResultReply unwritten =
      checked_after(accepted, ChangingKernel([](int, float* o) { o[1999] = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_THAT(unwritten.measurement.reason, HasSubstr("o has nan at [0, 124, 1, 7]"));
  // Other bits than the first process wrote, but the same each time: all that the first process compared.
  const ResultReply other = checked_after(accepted, ChangingKernel([](int, float* o) { o[1999] *= 1 + 1e-6f; }));
  const ResultReply whole = checked_after(0, ChangingKernel([](int, float* o) { o[1999] *= 1 + 1e-6f; }));
  EXPECT_EQ(other.measurement.status, Status::ok) << other.measurement.reason;
  EXPECT_EQ(other.measurement.errors, whole.measurement.errors);
}

TEST(MeasureJob, a_kernel_that_writes_other_bits_each_time_is_compared_at_other_rows_in_each_process) {
  const std::uint64_t accepted = checked_after(0, ChangingKernel(kAsItIs)).fingerprint;
  const auto jitter = [](int launch, float* o) {
    for (int n = 0; n < 3200; ++n) o[n] *= 1 + 1e-7f * static_cast<float>((n * 7 + launch) % 5);
  };
  std::set<double> errors;
  for (const std::int64_t restart : {1, 2, 3}) {
    const ResultReply reply = checked_after(accepted, ChangingKernel(jitter), restart);
    EXPECT_EQ(reply.measurement.status, Status::ok) << reply.measurement.reason;
    EXPECT_EQ(reply.fingerprint, 0u) << "only what passed the whole check is accepted";
    errors.insert(reply.measurement.errors.at("lse"));
  }
  EXPECT_THAT(errors, SizeIs(3));
  const auto wrong = [&](int launch, float* o) {
    jitter(launch, o);
    for (int n = 0; n < 3200; ++n) o[n] *= 1.01f;
  };
  EXPECT_EQ(checked_after(accepted, ChangingKernel(wrong)).measurement.status, Status::failed);
}

/// Of a kernel that is wrong from the stop on, which comes after eight blocks; its first launch takes `first`.
Measurement stopped_foreign_kernel(std::chrono::milliseconds first) {
  bool stopped = false;
  const ChangingKernel kernel([&](int launch, float* o) {
    if (launch == 1) std::this_thread::sleep_for(first);
    if (stopped) o[3] += 1;
  });
  MeasureRequest request;
  request.keeps_stopped = true;
  request.stopping = {1e-9, 3'600'000'000'000, kFewestBlocks, 1'000'000};
  request.entries = {tiny_key(kernel.info().id)};
  request.entries.front().instance = kernel.info().instances.front();
  request.source_hashes = {kernel.info().source_hash.forward};
  std::int64_t asked = 0;
  Measurement result;
  JobPort port;
  port.cancelled = [&] { return stopped = ++asked > 3 + kFewestBlocks; };
  port.send = [&](const Message& message) {
    if (const auto* reply = std::get_if<ResultReply>(&message)) result = reply->measurement;
  };
  CpuBackend backend;
  const std::vector<const Kernel*> kernels{&kernel};
  MeasureJob(backend, kernels).run(request, port);
  return result;
}

TEST(MeasureJob, what_a_stop_keeps_of_a_foreign_kernel_says_where_a_long_comparison_is_left_out) {
  const Measurement compared = stopped_foreign_kernel({});
  EXPECT_EQ(compared.status, Status::failed);
  EXPECT_THAT(compared.reason, HasSubstr("wrong result after it was timed"));
  const Measurement kept = stopped_foreign_kernel(std::chrono::milliseconds(3500));
  EXPECT_EQ(kept.status, Status::ok) << kept.reason;
  EXPECT_THAT(kept.reason, HasSubstr(std::string(kUncheckedAfter)));
}

}  // namespace
}  // namespace triscope
