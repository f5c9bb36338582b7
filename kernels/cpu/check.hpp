// Correct before fast: compares what a kernel wrote with the fp64 oracle, at sampled rows and key positions of the very
// problem that is timed. Nothing is timed that has not passed this. Tolerances: docs/method.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernels/kernel.hpp"

namespace triscope {

/// Inputs on the host as fp32, already rounded to `problem.element`. Shapes as in `Arguments`; sink and grad_o may be null.
struct HostInputs {
  const float* q = nullptr;
  const float* k1 = nullptr;
  const float* k2 = nullptr;
  const float* v1 = nullptr;
  const float* v2 = nullptr;
  const float* sink = nullptr;
  const float* grad_o = nullptr;
};

/// A kernel's outputs on the host, widened to fp32. The forward fills o and lse; a check of the backward needs those too.
struct HostOutputs {
  const float* o = nullptr;
  const float* lse = nullptr;
  const float* grad_q = nullptr;
  const float* grad_k1 = nullptr;
  const float* grad_k2 = nullptr;
  const float* grad_v1 = nullptr;
  const float* grad_v2 = nullptr;
  const float* grad_sink = nullptr;
};

struct CheckOptions {
  std::int64_t rows = 64;           ///< sampled (batch, position, head) rows for o, lse, grad_q; always some at both ends
  std::int64_t keys = 16;           ///< sampled (batch, position, kv head) for the key gradients
  std::uint64_t seed = 1;           ///< which ones
  bool everything = false;          ///< every row and key (small problems, `triscope check`)
  bool peaked = false;              ///< inputs far from N(0,1): only the reference that rounds as the kernel does counts
};

struct CheckResult {
  std::map<std::string, double> errors;   ///< by output: "o", "lse", "grad_q", ... (kernels design, section 7)
  double worst = 0;                       ///< largest relative error (lse, which is absolute, excluded)
  std::optional<std::string> failure;     ///< what failed, with value and bound, in words; nullopt: passed
};

/// Compares `outputs` of `kernel` with the oracle. NaN or Inf anywhere in the sampled outputs fails.
CheckResult check_against_oracle(const KernelInfo& kernel, const Problem& problem, Pass pass, const HostInputs& inputs,
                                 const HostOutputs& outputs, const CheckOptions& options = {});

}  // namespace triscope
