// The devices of this machine, and the backend that measures on one of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/worker/device/backend.hpp"

namespace triscope {

/// Makes the backend of `--mode mode --device device`. Throws `Error` (environment) when this build or machine has
/// none.
std::unique_ptr<Backend> make_backend(const std::string& mode, const std::string& device);

/// Every device this build can use on this machine, GPUs first, the CPU last.
std::vector<Device> machine_devices();

/// Why none of them is a GPU though an NVIDIA driver is loaded; empty: nothing is wrong.
std::string machine_gpu_problem();

}  // namespace triscope
