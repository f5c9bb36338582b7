// The check of a matrix product: sampled elements against fp64 sums.
#pragma once

#include "kernels/attention/host_tensors.hpp"
#include "kernels/attention/problem.hpp"
#include "kernels/reference/check_result.hpp"

namespace triscope {

/// Compares C = A B of form `gemm` (A is inputs.q, B inputs.k1, C outputs.o, row-major seq_len x seq_len) with fp64 at
/// options.rows sampled rows times as many sampled columns, or everywhere. Relative L2 error up to 4e-3 (bf16) or 1e-5
/// (fp32) passes; NaN or Inf in any element fails. Throws `Error` (usage) when a tensor is missing.
CheckResult check_product(const Problem& problem, const HostInputs& inputs, const HostOutputs& outputs,
                          const CheckOptions& options);

}  // namespace triscope
