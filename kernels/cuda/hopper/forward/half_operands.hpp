// What a half instance needs beside the problem's tensors, and where it lies in the workspace. How it is made:
// half_operands.cu.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

/// Slabs of positions that the maxima of the keys of a kv head are first taken over, at most: fewer of many heads,
/// which have blocks enough.
__host__ __device__ inline int maxima_slabs(int kv_heads) {
  const int slabs = 2048 / kv_heads;
  return slabs < 1 ? 1 : slabs < 64 ? slabs : 64;
}

/// Byte offsets in the workspace; each part begins at a multiple of 256.
struct HalfWorkspace {
  std::size_t word = 0;     ///< ForwardParameters::in_bf16, unless the caller has one
  std::size_t query_scale;  ///< [kv_heads, head_dim] bf16
  std::size_t maxima;       ///< [maxima_slabs, kv_heads, 2 keys, head_dim]: largest |key| of a slab, bf16, as pairs
  std::size_t tile_key;     ///< fp16, as the long axis' keys; for cross products in their order (virtual_query.cuh)
  std::size_t ring_key;     ///< fp16, as the short axis' keys
  std::size_t reordered;    ///< cross products: the long axis' keys in bf16, in their order
  std::size_t bytes;        ///< of all
};

inline HalfWorkspace half_workspace(const ForwardParameters& p) {
  const auto rounded = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t channels = static_cast<std::size_t>(p.kv_heads) * static_cast<std::size_t>(p.head_dim);
  const std::size_t keys =
      rounded(2 * channels * static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(p.seq_len));
  HalfWorkspace at{};
  at.query_scale = 256;
  at.maxima = at.query_scale + rounded(2 * channels);
  at.tile_key = at.maxima + rounded(static_cast<std::size_t>(maxima_slabs(p.kv_heads)) * 2 * 2 * channels);
  at.ring_key = at.tile_key + keys;
  at.reordered = at.ring_key + keys;
  at.bytes = at.reordered + (p.determinant ? keys : 0);
  return at;
}

/// The parts of a HalfWorkspace.
struct HalfOperands {
  std::uint16_t* query_scale = nullptr;
  std::uint32_t* maxima = nullptr;
  void* tile_key = nullptr;
  void* ring_key = nullptr;
  void* reordered = nullptr;  ///< null: not wanted

  HalfOperands() = default;
  HalfOperands(const HalfWorkspace& at, void* workspace, bool determinant) {
    auto* bytes = static_cast<unsigned char*>(workspace);
    query_scale = reinterpret_cast<std::uint16_t*>(bytes + at.query_scale);
    maxima = reinterpret_cast<std::uint32_t*>(bytes + at.maxima);
    tile_key = bytes + at.tile_key;
    ring_key = bytes + at.ring_key;
    reordered = determinant ? bytes + at.reordered : nullptr;
  }
};

/// Enqueues what makes them: fp16 copies of both keys, scales, and the word p.in_bf16, which says whether keys fit.
/// p.short_key and p.long_key are the problem's. `multiprocessors` of the current device.
void launch_half_operands(const ForwardParameters& p, const HalfOperands& operands, int multiprocessors,
                          cudaStream_t stream);

}  // namespace triscope::hopper
