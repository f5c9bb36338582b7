// The GPUs of this machine, as the CUDA runtime and NVML describe them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Every GPU the CUDA runtime offers; empty, with the reason in `why`, when there is none. Makes no context.
std::vector<Device> gpu_devices(std::string& why);

/// Why the runtime offers no device, with what to do: its answer to cudaGetDeviceCount, and the versions of CUDA that
/// the driver (0: none) and this build are for, as cudaDriverGetVersion counts them.
std::string no_gpu_text(int result, int driver, int runtime);

/// What a GPU cannot do here and what to do about it, one sentence each: its compute capability's major number, whether
/// it is cut by MIG, and why NVML does not describe it (empty: it does).
std::vector<std::string> gpu_limits(int major, bool mig, const std::string& nvml_problem);

/// The CUDA runtime's number of the GPU of `devices` that is called `id`; nullopt: there is none.
std::optional<int> gpu_number(const std::vector<Device>& devices, const std::string& id);

/// Dense bf16 FLOPs a multiprocessor of the GPU called `name` does per clock with fp32 accumulation (vendor's white
/// papers); nullopt: unknown. Of 8.6 and 8.9 only GeForce is known: professional GPUs of the same chips do more.
std::optional<double> bf16_flops_per_clock(int major, int minor, const std::string& name);

}  // namespace triscope
