// What a half instance needs beside the problem's tensors, and where it lies in the workspace. How it is made:
// half_operands.cuh.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/hopper/forward/config.hpp"
#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

/// Slabs of positions that the maxima of the keys of a kv head are first taken over, at most: fewer of many heads,
/// which have CTAs enough.
inline int most_slabs(int kv_heads) { return std::clamp(1024 / kv_heads, 1, 128); }

/// Slabs for `blocks` CTAs, none empty: one round of CTAs, or several where that would leave many of them idle. At most
/// one for each 64 positions begun: among 64 nearly every dimension of N(0, 1) keys has a number beyond 1. Rows are
/// dealt to the slabs several at once, so some have fewer positions: 48 as a rule, the last one perhaps a single one.
inline int slabs_of(const ForwardParameters& p, int blocks) {
  const int parts = p.head_dim / 8, tasks = p.determinant ? p.head_dim / 24 + 1 : parts;
  const std::int64_t rows = static_cast<std::int64_t>(p.batch) * p.seq_len;
  const std::int64_t rows_at_once = std::max(64, kThreads / tasks);
  const int even = blocks / p.kv_heads, wanted = even >= 8 ? even : 4 * blocks / p.kv_heads;
  return static_cast<int>(
      std::min<std::int64_t>(std::clamp(wanted, 1, most_slabs(p.kv_heads)), (rows + rows_at_once - 1) / rows_at_once));
}

/// t of half_operands.cuh: `scale_log2` lies in 2^t [2^-4, 2^-3) log2(e), but for scales that are beyond any use.
inline int query_exponent(float scale_log2) { return std::clamp(std::ilogb(scale_log2 / kLog2e) + 4, -20, 20); }

/// Byte offsets in the workspace; each part begins at a multiple of 256.
struct HalfWorkspace {
  std::size_t word = 0;     ///< ForwardParameters::in_bf16, unless the caller has one
  std::size_t query_scale;  ///< [kv_heads, head_dim] bf16
  std::size_t flags;        ///< [most_slabs, kv_heads]
  std::size_t misfits;      ///< [most_slabs, kv_heads]
  std::size_t maxima;       ///< [most_slabs, kv_heads, 2 keys, head_dim]: largest |key| of a slab, bf16, as pairs
  std::size_t tile_key;     ///< fp16, as the long axis' keys; for cross products in their order (virtual_query.cuh)
  std::size_t ring_key;     ///< fp16, as the short axis' keys
  std::size_t reordered;    ///< cross products: the long axis' keys in bf16, in their order
  std::size_t bytes;        ///< of all
};

inline HalfWorkspace half_workspace(const ForwardParameters& p) {
  const auto rounded = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const auto heads = static_cast<std::size_t>(p.kv_heads), channels = heads * static_cast<std::size_t>(p.head_dim);
  const std::size_t keys =
      rounded(2 * channels * static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(p.seq_len));
  const auto slabs = static_cast<std::size_t>(most_slabs(p.kv_heads));
  HalfWorkspace at{};
  at.query_scale = 256;
  at.flags = at.query_scale + rounded(2 * channels);
  at.misfits = at.flags + rounded(4 * slabs * heads);
  at.maxima = at.misfits + rounded(4 * slabs * heads);
  at.tile_key = at.maxima + rounded(slabs * 2 * 2 * channels);
  at.ring_key = at.tile_key + keys;
  at.reordered = at.ring_key + keys;
  at.bytes = at.reordered + (p.determinant ? keys : 0);
  return at;
}

/// The parts of a HalfWorkspace, for a launch of `blocks` CTAs.
inline HalfOperands half_operands(const ForwardParameters& p, void* workspace, int blocks) {
  const HalfWorkspace at = half_workspace(p);
  auto* bytes = static_cast<unsigned char*>(workspace);
  const auto words = [bytes](std::size_t offset) { return reinterpret_cast<std::uint32_t*>(bytes + offset); };
  return {.query_scale = reinterpret_cast<std::uint16_t*>(bytes + at.query_scale),
          .flags = words(at.flags),
          .misfits = words(at.misfits),
          .maxima = words(at.maxima),
          .tile_key = bytes + at.tile_key,
          .ring_key = bytes + at.ring_key,
          .reordered = p.determinant ? bytes + at.reordered : nullptr,
          .slabs = slabs_of(p, blocks),
          .query_exponent = query_exponent(p.scale_log2)};
}

}  // namespace triscope::hopper
