// The CPU as a device to measure on.
#pragma once

#include <vector>

#include "profiler/worker/device/backend.hpp"

namespace triscope {

class CpuBackend : public Backend {
 public:
  /// `all_devices`: of the machine, this one among them; empty: this one alone.
  explicit CpuBackend(std::vector<Device> all_devices = {});

  const Device& device() const override { return device_; }
  std::vector<Device> all_devices() const override { return all_devices_; }
  Environment environment() const override;
  TimingSource timing_source() const override { return TimingSource::cpu_clock; }
  void* stream() const override { return nullptr; }

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void copy_to_device(void* to, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes) override;
  void poison(void* memory, std::size_t bytes) override;

  void synchronize() override {}
  Sample time_block(const Launch& launch, std::int64_t launches) override;
  void make_cold() override;
  std::unique_ptr<SliceEngine> make_slices() const override;
  std::vector<LaunchRecord> record_launch(const std::string& name, const Launch& launch) override;

 private:
  Device device_;
  std::vector<Device> all_devices_;
  std::vector<char> flush_;  ///< twice the last-level cache, written to push everything else out of it
};

}  // namespace triscope
