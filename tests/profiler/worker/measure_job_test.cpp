// A group in this process: what a stop leaves behind.
#include "profiler/worker/jobs/measure_job.hpp"

#include <gmock/gmock.h>

#include <map>

#include "kernels/registry/registry.hpp"
#include "profiler/worker/device/cpu_backend.hpp"
#include "tests/profiler/protocol/worker_requests.hpp"

namespace triscope {
namespace {

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

}  // namespace
}  // namespace triscope
