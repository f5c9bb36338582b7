// What a backward's first step (prepare.cuh) writes, and from what.
#pragma once

#include <cstdint>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"

namespace triscope::hopper::backward {

/// Beside BackwardParameters.
struct Preparation {
  struct Rows {
    const __nv_bfloat16 *q, *o, *grad_o;
    const float* lse;
    __half* scaled_q;
    float *lse2, *delta;
    std::uint32_t* unlike;  ///< becomes 1 where an LSE is beyond kLargestLse; may be null
    int q_heads;
  };
  struct Keys {
    __half *long_key, *short_key;
    __nv_bfloat16* short_value;
    __nv_bfloat16* columns;  ///< of the short key and the short value; null for virtual queries
  };

  Rows rows;
  Keys keys;
  FixedPoint fixed;  ///< its scales are null unless sums are integers
  Ranges* ranges;
  uint4* sums;
  std::int64_t sum_parts, range_parts;  ///< of 16 bytes
  const std::uint32_t* lse_in_bf16;
  int pairs, row_count;
  std::int64_t deltas_of_pair, key_elements;
  float sign;
  bool cross;
};

/// For a bound plan. `*unlike`, device memory or null, becomes 0 where virtual keys and queries repeat the forward's
/// probabilities: not when it made its LSE in bf16 (Arguments::lse_in_bf16), nor when an LSE is beyond kLargestLse.
Preparation preparation(const Plan& plan, const Arguments& arguments, std::uint32_t* unlike);

}  // namespace triscope::hopper::backward
