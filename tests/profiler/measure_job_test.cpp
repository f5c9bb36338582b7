// A group in this process: what a stop leaves behind.
#include "profiler/worker/measure_job.hpp"

#include <gmock/gmock.h>

#include "kernels/registry.hpp"
#include "profiler/worker/cpu_backend.hpp"
#include "worker_requests.hpp"

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

TEST(MeasureJob, counters_that_a_stop_prevents_are_cancelled_not_absent) {
  const Kernel* kernel = find_kernel("cpu.oracle");
  MeasureRequest request;
  request.counters = CounterSet::standard;
  request.verify = false;
  for (int n = 0; n < 2; ++n) {
    request.entries.push_back(tiny_key("cpu.oracle"));
    request.entries.back().instance = kernel->info().instances.front();
    request.source_hashes.push_back(kernel->info().source_hash);
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
