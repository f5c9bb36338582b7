// The two halves of a launch.
#pragma once

#include <cstdint>

#include "include/triscope/attention.h"
#include "kernels/interface/prepared.hpp"

namespace triscope::c_interface {

/// All that depends on the problem and on the current GPU only. Null `kernel`: the first. Throws `Refusal`, as `run`
/// does.
Prepared prepare(const char* kernel, const triscope_problem* problem, std::int32_t pass);

/// Runs it; `tensors` and `stream` are the caller's.
void run(const Prepared& prepared, const triscope_tensors* tensors, void* stream);

}  // namespace triscope::c_interface
