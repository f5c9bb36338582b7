// What every CPU kernel asks of a launch before it touches memory.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/attention/host_tensors.hpp"
#include "kernels/attention/kernel.hpp"

namespace triscope {

/// Why a CPU kernel that computes `forms` cannot run `problem`; nullopt when it can.
std::optional<std::string> unsupported_on_cpu(const Problem& problem, std::span<const Form> forms);

/// Throws `Error` when the problem is impossible or unsupported, the instance unknown, a tensor of this pass null, or
/// the workspace null or misaligned where one is needed.
void require_launchable(const Kernel& kernel, const Problem& problem, Pass pass, std::string_view instance,
                        const Arguments& arguments);

/// The inputs of a launch on fp32 tensors.
HostInputs host_inputs(const Arguments& arguments);

}  // namespace triscope
