// Role: three warps that bring the short axis in.
//
// For each step they write the step's new short-axis rows to a ring in shared memory: the key, and the value as ratios to the
// previous step's value. Instances that fold ahead also get the virtual queries of all rows from them, rounded to bf16:
//   trilinear    q~_d = q_d (k_d + bias)
//   determinant  q~_d = k_a q_b - k_b q_a,  (d, a, b) cyclic in each chunk of 3; the left-over dimensions are 0
// In the others the consumers multiply q and the key; the ring then holds the key's words in the order of A fragments.
//
// Stage buffer: row v (warpgroup v / 64, its row v % 64), head_dim / 2 words. Lane c of a consumer quad needs the words
// w = 4 m + c, m = 0, 1, ...: 16-byte chunk c * (head_dim / 32) + m / 4 holds four of them, XORed for the banks.
#pragma once

#include "kernels/cuda/hopper/barriers.cuh"
#include "kernels/cuda/hopper/parameters.hpp"

namespace triscope::hopper {

/// Values nearer to 0 than this are taken for it in ratios, so that no ratio is infinite. 2^-60: the change of o is below
/// 1e-18 of the other terms' scale.
inline constexpr float kSmallestValue = 0x1p-60f;

__device__ __forceinline__ float away_from_zero(float x) { return fabsf(x) < kSmallestValue ? copysignf(kSmallestValue, x) : x; }

/// Byte offset in a stage row of the 16-byte chunk that holds words 4 m + c for m = 4 `block` .. 4 `block` + 3.
template <int kHeadDim>
__device__ __forceinline__ int stage_chunk(int row, int c, int block) {
  const int chunk = kHeadDim == 128 ? (c * 4 + block) ^ ((c >> 1) << 1) : c * 2 + block;
  return (chunk ^ (row & 7)) * 16;
}

/// Byte offset of dimension pair (d, d + 1) in a ratio row: lane c of a consumer quad reads 16 bytes for columns
/// 16 m + {2c, 2c + 1, 2c + 8, 2c + 9}.
__device__ __forceinline__ int ratio_offset(int d) { return (d >> 4) * 64 + ((d & 7) >> 1) * 16 + ((d & 8) >> 3) * 8; }

/// Byte offset of word `w` (dimensions 2 w, 2 w + 1) of a key row in fragment order: lane c of a consumer quad reads 16 bytes
/// for two k steps, words 16 m + {c, c + 4, c + 8, c + 12}.
__device__ __forceinline__ int fragment_offset(int w) { return (w >> 4) * 64 + (w & 3) * 16 + ((w >> 2) & 3) * 4; }

template <TileConfig kConfig>
struct Folding {
  using L = Layout<kConfig>;
  static constexpr int kBlocks = kConfig.head_dim / 32;      // 32-element blocks of a row
  static constexpr int kLaneWords = kConfig.head_dim / 64;   // 32-bit words of a key row that one lane moves

  const ForwardParameters& p;
  std::uint32_t memory;
  int warp;   // 0 .. kFoldingWarps - 1
  int lane;

  __device__ __forceinline__ std::uint32_t slot_address(int slot) const { return memory + L::kRing + slot * L::kSlotBytes; }

  /// Words of short-axis row `row` (clamped into the sequence) that this lane moves.
  __device__ __forceinline__ void load_row(const __nv_bfloat16* tensor, const WorkItem& item, int row,
                                           std::uint32_t (&words)[kLaneWords]) const {
    const int clamped = min(max(row, 0), p.seq_len - 1);
    const std::int64_t offset =
        ((static_cast<std::int64_t>(item.batch) * p.seq_len + clamped) * p.kv_heads + item.kv_head) * kConfig.head_dim;
    const std::uint32_t* source = reinterpret_cast<const std::uint32_t*>(tensor + offset) + lane * kLaneWords;
    if constexpr (kLaneWords == 2) {
      const uint2 pair = __ldg(reinterpret_cast<const uint2*>(source));
      words[0] = pair.x;
      words[1] = pair.y;
    } else {
      words[0] = __ldg(source);
    }
  }

