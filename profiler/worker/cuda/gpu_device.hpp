// The GPUs of this machine, as the CUDA runtime and NVML describe them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/measurement.hpp"

namespace triscope {

/// Every GPU the CUDA runtime offers; empty, with the reason in `why`, when there is none. Makes no context.
std::vector<Device> gpu_devices(std::string& why);

/// Dense bf16 FLOPs a multiprocessor does per clock with fp32 accumulation (vendor's white papers); nullopt: unknown chip.
std::optional<double> bf16_flops_per_clock(int major, int minor);

}  // namespace triscope
