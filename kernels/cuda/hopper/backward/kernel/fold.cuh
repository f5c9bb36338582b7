// Virtual keys and values of a work item, made by the consumers before its first tile:
//
//   KK_r = fp16(k_long 2^a * k_short 2^b)   by dimension, or for the determinant k_long x k_short by chunk of three
//   VV_r = bf16(v_long * v_short 2^e)
#pragma once

#include "kernels/cuda/hopper/backward/kernel/memory.cuh"

namespace triscope::hopper::backward {

/// Address of the 16 bytes number `part` (eight dimensions) of row `row` in a tile of virtual keys.
template <int kHeadDim>
__device__ __forceinline__ std::uint32_t key_part(int row, int part) {
  return (part >> 3) * Layout<kHeadDim>::kKeyHalf + row * 128 + (((part & 7) ^ (row & 7)) << 4);
}

/// Where rows of one pair's long and short tensors begin, in elements. A row without a key gets that of a neighbour:
/// its probabilities are 0, so that it adds nothing, and no load or sum needs a condition. Code between items must be
/// short, because the main loop has driven it out of the instruction cache: 50 kB of it took 16,000 clocks.
class RowPlaces {
 public:
  __device__ __forceinline__ RowPlaces(const BackwardParameters& p, int pair) : stride_(p.kv_heads * p.head_dim) {
    const int batch = p.by_kv_heads.of(pair);
    first_ = (std::int64_t{batch} * p.seq_len * p.kv_heads + (pair - batch * p.kv_heads)) * p.head_dim;
  }
  __device__ __forceinline__ std::int64_t offset(int position) const {
    return first_ + std::int64_t{position} * stride_;
  }
  __device__ __forceinline__ std::int64_t long_row(int position, int end) const {
    return offset(min(max(position, 0), end));
  }

 private:
  int stride_;
  std::int64_t first_;
};

/// Rows of a work item that share their short position: rows r behind the first are long_row(begin + r, end).
struct RowBlock {
  int begin, end, short_position;
};

/// The same for rows of one work item.
class KeyRows : public RowPlaces {
 public:
  __device__ __forceinline__ KeyRows(const BackwardParameters& p, const WorkItem& item)
      : RowPlaces(p, item.pair),
        last_position_(p.seq_len - 1),
        next_key_(item.edge ? 1 : 0),
        next_start_(item.edge ? 1 : kSlotRows) {
    const OtherEnd other = other_end(p, item.both_ends, item.start);
    first_half_ = {item.key, item.key + item.start};
    second_half_ = {item.key + other.keys, item.key + item.start + other.keys + other.start};
    longest_ = item.edge ? p.short_window - 1 : p.column_end;
  }
  /// Of sixteen rows, the slot `slot`, from `row` on. `second`: whether they are in the second half of the work item.
  __device__ __forceinline__ RowBlock block(int slot, int row, bool second) const {
    const Half half = {second ? second_half_.key : first_half_.key, second ? second_half_.start : first_half_.start};
    const int key = half.key + slot * next_key_;
    return {half.start + slot * next_start_ + row, min(key + longest_, last_position_),
            min(max(key, 0), last_position_)};
  }

