// What a worker can do: its devices, its kernels, and whether a kernel takes a problem.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

struct Catalog {
  Environment environment;          ///< of the worker's own device
  std::vector<Device> devices;      ///< every device the worker's machine has; the CPU is always the last one
  std::vector<KernelInfo> kernels;  ///< every kernel of the build, in display order
  std::string gpu_problem;  ///< why no GPU can be used though an NVIDIA driver is there; empty: nothing is wrong
};

/// The kernel called `id`; null when there is none.
const KernelInfo* find_kernel(const Catalog& catalog, std::string_view id);

/// The device a request means: "auto" is the first GPU, or the CPU where there is none. Throws `Error` (environment)
/// naming the devices there are.
const Device& choose_device(const Catalog& catalog, std::string_view device);

/// Which process measures on `device` with the clock `source`: the worker's `--mode`.
std::string worker_mode(const Device& device, TimingSource source);

/// The clock that times `device` unless another is asked for.
TimingSource timing_source(const Device& device);

/// The element type kernels of `kind` are written for: fp32 on the CPU, bf16 on a GPU.
Element native_element(DeviceKind kind);

/// Can `kernel` run this? `instance` is "auto" (the kernel chooses), "all", or a name.
struct SupportQuestion {
  std::string kernel;
  Problem problem;  ///< valid
  Pass pass = Pass::forward;
  std::string instance = "auto";
};
struct InstanceSupport {
  std::string instance;                    ///< resolved name
  std::optional<std::string> unsupported;  ///< the kernel's reason; nullopt: it can
  std::int64_t workspace_bytes = 0;
};
struct SupportAnswer {
  std::vector<InstanceSupport> instances;  ///< one, or every one for "all"; never empty
};

/// Answers questions in order; a worker behind a pipe, or a plain function in tests.
using AskSupport = std::function<std::vector<SupportAnswer>(const std::vector<SupportQuestion>&)>;

}  // namespace triscope
