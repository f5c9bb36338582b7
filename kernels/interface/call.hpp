// The two halves of a launch.
#pragma once

#include <cstdint>

#include "include/triscope/attention.h"
#include "kernels/interface/prepared.hpp"

namespace triscope::c_interface {

/// All that depends on the problem `given` and on the current GPU only. `id` of a kernel; null: the first. Throws
/// `Refusal`, as `run` does.
Prepared prepare(const char* id, const triscope_problem* given, std::int32_t pass);

/// Runs it; `tensors` and `stream` are the caller's.
void run(const Prepared& prepared, const triscope_tensors* tensors, void* stream);

}  // namespace triscope::c_interface
