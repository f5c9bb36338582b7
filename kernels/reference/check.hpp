// Compares what a kernel wrote with the fp64 oracle, at sampled rows and key positions of the very
// problem that is timed. A kernel that fails this check is not timed. Tolerances: docs/method.md.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/host_tensors.hpp"
#include "kernels/attention/kernel.hpp"
#include "kernels/reference/check_result.hpp"

namespace triscope {

/// Largest errors allowed: relative for o and the gradients, absolute for the LSE.
struct Bounds {
  double o, lse, gradient;
};

/// The only set of tolerances: for a kernel that rounds `fold`, against the exact reference or the one that rounds
/// alike. `largest_lse`: the largest |LSE| compared. `peaked`: see `CheckOptions`.
///   fp32:  o and gradients 1e-5 (peaked: 2^-21 |LSE| when that is more), LSE 1e-5 max(1, |LSE| / 10)
///   bf16:  o 4e-3 (a determinant's folds 5.1e-3; cross_k1, cross_k2 6.0e-3; half_k1, half_k2 2.5e-3), LSE 1e-2
///          (1.41e-2; 1.73e-2; half_k1, half_k2 2e-3, their determinants 3e-3), gradients 1e-2; against the reference
///          that rounds as the kernel o 2.5e-3 (peaked: 2.9e-3), LSE 1e-4 (2^-20 |LSE| when that is more), gradients
///          1e-2
Bounds bounds_of(const Problem& problem, bool rounded_reference, Fold fold, double largest_lse, bool peaked = false);

/// Some of the batch x seq_len positions of a problem.
struct PositionRange {
  std::int64_t first = 0, count = 0;
};

/// The positions whose rows of q, grad_o, o and grad_q `check_against_oracle` reads, ascending and apart. Of every
/// other tensor it may read all.
std::vector<PositionRange> positions_read(const Problem& problem, Pass pass, const CheckOptions& options);

/// Compares `outputs` of `kernel` with the oracle. NaN or Inf in what it reads fails, also where nothing was sampled.
/// Key gradients are evaluated with the kernel's own LSE and o, which the row sample has compared.
/// A product (form `gemm`) is compared by `check_product`. Throws `Error` (usage) when a tensor the pass needs is null.
CheckResult check_against_oracle(const KernelInfo& kernel, const Problem& problem, Pass pass, const HostInputs& inputs,
                                 const HostOutputs& outputs, const CheckOptions& options = {});

}  // namespace triscope
