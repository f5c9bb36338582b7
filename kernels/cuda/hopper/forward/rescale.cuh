// Role: the ratio trick. One accumulator A serves all steps, o = v_short * A: from one step to the next A is multiplied
// by v_previous / v_next in fp32, so that products of both steps add up in it. The ratios lie in the ring
// (short_axis.cuh).
#pragma once

#include "kernels/cuda/hopper/forward/consumer.cuh"

namespace triscope::hopper {

/// A thread's ratios of one step, 16 registers at a time.
template <TileConfig kConfig>
struct RatioParts {
  static constexpr int kGroups = kConfig.head_dim / 16;             // 16-byte ratio words of a thread and row
  static constexpr int kGroupsAtOnce = kConfig.mixed_rows ? 2 : 4;  // 16 registers either way
  static constexpr int kCount = kGroups / kGroupsAtOnce;
};

/// Addresses of the ratio rows of a thread's two rows.
struct RatioRows {
  std::uint32_t address[2];
};

/// Address of the ratio row for thread row `r` (0 or 1); `fresh`: nothing to rescale, ones.
template <TileConfig kConfig>
__device__ __forceinline__ std::uint32_t ratio_row(const Consumer<kConfig>& me, int r, bool fresh) {
  using L = Layout<kConfig>;
  return fresh ? me.memory + L::kOnes + me.c * 16 : me.ring + me.slot[r] + L::kKeyBytes;
}

template <int kPart, TileConfig kConfig>
__device__ __forceinline__ void load_ratio(Consumer<kConfig>& me, const RatioRows& rows) {
  constexpr int kAtOnce = RatioParts<kConfig>::kGroupsAtOnce;
#pragma unroll
  for (int r = 0; r < me.kRows; ++r) {
#pragma unroll
    for (int m = 0; m < kAtOnce; ++m)
      me.ratio[r * kAtOnce + m] = load_shared_float4(rows.address[r] + (kPart * kAtOnce + m) * 64);
  }
}
template <int kPart, TileConfig kConfig>
__device__ __forceinline__ void apply_ratio(Consumer<kConfig>& me) {
  constexpr int kAtOnce = RatioParts<kConfig>::kGroupsAtOnce;
#pragma unroll
  for (int m = 0; m < kAtOnce; ++m) {
    const float4 a = me.ratio[m];
    const float4 b = kConfig.mixed_rows ? me.ratio[kAtOnce + m] : a;
    float* out = me.accumulator + (kPart * kAtOnce + m) * 8;
    out[0] *= a.x, out[1] *= a.y, out[2] *= b.x, out[3] *= b.y;
    out[4] *= a.z, out[5] *= a.w, out[6] *= b.z, out[7] *= b.w;
  }
}
/// Parts [kFirst, kEnd): the registers hold part kFirst already; leaves part kEnd loaded if there is one.
template <int kFirst, int kEnd, TileConfig kConfig>
__device__ __forceinline__ void apply_ratios(Consumer<kConfig>& me, const RatioRows& rows) {
  if constexpr (kFirst < kEnd) {
    apply_ratio<kFirst>(me);
    if constexpr (kFirst + 1 < RatioParts<kConfig>::kCount) load_ratio<kFirst + 1>(me, rows);
    apply_ratios<kFirst + 1, kEnd>(me, rows);
  }
}

}  // namespace triscope::hopper
