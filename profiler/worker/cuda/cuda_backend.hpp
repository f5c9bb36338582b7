// A GPU as a device to measure on.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiler/worker/cuda/condition_monitor.hpp"
#include "profiler/worker/cuda/counter_reader.hpp"
#include "profiler/worker/cuda/gpu_timer.hpp"
#include "profiler/worker/cuda/nvml.hpp"
#include "profiler/worker/device/backend.hpp"

namespace triscope {

class CudaBackend final : public Backend {
 public:
  /// `device`: index of the GPU, "0". Throws `Error` (environment): no driver, no such GPU.
  /// `with_counters`: it must also be possible to read its counters.
  CudaBackend(std::unique_ptr<GpuTimer> timer, const std::string& device, bool with_counters = false);
  ~CudaBackend() override;

  const Device& device() const override { return device_; }
  std::vector<Device> all_devices() const override { return devices_; }
  Environment environment() const override;
  TimingSource timing_source() const override { return timer_->source(); }
  void* stream() const override { return stream_; }

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_to_device(void* to, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes) override;
  void poison(void* memory, std::size_t bytes) override;
  void generate(InputStream stream, std::uint64_t seed, Element element, void* to, std::size_t count) override;
  std::uint64_t fingerprint(const void* memory, std::size_t bytes) override;
  std::size_t first_not_finite(const void* memory, Element element, std::size_t count) override;

  MemoryInUse memory_in_use() const override;

  void synchronize() override;
  bool lost() override;
  Sample time_block(const Launch& launch, std::int64_t launches) override;
  /// Writes twice the L2's size, reads as much of another buffer, and waits until the chip is idle and cool-clocked.
  void make_cold() override;
  std::unique_ptr<SliceEngine> make_slices() const override;
  std::int64_t settle_ns() const override;
  std::vector<Counter> read_counters(CounterSet set, const Launch& launch) override;
  std::vector<LaunchRecord> record_launch(const std::string& name, const Launch& launch) override;

 private:
  void flush_caches();
  /// Runs `work`, which changes the word at its argument from `start`, and returns what that then holds.
  std::uint64_t found(std::uint64_t start, const std::function<void(std::uint64_t*)>& work);

  std::unique_ptr<GpuTimer> timer_;  // first: CUPTI wants to be there before CUDA
  std::vector<Device> devices_;
  Device device_;
  cudaStream_t stream_ = nullptr;
  std::size_t flush_bytes_ = 0;
  void* flush_written_ = nullptr;
  void* flush_read_ = nullptr;
  void* word_ = nullptr;                     // of 8 bytes, for what kernels below find
  std::unique_ptr<CounterReader> counters_;  // null unless asked for
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<ConditionMonitor> monitor_;  // null without NVML
};

}  // namespace triscope
