// Role: from q and a short-axis key to the virtual queries of a step. q stays in shared memory for the whole item and
// is loaded anew for each step; keys come from the ring, in parts, where they do not fit the registers at once.
#pragma once

#include "kernels/cuda/hopper/forward/consumer.cuh"

namespace triscope::hopper {

/// Parts of a ring key.
template <TileConfig kConfig>
struct KeyParts {
  using L = Layout<kConfig>;
  static constexpr bool kPlain = bf16_of(kConfig.product) == Product::plain;
  /// 16-byte groups of a part, plain products.
  static constexpr int kQuads = kConfig.mixed_rows ? (L::kKeyQuads < 2 ? L::kKeyQuads : 2) : L::kKeyQuads;
  static constexpr int kCount =
      kPlain ? L::kKeyQuads / kQuads : VirtualQuery<kConfig.head_dim, kConfig.product>::kParts;
  /// Parts that the registers hold at once where no ratios need the room.
  static constexpr int kHeld = kCount == 1 || kPlain || kConfig.mixed_rows ? 1 : 2;
};

/// q of this item as A fragments, from the tile that the copy engine wrote (128-byte swizzle).
template <TileConfig kConfig>
__device__ __forceinline__ void load_query(Consumer<kConfig>& me) {
  using L = Layout<kConfig>;
  const int buffer = me.items_done % L::kQueryBuffers;
  const int first_row = kConfig.split_steps ? 0 : me.warpgroup * 64;
  const int tile_row = first_row + (me.row & ~15) + me.row_in_warp(me.lane & 15);
  const std::uint32_t address =
      me.memory + L::kQuery + buffer * L::kQueryBytes + tile_row * 128 + (((me.lane >> 4) ^ (tile_row & 7)) << 4);
#pragma unroll
  for (int k = 0; k < kConfig.head_dim / 16; ++k) {
    std::uint32_t* word = me.query.word + 4 * k;
    load_matrices((address ^ ((k & 3) << 5)) + (k >> 2) * L::kQueryHalfBytes, word[0], word[1], word[2], word[3]);
  }
#pragma unroll
  for (int x = 0; x < L::kTailWords; ++x) {
    const std::uint32_t tails = me.memory + L::kTails + buffer * L::kTailBytes + 16 * x + 4 * me.c;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      me.query.tail[x][r] = load_shared_1(tails + (first_row + me.thread_row(r)) * 16 * L::kTailWords);
    }
  }
}

/// `kCount` words (12 at most) of a ring key.
template <int kCount>
__device__ __forceinline__ void load_key_words(std::uint32_t address, std::uint32_t (&words)[12]) {
#pragma unroll
  for (int m = 0; m < 3; ++m) {
    if (kCount - 4 * m > 2) {
      const uint4 x = load_shared_4(address + 64 * m);
      words[4 * m] = x.x, words[4 * m + 1] = x.y, words[4 * m + 2] = x.z, words[4 * m + 3] = x.w;
    } else if (kCount - 4 * m == 2) {
      const uint2 x = load_shared_2(address + 64 * m);
      words[4 * m] = x.x, words[4 * m + 1] = x.y;
    } else if (kCount - 4 * m == 1) {
      words[4 * m] = load_shared_1(address + 64 * m);
    }
  }
}

/// Part `kPart` of the key at `slot`.
template <int kPart, TileConfig kConfig>
__device__ __forceinline__ void load_key_part(Consumer<kConfig>& me) {
  using Parts = KeyParts<kConfig>;
#pragma unroll
  for (int r = 0; r < me.kRows; ++r) {
    const std::uint32_t address = me.ring + me.slot[r];
    if constexpr (Parts::kPlain) {
#pragma unroll
      for (int m = 0; m < Parts::kQuads; ++m)
        me.key[r * Parts::kQuads + m] = load_shared_4(address + (kPart * Parts::kQuads + m) * 64);
    } else {
      load_key_words<Layout<kConfig>::kKeyWords - 12 * kPart>(address + 3 * kPart * 64,
                                                              me.key_part[kConfig.mixed_rows ? r : kPart & 1]);
    }
  }
}

/// Plain: the words of quads kFirst + kOffset .. of the key.
template <int kFirst, int kOffset, TileConfig kConfig>
__device__ __forceinline__ void multiply_quads(Consumer<kConfig>& me) {
  using Parts = KeyParts<kConfig>;
  me.query.template multiply_pair<kFirst + kOffset>(me.key[kOffset],
                                                    me.key[kConfig.mixed_rows ? Parts::kQuads + kOffset : kOffset]);
  if constexpr (kOffset + 1 < Parts::kQuads) multiply_quads<kFirst, kOffset + 1>(me);
}
template <int kPart, TileConfig kConfig>
__device__ __forceinline__ void multiply_part(Consumer<kConfig>& me) {
  using Parts = KeyParts<kConfig>;
  if constexpr (Parts::kPlain) {
    multiply_quads<kPart * Parts::kQuads, 0>(me);
  } else {
    me.query.template multiply_part<kPart>(me.key_part[kConfig.mixed_rows ? 0 : kPart & 1], 0);
    me.query.template multiply_part<kPart>(me.key_part[kConfig.mixed_rows ? 1 : kPart & 1], 1);
  }
}

template <int kHeld, TileConfig kConfig>
__device__ __forceinline__ void load_first_key_parts(Consumer<kConfig>& me) {
  load_key_part<0>(me);
  if constexpr (kHeld == 2) load_key_part<1>(me);
}
/// Completes the virtual queries from part `kPart` on; q and the first kHeld parts of the key are loaded.
template <int kHeld, int kPart = 0, TileConfig kConfig>
__device__ __forceinline__ void fold_query(Consumer<kConfig>& me) {
  constexpr int kCount = KeyParts<kConfig>::kCount;
  multiply_part<kPart>(me);
  if constexpr (kPart + kHeld < kCount) load_key_part<kPart + kHeld>(me);
  if constexpr (kPart + 1 < kCount) fold_query<kHeld, kPart + 1>(me);
}

/// Waits for a stage and makes its virtual queries.
template <TileConfig kConfig>
__device__ __forceinline__ void take_stage(Consumer<kConfig>& me) {
  me.wait_stage();
  load_query(me);
  load_first_key_parts<1>(me);
  fold_query<1>(me);
  me.free_stage();
}

}  // namespace triscope::hopper
