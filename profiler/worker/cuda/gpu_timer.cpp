#include "profiler/worker/cuda/gpu_timer.hpp"

#include "kernels/cuda/common/cuda_error.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/worker/cuda/cupti.hpp"

namespace triscope {
namespace {

class ActivityTimer final : public GpuTimer {
 public:
  TimingSource source() const override { return TimingSource::cupti; }
  std::string version() const override { return trace_.version(); }

  BlockTimes time(cudaStream_t stream, const std::function<void()>& enqueue, std::int64_t launches) override {
    const std::int64_t dropped_before = trace_.dropped();
    Block block;
    block.launches = launches;
    const std::vector<ActivityRecord> records = run(stream, enqueue, block);
    block.dropped = trace_.dropped() - dropped_before;
    return block_times(records, block);
  }

  std::vector<LaunchRecord> record(cudaStream_t stream, const std::function<void()>& enqueue) override {
    Block block;
    const std::vector<ActivityRecord> records = run(stream, enqueue, block);  // on a line of its own: it sets block.id
    return launches_of(records, block.id);
  }

 private:
  // Everything that was recorded; gives `block` its id and beginning.
  std::vector<ActivityRecord> run(cudaStream_t stream, const std::function<void()>& enqueue, Block& block) {
    trace_.take();  // what ran before does not belong to this block
    block.id = ++last_id_;
    block.begun_ns = monotonic_raw_ns();
    trace_.begin(block.id);
    try {
      for (std::int64_t n = 0; n < block.launches; ++n) enqueue();
    } catch (...) {
      trace_.end();
      throw;
    }
    trace_.end();
    TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream));
    return trace_.take();
  }

  ActivityTrace trace_;
  std::uint64_t last_id_ = 0;
};

class EventsTimer final : public GpuTimer {
 public:
  TimingSource source() const override { return TimingSource::cuda_events; }
  std::string version() const override { return ""; }

  BlockTimes time(cudaStream_t stream, const std::function<void()>& enqueue, std::int64_t launches) override {
    if (!events_) events_ = std::make_unique<cuda::EventTimer>();
    BlockTimes times;
    times.start_ns = monotonic_raw_ns();
    events_->start(stream);
    for (std::int64_t n = 0; n < launches; ++n) enqueue();
    events_->stop(stream);
    const double elapsed_ns = events_->elapsed_ms() * 1e6;
    TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream));
    times.end_ns = monotonic_raw_ns();
    times.per_launch_ns = static_cast<std::int64_t>(elapsed_ns / static_cast<double>(launches) + 0.5);
    return times;
  }

  std::vector<LaunchRecord> record(cudaStream_t stream, const std::function<void()>& enqueue) override {
    enqueue();
    TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream));
    return {};
  }

 private:
  std::unique_ptr<cuda::EventTimer> events_;  // made late: it needs a device
};

}  // namespace

std::unique_ptr<GpuTimer> make_activity_timer() { return std::make_unique<ActivityTimer>(); }
std::unique_ptr<GpuTimer> make_events_timer() { return std::make_unique<EventsTimer>(); }

}  // namespace triscope
