// The problems that hopper_backward_bench checks.
#pragma once

#include <string>
#include <vector>

#include "tests/cuda/hopper_backward/hopper_backward_device.hpp"

namespace triscope::backward_bench {

/// Every form, group size, window and kind of inputs of the design, small.
std::vector<Case> all_cases();

/// A few problems, for compute-sanitizer.
std::vector<Case> small_cases();

/// One problem with inputs of other magnitudes, do from 1e-10 to 1e10.
std::vector<Case> range_cases();

/// Reads "window1xwindow2,q_heads/kv_heads,head_dim,seq_len,batch,form". Throws `Error`.
Problem parse_shape(const std::string& text);

}  // namespace triscope::backward_bench