  __device__ __forceinline__ void store_key(int slot, const std::uint32_t (&words)[kLaneWords]) const {
    if constexpr (!kConfig.fold_ahead) {
      const std::uint32_t flip = p.sign < 0.0f ? 0x80008000u : 0u;
#pragma unroll
      for (int w = 0; w < kLaneWords; ++w) {
        store_shared_1(slot_address(slot) + fragment_offset(lane * kLaneWords + w), words[w] ^ flip);
      }
      return;
    }
    const int byte = lane * kLaneWords * 4;
    const std::uint32_t address = slot_address(slot) + (((byte >> 4) ^ (slot & 7)) << 4) + (byte & 15);
    if constexpr (kLaneWords == 2) {
      store_shared_2(address, words[0], words[1]);
    } else {
      store_shared_1(address, words[0]);
    }
  }

  /// Ratios previous / current, by which the accumulator is multiplied on arrival at `current`.
  __device__ __forceinline__ void store_ratio(int slot, const std::uint32_t (&previous)[kLaneWords],
                                              const std::uint32_t (&current)[kLaneWords]) const {
#pragma unroll
    for (int w = 0; w < kLaneWords; ++w) {
      const float low = __fdividef(away_from_zero(low_bf16(previous[w]) + p.value_bias),
                                   away_from_zero(low_bf16(current[w]) + p.value_bias));
      const float high = __fdividef(away_from_zero(high_bf16(previous[w]) + p.value_bias),
                                    away_from_zero(high_bf16(current[w]) + p.value_bias));
      store_shared_float2(slot_address(slot) + L::kRowBytes + ratio_offset(2 * (lane * kLaneWords + w)), low, high);
    }
  }

  /// Rows `top`, `top` - 1, ... (`count` of them) go to the ring; `direction` leads from a row to the one of the step before.
  __device__ __forceinline__ void write_rows(const WorkItem& item, int top, int count, int direction) const {
#pragma unroll 2
    for (int n = warp; n < count; n += kFoldingWarps) {
      const int row = top - n;
      std::uint32_t key[kLaneWords], value[kLaneWords], previous[kLaneWords];
      load_row(p.short_key, item, row, key);
      load_row(p.short_value, item, row, value);
      load_row(p.short_value, item, row + direction, previous);
      const int slot = ring_slot(row - item.position, p.ring_rows);
      store_key(slot, key);
      store_ratio(slot, previous, value);
    }
  }

  /// Waits until the consumers have left the ring slots that stage number `stages` overwrites.
  __device__ __forceinline__ void wait_slots(int stages) const {
    const Barriers barriers{memory + L::kBarriers};
    if constexpr (kConfig.fold_ahead) {
      // Warpgroup 1 may be one stage behind 0: the ring has room for it.
      if (stages > 0) barrier_wait(barriers.empty_stage(0), (stages - 1) & 1);
    } else if (stages >= kStagesAhead) {
      barrier_wait(barriers.empty_stage(stages % kStagesAhead), (stages / kStagesAhead - 1) & 1);
    }
  }

  /// The same as write_rows for one step's new rows (`kStepsPerStage` of them), fetched before their slots are free.
  __device__ __forceinline__ void write_step(const WorkItem& item, int top, int direction, int stages) const {
    std::uint32_t key[kLaneWords], value[kLaneWords], previous[kLaneWords];
    const int row = top - warp;
    if (warp < L::kStepsPerStage) {
      load_row(p.short_key, item, row, key);
      load_row(p.short_value, item, row, value);
      load_row(p.short_value, item, row + direction, previous);
    }
    wait_slots(stages);
    if (warp < L::kStepsPerStage) {
      const int slot = ring_slot(row - item.position, p.ring_rows);
      store_key(slot, key);
      store_ratio(slot, previous, value);
    }
  }

  __device__ __forceinline__ std::uint32_t query_chunk(int row, int chunk) const {
    return memory + L::kQuery + (chunk >> 3) * L::kQueryHalfBytes + row * 128 + (((chunk & 7) ^ (row & 7)) << 4);
  }
  __device__ __forceinline__ std::uint32_t key_chunk(int slot, int chunk) const {
    return slot_address(slot) + ((chunk ^ (slot & 7)) << 4);
  }

