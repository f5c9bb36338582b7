// A ring of short-axis rows in shared memory, and where the numbers of a row lie in it. Host and device.
#pragma once

#include <cuda_runtime_api.h>

namespace triscope::hopper {

/// Ring slot of a short-axis row: rows that are alive together lie within `ring_rows` of each other.
/// `delta`: short-axis row minus the item's first position; at least -(2^24).
__host__ __device__ __forceinline__ int ring_slot(int delta, int ring_rows) {
  const int slot = delta % ring_rows;
  return slot < 0 ? slot + ring_rows : slot;
}

/// Byte offset of dimension pair (d, d + 1) in a row of fp32 numbers that multiply an accumulator: lane c of a consumer
/// quad reads 16 bytes for columns 16 m + {2c, 2c + 1, 2c + 8, 2c + 9}.
__device__ __forceinline__ int ratio_offset(int d) { return (d >> 4) * 64 + ((d & 7) >> 1) * 16 + ((d & 8) >> 3) * 8; }

/// Byte offset of word `w` (dimensions 2 w, 2 w + 1) of a bf16 key row in fragment order: lane c of a consumer quad
/// reads 16 bytes for two k steps, words 16 m + {c, c + 4, c + 8, c + 12}.
__device__ __forceinline__ int fragment_offset(int w) { return (w >> 4) * 64 + (w & 3) * 16 + ((w >> 2) & 3) * 4; }

/// Byte offset in a ring key of 32-bit word `n` of lane `c`: 16 bytes of each lane of a quad lie side by side.
__device__ __forceinline__ int key_offset(int n, int c) { return (n >> 2) * 64 + c * 16 + (n & 3) * 4; }

}  // namespace triscope::hopper
