// The NVIDIA management library, loaded at run time and only read from: clocks, power, temperature, throttling.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "profiler/worker/device/gpu_conditions.hpp"

namespace triscope {

/// One GPU as NVML sees it, matched by UUID. Thread-safe, as NVML is.
class Nvml {
 public:
  /// Null, with the reason in `why`, when NVML or the device cannot be had.
  static std::unique_ptr<Nvml> open(const std::string& uuid, std::string& why);
  ~Nvml();

  ConditionReading read() const;
  std::string driver_version() const;
  std::optional<double> power_limit_w() const;
  std::optional<double> max_sm_clock_mhz() const;
  std::optional<double> max_memory_clock_mhz() const;
  bool mig_enabled() const;

 private:
  Nvml();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triscope