 private:
  struct Half {
    int key, start;
  };
  Half first_half_, second_half_;
  int longest_, last_position_;
  int next_key_, next_start_;  ///< from slot to slot: k, and the long position of the first row
};

/// Of what the same launch may have written (prepare.cuh): not __ldg. It may be moved as freely, but not before
/// `element` is known.
__device__ __forceinline__ uint4 load_16(const void* base, std::int64_t element) {
  uint4 v;
  asm("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(static_cast<const std::uint16_t*>(base) + element));
  return v;
}
/// Two elements.
__device__ __forceinline__ std::uint32_t load_pair(const void* base, std::int64_t element) {
  std::uint32_t v;
  asm("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(static_cast<const std::uint16_t*>(base) + element));
  return v;
}

__device__ __forceinline__ uint4 products_bf16(uint4 a, uint4 b) {
  return {multiply_bf16x2(a.x, b.x), multiply_bf16x2(a.y, b.y), multiply_bf16x2(a.z, b.z), multiply_bf16x2(a.w, b.w)};
}
__device__ __forceinline__ uint4 products_fp16(uint4 a, uint4 b) {
  return {multiply_fp16x2(a.x, b.x), multiply_fp16x2(a.y, b.y), multiply_fp16x2(a.z, b.z), multiply_fp16x2(a.w, b.w)};
}
__device__ __forceinline__ void store_16(std::uint32_t address, uint4 v) {
  store_shared_4(address, v.x, v.y, v.z, v.w);
}

/// The same number, opaque where registers are scarce: what is made of it is made anew. Otherwise ptxas keeps the
/// numbers of all of a thread's rows from item to item, in local memory. With head_dim 64 it has room for them, and
/// making them anew took 0.5 % longer (H200, 2026-11-29).
template <int kHeadDim>
__device__ __forceinline__ int renewed(int thread) {
  if constexpr (kHeadDim > 64) asm volatile("" : "+r"(thread));
  return thread;
}

/// What one thread contributes to the virtual keys and values of a work item, in registers: a 16-byte part of every
/// kRows-th row. It is read while the item before ends, so that nobody waits for it.
/// `kProducts`: keys are products by dimension, too (otherwise FoldedCross makes them).
template <int kHeadDim, bool kProducts>
class FoldedRows {
  using L = Layout<kHeadDim>;
  static constexpr int kParts = kHeadDim / 8, kRows = kConsumers / kParts, kCount = kTileKeys / kRows;

 public:
  /// `thread`: 0 .. kConsumers - 1.
  __device__ __forceinline__ void load_long(const BackwardParameters& p, const WorkItem& item, int thread) {
    const KeyRows rows(p, item);
    thread = renewed<kHeadDim>(thread);
#pragma unroll
    for (int n = 0; n < kCount; ++n) {
      const RowBlock block = rows.block(slot(thread, n), thread / kParts % kSlotRows, second(n));
      const std::int64_t row = rows.long_row(block.begin, block.end) + thread % kParts * 8;
      if constexpr (kProducts) long_key_[n] = load_16(p.scaled_long_key, row);
      long_value_[n] = load_16(p.long_value, row);
    }
  }
  /// The rows of a column share their short position; of an edge, each sixteen do.
  __device__ __forceinline__ void load_short(const BackwardParameters& p, const WorkItem& item, int thread) {
    const KeyRows rows(p, item);
    thread = renewed<kHeadDim>(thread);
    const auto load = [&](int n) {
      const int position = rows.block(slot(thread, n), 0, second(n)).short_position;
      const std::int64_t row = rows.offset(position) + thread % kParts * 8;
      if constexpr (kProducts) short_key_[n] = load_16(p.scaled_short_key, row);
      short_value_[n] = load_16(p.scaled_short_value, row);
    };
    load(0);
    if (item.edge) {
#pragma unroll
      for (int n = 1; n < kCount; ++n) load(n);
    } else {
#pragma unroll
      for (int n = 1; n < kCount; ++n) {
        if constexpr (kProducts) short_key_[n] = short_key_[0];
        short_value_[n] = short_value_[0];
      }
    }
  }
  __device__ __forceinline__ void store(std::uint32_t memory, int thread) const {
    thread = renewed<kHeadDim>(thread);
#pragma unroll
    for (int n = 0; n < kCount; ++n) {
      const std::uint32_t at = key_part<kHeadDim>(thread / kParts + kRows * n, thread % kParts);
      if constexpr (kProducts) store_16(memory + L::kKeys + at, products_fp16(long_key_[n], short_key_[n]));
      store_16(memory + L::kValues + at, products_bf16(long_value_[n], short_value_[n]));
    }
  }

 private:
  static __device__ __forceinline__ int slot(int thread, int n) {
    const int of_thread = kRows > kSlotRows ? thread / kParts / kSlotRows : 0;
    return of_thread + kRows / kSlotRows * n;
  }
  static __device__ constexpr bool second(int n) { return 2 * n >= kCount; }

  uint4 long_key_[kCount], short_key_[kCount], long_value_[kCount], short_value_[kCount];
};

/// Cross products of `kChunks` chunks of three in 16-byte parts; dimensions behind them are zero.
template <int kParts>
__device__ __forceinline__ void cross(const uint4 (&k1)[kParts], const uint4 (&k2)[kParts], uint4 (&out)[kParts]) {
  constexpr int kChunks = kParts * 8 / 3;
  float a[kParts * 8], b[kParts * 8], x[kParts * 8] = {};
#pragma unroll
  for (int n = 0; n < kParts * 4; ++n) {
    const float2 u = unpack_fp16x2((&k1[n / 4].x)[n % 4]), v = unpack_fp16x2((&k2[n / 4].x)[n % 4]);
    a[2 * n] = u.x, a[2 * n + 1] = u.y, b[2 * n] = v.x, b[2 * n + 1] = v.y;
  }
#pragma unroll
  for (int c = 0; c < kChunks * 3; c += 3) {
    x[c] = a[c + 1] * b[c + 2] - a[c + 2] * b[c + 1];
    x[c + 1] = a[c + 2] * b[c] - a[c] * b[c + 2];
    x[c + 2] = a[c] * b[c + 1] - a[c + 1] * b[c];
  }
#pragma unroll
  for (int n = 0; n < kParts * 4; ++n) (&out[n / 4].x)[n % 4] = pack_fp16x2(x[2 * n], x[2 * n + 1]);
}

/// The cross products of a work item that one thread makes: 24 dimensions (eight chunks) of a row each; the parts left
/// over (128 = 5 * 24 + 8, 64 = 2 * 24 + 16) are one more. Read while the item before ends, as FoldedRows.
template <int kHeadDim>
class FoldedCross {
  static constexpr int kParts = kHeadDim / 8, kWhole = kHeadDim / 24, kTasks = kWhole + 1;
  static constexpr int kLeft = kParts - 3 * kWhole;
  static constexpr int kCount = (kTileKeys * kTasks + kConsumers - 1) / kConsumers;

 public:
  __device__ __forceinline__ void load(const BackwardParameters& p, const WorkItem& item, int thread) {
    const KeyRows rows(p, item);
    thread = renewed<kHeadDim>(thread);
#pragma unroll
    for (int n = 0; n < kCount; ++n) {
      const int number = min(thread + n * kConsumers, kTileKeys * kTasks - 1), row = number / kTasks;
      const int part = 3 * (number - row * kTasks);
      const RowBlock block = rows.block(row / kSlotRows, row % kSlotRows, 2 * row >= kTileKeys);
      const std::int64_t long_row = rows.long_row(block.begin, block.end);
      const std::int64_t short_row = rows.offset(block.short_position);
#pragma unroll
      for (int x = 0; x < 3; ++x) {  // of what is left over the last part again
        const int column = 8 * min(part + x, kParts - 1);
        long_key_[n][x] = load_16(p.scaled_long_key, long_row + column);
        short_key_[n][x] = load_16(p.scaled_short_key, short_row + column);
      }
    }
  }
  __device__ __forceinline__ void store(std::uint32_t memory, int thread) const {
    const std::uint32_t keys = memory + Layout<kHeadDim>::kKeys;
    thread = renewed<kHeadDim>(thread);
#pragma unroll
    for (int n = 0; n < kCount; ++n) {
      const int number = min(thread + n * kConsumers, kTileKeys * kTasks - 1), row = number / kTasks;
      const int part = 3 * (number - row * kTasks);
      const bool rest = part == 3 * kWhole;
      uint4 products[3];
      cross<3>(long_key_[n], short_key_[n], products);
      if (rest) products[kLeft - 1].w &= kHeadDim % 3 == 2 ? 0 : 0xFFFF;  // dimensions behind the last chunk
#pragma unroll
      for (int x = 0; x < 3; ++x) {
        if (x < kLeft || !rest) store_16(keys + key_part<kHeadDim>(row, part + x), products[x]);
      }
    }
  }

 private:
  uint4 long_key_[kCount][3], short_key_[kCount][3];
};

}  // namespace triscope::hopper::backward
