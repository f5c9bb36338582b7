// From the structs of include/triscope/attention.h to the vocabulary of the kernels. What cannot be meant is refused.
#pragma once

#include <cstdint>

#include "include/triscope/attention.h"
#include "kernels/attention/kernel.hpp"
#include "kernels/interface/prepared.hpp"

namespace triscope::c_interface {

/// The pass called `pass`. Throws `Refusal`, as all of these do.
Pass read_pass(std::int32_t pass);

/// A problem that `validate` accepts. Refuses by name what no kernel computes: packed sequences, padding, key-value
/// caches and another number of queries.
Problem read_problem(const triscope_problem* given);

/// The pointers of a launch: none missing or misaligned, the workspace large enough.
Arguments read_tensors(const triscope_tensors* given, const Prepared& prepared);

}  // namespace triscope::c_interface
