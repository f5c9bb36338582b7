// Exponents of the powers of two that keep the Hopper backward in range (prepare.cuh has the proof).
#pragma once

#include "kernels/cuda/hopper/backward/plan/parameters.hpp"

namespace triscope::hopper::backward {

/// x < 2^exponent; 0 for 0.
__device__ __forceinline__ int exponent_above(float x) { return x > 0.0f ? ilogbf(x) + 1 : 0; }

/// Exponent s: fp16 ends below 2^16. What exceeds it by more than fp16 has room for in the keys is out of its range.
__device__ __forceinline__ int query_shift(const Ranges& r) { return min(14, max(0, exponent_above(r.query) - 15)); }

}  // namespace triscope::hopper::backward
