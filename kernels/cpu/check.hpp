// Correct before fast: compares what a kernel wrote with the fp64 oracle, at sampled rows and key positions of the very
// problem that is timed. Nothing is timed that has not passed this. Tolerances: docs/method.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernels/cpu/host_tensors.hpp"
#include "kernels/kernel.hpp"

namespace triscope {

struct CheckOptions {
  std::int64_t rows = 64;           ///< sampled (batch, position, head) rows for o, lse, grad_q; always some at both ends
  std::int64_t keys = 16;           ///< sampled (batch, position, kv head) for the key gradients
  std::uint64_t seed = 1;           ///< which ones
  bool everything = false;          ///< every row and key (small problems, `triscope check`)
  bool peaked = false;              ///< inputs far from N(0,1): only the reference that rounds as the kernel does counts
};

struct CheckResult {
  /// By output: "o", "lse" (absolute), "grad_q", ...: ||x - ref|| / ||ref|| over all sampled rows at once, or row by row
  /// (docs/method.md), whichever is larger; score gradients over the larger of ||ref|| and the norm with ds replaced by
  /// p (|dp| + |delta|). A bf16 kernel that folds has each a second time, "o_rounded", ...,
  /// against the reference that rounds as it does (for peaked inputs that one alone, without the suffix).
  std::map<std::string, double> errors;
  double worst = 0;                       ///< largest relative error (lse, which is absolute, excluded)
  std::optional<std::string> failure;     ///< what failed, with value and bound, in words; nullopt: passed
};

/// What an error may be: of o and gradients relative, of the LSE absolute.
struct Bounds {
  double o, lse, gradient;
};

/// The one set of them, for a kernel that rounds `fold`, against the exact reference or the one that rounds as it does.
/// `largest_lse`: the largest |LSE| compared. `peaked`: see `CheckOptions`.
///   fp32:  o and gradients 1e-5 (peaked: 2^-21 |LSE| when that is more), LSE 1e-5 max(1, |LSE| / 10)
///   bf16:  o 4e-3 (a determinant's folds 5.1e-3; cross_k1, cross_k2 6.0e-3), LSE 1e-2 (1.41e-2; 1.73e-2), gradients
///          1e-2; against the reference that rounds as the kernel o 2.5e-3, LSE 1e-4 (2^-20 |LSE| when that is more), gradients 1e-2
Bounds bounds_of(const Problem& problem, bool rounded_reference, Fold fold, double largest_lse, bool peaked = false);

/// Compares `outputs` of `kernel` with the oracle. NaN or Inf anywhere in the outputs fails, sampled or not.
/// Key gradients are evaluated with the kernel's own LSE and o, which the row sample has compared.
/// A product (form `gemm`) is compared by `check_product`. Throws `Error` (usage) when a tensor the pass needs is null.
CheckResult check_against_oracle(const KernelInfo& kernel, const Problem& problem, Pass pass, const HostInputs& inputs,
                                 const HostOutputs& outputs, const CheckOptions& options = {});

}  // namespace triscope
