// Rotary embedding on chunks of three as a kernel of its own, before the attention: what it costs, not part of any
// measured kernel.
//
//   Chunk l of a head, (x0, x1, x2) at position p, turns about its third element by p base^(-l / chunks):
//     x0' = x0 cos - x1 sin,   x1' = x0 sin + x1 cos,   x2' = x2
//
// q, k1 and k2 of a chunk share that axis, so the determinant depends on relative positions only. The last
// head_dim % 3 elements of a head stay as they are. CPU: kernels/paper/rotary_chunks.hpp.
//
// A thread turns up to eight chunks: 24 elements, three vectors of 16 bytes. One launch for all three tensors. The
// kernel does some 2 flops an element, so it lives on memory bandwidth: it reads and writes q, k1 and k2 once. The
// table is shared by all heads of a position and stays in the caches.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

namespace triscope::cuda {

/// [batch, seq_len, heads, head_dim] in bf16, aligned to 16 bytes; `out` may be `in`.
struct RotaryTensor {
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t heads = 1;
};

struct RotaryPrologue {
  std::int64_t batch = 1, seq_len = 0, head_dim = 0;  ///< head_dim: a multiple of 8
  std::array<RotaryTensor, 3> tensors;                ///< q, k1, k2
  const float* table = nullptr;                       ///< [seq_len][head_dim / 3][2], cosine and sine, on the device
};

/// Enqueues the rotation of all three tensors. Throws `Error` (usage) for a shape that it does not take.
void launch_rotary_prologue(const RotaryPrologue& prologue, cudaStream_t stream);

}  // namespace triscope::cuda