  /// q~ of one block of 32 dimensions of one row: plain products, two at a time.
  __device__ __forceinline__ void fold_plain(int block, int stage_row, int query_row, int slot) const {
    uint4 product[4];
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const uint4 q = load_shared_4(query_chunk(query_row, 4 * block + x));
      const uint4 k = load_shared_4(key_chunk(slot, 4 * block + x));
      product[x] = make_uint4(multiply_bf16x2(q.x, k.x), multiply_bf16x2(q.y, k.y), multiply_bf16x2(q.z, k.z),
                              multiply_bf16x2(q.w, k.w));
    }
    const std::uint32_t out = memory + L::kStage + stage_row * L::kRowBytes;
    constexpr int kDim = kConfig.head_dim;
    store_shared_4(out + stage_chunk<kDim>(stage_row, 0, block), product[0].x, product[1].x, product[2].x, product[3].x);
    store_shared_4(out + stage_chunk<kDim>(stage_row, 1, block), product[0].y, product[1].y, product[2].y, product[3].y);
    store_shared_4(out + stage_chunk<kDim>(stage_row, 2, block), product[0].z, product[1].z, product[2].z, product[3].z);
    store_shared_4(out + stage_chunk<kDim>(stage_row, 3, block), product[0].w, product[1].w, product[2].w, product[3].w);
  }

  /// The same in fp32 with bias, sign and either form. kBlock is a constant so that every chunk of 3 is known.
  template <int kBlock, bool kDeterminant>
  __device__ __forceinline__ void fold_general(int stage_row, int query_row, int slot) const {
    const std::uint32_t out = memory + L::kStage + stage_row * L::kRowBytes;
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {       // 16 dimensions: two words for each lane of the quad that reads them
      std::uint32_t word[2][4];
#pragma unroll
      for (int x = 0; x < 2; ++x) {
        constexpr int kDim = kConfig.head_dim;
        const int chunk = 4 * kBlock + 2 * pair + x;   // 8 dimensions from 8 * chunk on
        std::uint32_t q[6], k[6];                      // words -1 .. 4 of the chunk
        const uint4 qc = load_shared_4(query_chunk(query_row, chunk));
        const uint4 kc = load_shared_4(key_chunk(slot, chunk));
        q[1] = qc.x, q[2] = qc.y, q[3] = qc.z, q[4] = qc.w;
        k[1] = kc.x, k[2] = kc.y, k[3] = kc.z, k[4] = kc.w;
        q[0] = k[0] = q[5] = k[5] = 0;
        if (kDeterminant && chunk > 0) {
          q[0] = load_shared_1(query_chunk(query_row, chunk - 1) + 12);
          k[0] = load_shared_1(key_chunk(slot, chunk - 1) + 12);
        }
        if (kDeterminant && chunk < kDim / 8 - 1) {
          q[5] = load_shared_1(query_chunk(query_row, chunk + 1));
          k[5] = load_shared_1(key_chunk(slot, chunk + 1));
        }
        const auto query = [&](int d) {                // dimension d, from -2 to 9, of the chunk
          const std::uint32_t w = q[(d + 2) >> 1];
          return p.sign * (d & 1 ? high_bf16(w) : low_bf16(w));
        };
        const auto key = [&](int d) {
          const std::uint32_t w = k[(d + 2) >> 1];
          return (d & 1 ? high_bf16(w) : low_bf16(w)) + p.key_bias;
        };
        const auto folded = [&](int d) -> float {
          if constexpr (!kDeterminant) return query(d) * key(d);
          const int dimension = 8 * chunk + d;
          if (dimension >= kDim / 3 * 3) return 0.0f;
          const int a = dimension % 3 == 2 ? d - 2 : d + 1;
          const int b = dimension % 3 == 0 ? d + 2 : d - 1;
          return key(a) * query(b) - key(b) * query(a);
        };
#pragma unroll
        for (int c = 0; c < 4; ++c) word[x][c] = pack_bf16x2(folded(2 * c), folded(2 * c + 1));
      }
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        store_shared_2(out + stage_chunk<kConfig.head_dim>(stage_row, c, kBlock) + 8 * pair, word[0][c], word[1][c]);
      }
    }
  }

  /// Virtual queries of a warpgroup's rows for the step at offset t. Units of 32 rows x 32 dimensions are dealt to the warps.
  template <int kBlock, typename Fold>
  __device__ __forceinline__ void fold_block(int warpgroup, int t, const Fold& fold) const {
    const int offset = t % p.ring_rows;
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      if ((2 * kBlock + half) % kFoldingWarps != warp) continue;
      const int stage_row = warpgroup * 64 + half * 32 + lane;
      int slot = static_cast<int>(load_shared_u16(memory + L::kRowSlots + stage_row * 2)) - offset;
      if (slot < 0) slot += p.ring_rows;
      fold(stage_row, stage_row & (L::kQueryRows - 1), slot);
    }
  }

  template <int kBlock>
  __device__ __forceinline__ void fold_from(int warpgroup, int t) const {
    if (p.determinant) {
      fold_block<kBlock>(warpgroup, t, [&](int v, int r, int slot) { fold_general<kBlock, true>(v, r, slot); });
    } else if (p.key_bias != 0.0f || p.sign < 0.0f) {
      fold_block<kBlock>(warpgroup, t, [&](int v, int r, int slot) { fold_general<kBlock, false>(v, r, slot); });
    } else {
      fold_block<kBlock>(warpgroup, t, [&](int v, int r, int slot) { fold_plain(kBlock, v, r, slot); });
    }
    if constexpr (kBlock + 1 < kBlocks) fold_from<kBlock + 1>(warpgroup, t);
  }

  /// Until the CTA's items are done.
  __device__ __forceinline__ void run() const {
    const Barriers barriers{memory + L::kBarriers};
    const int span = p.positions + L::kStepsPerStage - 1;  // short-axis rows in use at one step
    int stages = 0, passes = 0, items_done = 0;
    for (int index = blockIdx.x; index < p.items; index += gridDim.x, ++items_done) {
      const WorkItem item = work_item<kConfig.tile_keys, L::kStepsPerStage>(p, index);
      const int chunks = (item.tiles + kResidentTiles - 1) / kResidentTiles;
      for (int pass = 0; pass < chunks; ++pass, ++passes) {
        // The first stage of a pass rewrites ratios of rows that the previous pass used.
        if (passes > 0) barrier_wait(barriers.pass_done(), (passes - 1) & 1);
        const int first_step = pass == 0 ? 0 : 1;          // a pass begins where the previous one ended
        for (int step = first_step; step < item.steps; ++step, ++stages) {
          const int t = step_offset(pass, step, item.steps, L::kStepsPerStage);
          const int direction = pass & 1 ? -L::kStepsPerStage : L::kStepsPerStage;
          const int top = item.position + p.positions - 1 - t;
          const int lowest = item.position - t - (L::kStepsPerStage - 1);
          if (step == first_step) {
            wait_slots(stages);
            write_rows(item, top, span, direction);
          } else {
            write_step(item, pass & 1 ? top : lowest + L::kStepsPerStage - 1, direction, stages);
          }
          if constexpr (kConfig.fold_ahead) {
            named_barrier_sync(kFoldingBarrier, kFoldingWarps * 32);
            if (pass == 0 && step == 0) barrier_wait(barriers.full_query(0), items_done & 1);
            for (int warpgroup = 0; warpgroup < kConsumerWarpgroups; ++warpgroup) {
              if (warpgroup == 1 && stages > 0) barrier_wait(barriers.empty_stage(1), (stages - 1) & 1);
              fold_from<0>(warpgroup, t);
              __syncwarp();
              if (lane == 0) barrier_arrive(barriers.full_stage(warpgroup));
            }
          } else {
            __syncwarp();
            if (lane == 0) barrier_arrive(barriers.full_stage(stages % kStagesAhead));
          }
        }
      }
      if constexpr (kConfig.fold_ahead) {
        // The query buffer is free once every stage of the item is made.
        __syncwarp();
        if (lane == 0) barrier_arrive(barriers.empty_query(0));
      }
    }
  }
};

}  // namespace triscope::hopper
