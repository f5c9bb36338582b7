// Role: three warps that bring the short axis in.
//
// For each step they write the step's new short-axis rows to a ring in shared memory: the key, in the order in which
// consumer lanes read it (fp32 with its bias where the product is a biased one), and the value as ratios to the
// previous step's value. Where a pass turns round, the rows and their keys stay, and each ratio is the reciprocal of
// its neighbour's. Before an item's first step these warps also prepare its q in place: half instances, to fp16; cross
// instances, in the order of the cross products (virtual_query.cuh).
#pragma once

#include <math_constants.h>

#include "kernels/cuda/hopper/common/ring.hpp"
#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/forward/barriers.cuh"
#include "kernels/cuda/hopper/forward/work_item.hpp"

namespace triscope::hopper {

/// Values that ratios hold: the quotient of any two, and its products with weights, stay inside fp32.
inline constexpr float kSmallestValue = 0x1p-60f, kLargestValue = 0x1p60f;

/// `x`, but at least 2^-60 from 0; NaN stays.
__device__ __forceinline__ float away_from_zero(float x) {
  const int size = max(__float_as_int(fabsf(x)), __float_as_int(kSmallestValue));  // as integers: NaN is the largest
  return copysignf(__int_as_float(size), x);
}

/// What stands for the value `x` in ratios. 0 is taken for 2^-60, so that no ratio is infinite: the change of o is
/// below 1e-18 of the other terms' scale. What ratios do not hold, infinity and NaN among it, becomes NaN: the rows
/// that see it are then not finite, and are computed again (repair.cuh). A window of one step has no ratios: there,
/// what is nearer to 0 than 2^-60 is taken for 2^-60.
__device__ __forceinline__ float value_in_ratios(float x) {
  const float far = away_from_zero(x);
  return fabsf(x) > kLargestValue || (x != 0.0f && far != x) ? CUDART_NAN_F : far;
}

template <TileConfig kConfig>
struct ShortAxis {
  using L = Layout<kConfig>;
  static constexpr int kLaneWords = kConfig.head_dim / 64;  // 32-bit words of a row that one lane moves
  static constexpr int kTailDim = 24 * L::kCrossBlocks;     // cross: first dimension of the tail

  /// One row of the short axis on its way to the ring.
  struct Row {
    std::uint32_t key[kLaneWords], value[kLaneWords], previous[kLaneWords];
    std::uint32_t tail;  // cross: the dimension of the key that this lane brings to the tail
  };

  const ForwardParameters& p;
  std::uint32_t memory;
  int warp;  // 0 .. kShortAxisWarps - 1
  int lane;
  const __nv_bfloat16* keys = nullptr;  // of the item's batch and kv head: row 0
  const __nv_bfloat16* values = nullptr;
  int item_position = 0;
  std::uint32_t
      element_offset[kLaneWords];  // cross: where the two dimensions of each of this lane's words go in a ring key
  int tail_dim,
      tail_offset;  // cross: source and destination of its number of the tail; no source (-1): 0; no destination: -1

  __device__ __forceinline__ ShortAxis(const ForwardParameters& parameters, std::uint32_t memory_start, int warp_number,
                                       int lane_number)
      : p(parameters), memory(memory_start), warp(warp_number), lane(lane_number) {
    if constexpr (L::kCross) {
#pragma unroll
      for (int n = 0; n < kLaneWords; ++n) {
        const int d = 2 * (lane * kLaneWords + n);
        element_offset[n] = block_offset(d) | block_offset(d + 1) << 16;
      }
      // Number i of quad lane c: operands a (i < 2) and b of dimensions 2 c and 2 c + 1 of tail word lane / 16.
      const int c = lane >> 2 & 3, i = lane & 3;
      const int d = kTailDim + (lane >> 4) * 8 + 2 * c + (i & 1);
      tail_dim = d >= kConfig.head_dim / 3 * 3 ? -1 : i < 2 ? cross_a(d) : cross_b(d);
      tail_offset = lane < 16 * L::kTailWords ? number_offset(6 * L::kCrossBlocks + (lane >> 4) * 4 + i, c) : -1;
    }
  }

  /// Byte offset in a ring key of number `f` (two numbers a word, or one if the keys are wide) of lane `c`.
  static __device__ __forceinline__ int number_offset(int f, int c) {
    return L::kWideKeys ? key_offset(f, c) : key_offset(f >> 1, c) + 2 * (f & 1);
  }
  /// The same of dimension `d` of a block: coordinate j of chunk `half` of lane c.
  static __device__ __forceinline__ std::uint32_t block_offset(int d) {
    const int in_block = d % 24, c = in_block / 6, half = in_block % 6 / 3, j = in_block % 3;
    return static_cast<std::uint32_t>(number_offset(6 * (d / 24) + 2 * j + half, c));
  }

  __device__ __forceinline__ std::uint32_t slot_address(std::uint32_t slot_offset) const {
    return memory + L::kRing + slot_offset;
  }
  /// Byte offset in the ring of short-axis row `row`.
  __device__ __forceinline__ std::uint32_t slot_of(int row) const {
    return static_cast<std::uint32_t>(ring_slot(row - item_position, p.ring_rows) * L::kSlotBytes);
  }

  /// Makes `item` the one whose rows are loaded.
  __device__ __forceinline__ void begin_item(const WorkItem& item) {
    const std::int64_t first =
        (static_cast<std::int64_t>(item.batch) * p.seq_len * p.kv_heads + item.kv_head) * kConfig.head_dim;
    keys = p.ring_key + first;
    values = p.short_value + first;
    item_position = item.position;
  }
  /// Where short-axis row `row`, clamped into the sequence, begins behind `keys` and `values`.
  __device__ __forceinline__ std::int64_t row_offset(int row) const {
    return static_cast<std::int64_t>(min(max(row, 0), p.seq_len - 1)) * (p.kv_heads * kConfig.head_dim);
  }
  __device__ __forceinline__ void load_words(const __nv_bfloat16* row, std::uint32_t (&words)[kLaneWords]) const {
    const std::uint32_t* source = reinterpret_cast<const std::uint32_t*>(row) + lane * kLaneWords;
    if constexpr (kLaneWords == 2) {
      const uint2 pair = __ldg(reinterpret_cast<const uint2*>(source));
      words[0] = pair.x;
      words[1] = pair.y;
    } else {
      words[0] = __ldg(source);
    }
  }
  /// Fetches row `row`; `direction` leads from it to the row of the step before.
  __device__ __forceinline__ Row load_row(int row, int direction) const {
    Row result;
    const std::int64_t offset = row_offset(row);
    load_words(keys + offset, result.key);
    load_words(values + offset, result.value);
    load_words(values + row_offset(row + direction), result.previous);
    if constexpr (L::kCross) {
      const auto* key = reinterpret_cast<const unsigned short*>(keys + offset);
      result.tail = tail_dim < 0 ? 0u : __ldg(key + tail_dim);
    }
    return result;
  }

  /// The number that a bf16 key element stands for in a ring with wide keys.
  __device__ __forceinline__ float wide(float x) const { return p.sign * (x + p.key_bias); }

  __device__ __forceinline__ void store_key(std::uint32_t slot, const Row& row) const {
    const std::uint32_t address = slot_address(slot), flip = p.sign < 0.0f ? 0x80008000u : 0u;
#pragma unroll
    for (int n = 0; n < kLaneWords; ++n) {
      const int w = lane * kLaneWords + n;
      const std::uint32_t word = row.key[n] ^ flip;
      if constexpr (bf16_of(kConfig.product) == Product::plain) {
        store_shared_1(address + fragment_offset(w), word);
      } else if constexpr (kConfig.product == Product::biased) {
        store_shared_float2(address + key_offset(2 * (w >> 2), w & 3), wide(low_bf16(row.key[n])),
                            wide(high_bf16(row.key[n])));
      } else if (2 * w < kTailDim) {
        const std::uint32_t low = address + (element_offset[n] & 0xFFFFu), high = address + (element_offset[n] >> 16);
        if constexpr (L::kWideKeys) {
          store_shared_1(low, __float_as_uint(wide(low_bf16(row.key[n]))));
          store_shared_1(high, __float_as_uint(wide(high_bf16(row.key[n]))));
        } else {
          store_shared_u16(low, word);
          store_shared_u16(high, word >> 16);
        }
      }
    }
    if constexpr (L::kCross) {
      if (tail_offset < 0) return;
      if constexpr (L::kWideKeys) {
        store_shared_1(address + tail_offset, tail_dim < 0 ? 0u : __float_as_uint(wide(low_bf16(row.tail))));
      } else {
        store_shared_u16(address + tail_offset, tail_dim < 0 ? 0u : row.tail ^ flip);
      }
    }
  }

  /// Ratios previous / current, by which the accumulator is multiplied on arrival at `current`.
  __device__ __forceinline__ void store_ratio(std::uint32_t slot, const Row& row) const {
#pragma unroll
    for (int w = 0; w < kLaneWords; ++w) {
      const float low = value_in_ratios(low_bf16(row.previous[w]) + p.value_bias) *
                        fast_reciprocal(value_in_ratios(low_bf16(row.value[w]) + p.value_bias));
      const float high = value_in_ratios(high_bf16(row.previous[w]) + p.value_bias) *
                         fast_reciprocal(value_in_ratios(high_bf16(row.value[w]) + p.value_bias));
      store_shared_float2(slot_address(slot) + L::kKeyBytes + ratio_offset(2 * (lane * kLaneWords + w)), low, high);
    }
  }
  __device__ __forceinline__ void store_row(std::uint32_t slot, const Row& row) const {
    store_key(slot, row);
    store_ratio(slot, row);
  }

  /// The ring slot after `n` rows down from the one at `slot` (byte offsets; n at most ring_rows).
  __device__ __forceinline__ std::uint32_t slot_below(std::uint32_t slot, int n) const {
    const std::uint32_t below = slot - static_cast<std::uint32_t>(n * L::kSlotBytes);
    return min(below, below + static_cast<std::uint32_t>(p.ring_rows * L::kSlotBytes));
  }

  /// Rows `top`, `top` - 1, ... (`count` of them) go to the ring, written by `warps` warps of which this is number
  /// `first`. All of them are under way at once: each lands raw in its own slot (key, value, previous value) and is
  /// then rewritten there by the warp that copied it.
  __device__ __forceinline__ void write_rows(int top, int count, int direction, int first, int warps) const {
    static_assert(L::kKeyBytes >= L::kRowBytes && L::kRatioRowBytes >= 2 * L::kRowBytes, "a raw row fits its slot");
    const std::uint32_t top_slot = slot_of(top - first);
    const int step = warps % p.ring_rows;
    std::uint32_t slot = top_slot;
#pragma unroll 1
    for (int n = first; n < count; n += warps, slot = slot_below(slot, step)) {
      const int element = lane * 2 * kLaneWords;
      const std::uint32_t key = slot_address(0) + slot + 2 * element, value = key + L::kKeyBytes;
      const std::int64_t offset = row_offset(top - n) + element;
      copy_words<kLaneWords>(key, keys + offset);
      copy_words<kLaneWords>(value, values + offset);
      copy_words<kLaneWords>(value + L::kRowBytes, values + row_offset(top - n + direction) + element);
    }
    wait_copies();
    __syncwarp();
    slot = top_slot;
#pragma unroll 1
    for (int n = first; n < count; n += 2 * warps) {
      const std::uint32_t second = slot_below(slot, step);
      const bool pair = n + warps < count;
      Row row[2];
      read_raw(slot, row[0]);
      if (pair) read_raw(second, row[1]);
      __syncwarp();
      store_row(slot, row[0]);
      if (pair) store_row(second, row[1]);
      slot = slot_below(second, step);
    }
  }
  __device__ __forceinline__ void read_raw(std::uint32_t slot, Row& row) const {
    const std::uint32_t key = slot_address(0) + slot, value = key + L::kKeyBytes;
    read_words(key, row.key);
    read_words(value, row.value);
    read_words(value + L::kRowBytes, row.previous);
    if constexpr (L::kCross) row.tail = tail_dim < 0 ? 0u : load_shared_u16(key + 2 * tail_dim);
  }
  __device__ __forceinline__ void read_words(std::uint32_t row, std::uint32_t (&words)[kLaneWords]) const {
    if constexpr (kLaneWords == 2) {
      const uint2 pair = load_shared_2(row + 8 * lane);
      words[0] = pair.x, words[1] = pair.y;
    } else {
      words[0] = load_shared_1(row + 4 * lane);
    }
  }

  /// Ratios of the `count` rows that end at `top` for a pass in the other direction. `direction` leads, as ever, from a
  /// row to the row r' of the step before; until now the ratio of r' led from this row to r', and the new one is its
  /// reciprocal. Rows that follow each other along `direction` are one thread's, and each is read before it is
  /// overwritten.
  __device__ __forceinline__ void turn_ratios(int top, int count, int direction) const {
    constexpr int kRowThreads = kConfig.head_dim / 4, kAtOnce = 2;
    const int thread = warp * 32 + lane, chain = thread / kRowThreads;
    if (chain >= L::kStepsPerStage) return;
    const int first = direction > 0 ? top - count + 1 + chain : top - chain;
    const std::uint32_t ratios = slot_address(0) + L::kKeyBytes + thread % kRowThreads * 16;
    const std::uint32_t ring_bytes = static_cast<std::uint32_t>(p.ring_rows * L::kSlotBytes);
    const std::uint32_t step = static_cast<std::uint32_t>(direction * L::kSlotBytes);
    const std::uint32_t wrapped_step = direction > 0 ? step - ring_bytes : step + ring_bytes;
    std::uint32_t slot = slot_of(first);
#pragma unroll 1
    for (int n = chain; n < count; n += kAtOnce * L::kStepsPerStage) {
      std::uint32_t from[kAtOnce];
      float4 old[kAtOnce];
#pragma unroll
      for (int x = 0; x < kAtOnce; ++x) {
        from[x] = slot;
        slot = min(slot + step, slot + wrapped_step);
        old[x] = load_shared_float4(ratios + slot);
      }
#pragma unroll
      for (int x = 0; x < kAtOnce; ++x) {
        if (n + x * L::kStepsPerStage >= count) break;
        store_shared_float4(ratios + from[x], fast_reciprocal(old[x].x), fast_reciprocal(old[x].y),
                            fast_reciprocal(old[x].z), fast_reciprocal(old[x].w));
      }
    }
  }

  /// Waits until the consumers have left the ring slots that stage number `stages` overwrites.
  __device__ __forceinline__ void wait_slots(int stages) const {
    const Barriers barriers{memory + L::kBarriers};
    if (stages >= kStagesAhead) {
      wait_phase(barriers.empty_stage(stages % kStagesAhead), stages / kStagesAhead - 1);
    }
  }

  /// Waits until the consumers have left the ring rows of the CTA's item number `item`, whose last pass was number
  /// `pass`: the next item's first stage rewrites them. A pass of one step has no stage, except an item's first: the
  /// consumers may then be any number of passes ahead, which the parity of pass_done does not tell. Their last arrival
  /// for an item is empty_query.
  __device__ __forceinline__ void wait_item(int item, int pass) const {
    const Barriers barriers{memory + L::kBarriers};
    if (p.short_window <= L::kStepsPerStage) {
      wait_phase(barriers.empty_query(item % L::kQueryBuffers), item / L::kQueryBuffers);
    } else {
      wait_phase(barriers.pass_done(), pass);
    }
  }

  /// The same as write_rows for one step's new rows (`kStepsPerStage` of them), fetched before their slots are free.
  /// The warps take turns, so that none of them, and no scheduler, falls behind.
  __device__ __forceinline__ void write_step(int top, int direction, int stages) const {
    const int turn = (warp + stages) % kShortAxisWarps, row = top - turn;
    Row words;
    if (turn < L::kStepsPerStage) words = load_row(row, direction);
    wait_slots(stages);
    if (turn < L::kStepsPerStage) store_row(slot_of(row), words);
  }

  /// Address of the 16-byte part `part` of query row `row` (128-byte swizzle).
  __device__ __forceinline__ std::uint32_t query_part(int buffer, int row, int part) const {
    return memory + L::kQuery + buffer * L::kQueryBytes + (part >> 3) * L::kQueryHalfBytes + row * 128 +
           (((part & 7) ^ (row & 7)) << 4);
  }

  /// The q of one item: to fp16 (half), and into the order of cross products. The copy engine overwrites what is
  /// written here: hence the fence.
  __device__ __forceinline__ void prepare_query(int buffer, int kv_head) const {
    const __nv_bfloat16* scale = p.query_scale + kv_head * kConfig.head_dim;
    if constexpr (L::kCross) {
      reorder_query(buffer, scale);
    } else {
      constexpr int kParts = kConfig.head_dim / 8, kRowsAtOnce = kShortAxisWarps * 32 / kParts;
      const int thread = warp * 32 + lane, part = thread % kParts;
      const uint4 factors = load_scale(scale, part);
#pragma unroll 1
      for (int row = thread / kParts; row < L::kQueryRows; row += 2 * kRowsAtOnce) {
        const int next = min(row + kRowsAtOnce, L::kQueryRows - 1);  // beyond the last: read, not written
        const std::uint32_t first = query_part(buffer, row, part), second = query_part(buffer, next, part);
        uint4 q[2] = {load_shared_4(first), load_shared_4(second)};
        to_half(q[0], factors);
        store_shared_4(first, q[0].x, q[0].y, q[0].z, q[0].w);
        if (row + kRowsAtOnce >= L::kQueryRows) break;
        to_half(q[1], factors);
        store_shared_4(second, q[1].x, q[1].y, q[1].z, q[1].w);
      }
    }
    fence_async_proxy();
  }

  static __device__ __forceinline__ uint4 load_scale(const __nv_bfloat16* scale, int part) {
    return __ldg(reinterpret_cast<const uint4*>(scale) + part);
  }
  /// 16 bytes of q times `scale`, as fp16. NaN where a number is beyond the range (half_operands.cuh): from 2^10 on,
  /// or, where two products are added up, 2^9. Then no score of the row is finite, and it is computed again
  /// (repair.cuh).
  static __device__ __forceinline__ void to_half(uint4& q, const uint4& scale) {
    q = make_uint4(scaled_to_half(q.x, scale.x), scaled_to_half(q.y, scale.y), scaled_to_half(q.z, scale.z),
                   scaled_to_half(q.w, scale.w));
    constexpr std::uint32_t kToSign = L::kCross ? 0x20002000u : 0x1C001C00u;  // carries such exponents to the sign
    const auto carry = [](std::uint32_t pair) { return (pair & 0x7FFF7FFFu) + kToSign; };
    if (((carry(q.x) | carry(q.y) | carry(q.z) | carry(q.w)) & 0x80008000u) != 0) q.x = q.y = q.z = q.w = 0x7FFF7FFFu;
  }

  __device__ __forceinline__ void reorder_query(int buffer, const __nv_bfloat16* scale) const {
    constexpr int kTasks = L::kCrossBlocks + 1;
#pragma unroll 1
    for (int n = warp * 32 + lane; n < L::kQueryRows * kTasks; n += kShortAxisWarps * 32) {
      const int row = n % L::kQueryRows, block = n / L::kQueryRows;
      if (block == L::kCrossBlocks) {
        if constexpr (L::kHalf) tail_to_half(buffer, row, scale);
        split_tail(buffer, row);
        continue;
      }
      uint4 in[3], out[3];
#pragma unroll
      for (int x = 0; x < 3; ++x) in[x] = load_shared_4(query_part(buffer, row, 3 * block + x));
      if constexpr (L::kHalf) {
#pragma unroll
        for (int x = 0; x < 3; ++x) to_half(in[x], load_scale(scale, 3 * block + x));
      }
      reorder_block(in, out);
#pragma unroll
      for (int x = 0; x < 3; ++x)
        store_shared_4(query_part(buffer, row, 3 * block + x), out[x].x, out[x].y, out[x].z, out[x].w);
    }
  }

  __device__ __forceinline__ void tail_to_half(int buffer, int row, const __nv_bfloat16* scale) const {
#pragma unroll 1
    for (int part = 3 * L::kCrossBlocks; part < kConfig.head_dim / 8; ++part) {
      const std::uint32_t address = query_part(buffer, row, part);
      uint4 q = load_shared_4(address);
      to_half(q, load_scale(scale, part));
      store_shared_4(address, q.x, q.y, q.z, q.w);
    }
  }

  /// Replaces the tail of a query row by its operands a; writes its operands b to Layout::kTails.
  __device__ __forceinline__ void split_tail(int buffer, int row) const {
    constexpr int kPart = kTailDim / 8, kCount = L::kTailWords;
    std::uint32_t q[4 * kCount + 1];
#pragma unroll
    for (int x = 0; x < kCount; ++x) {
      const uint4 words = load_shared_4(query_part(buffer, row, kPart + x));
      q[4 * x] = words.x, q[4 * x + 1] = words.y, q[4 * x + 2] = words.z, q[4 * x + 3] = words.w;
    }
    const auto element = [&](int d) {
      return d >= kConfig.head_dim / 3 * 3 - kTailDim ? 0u : (q[d >> 1] >> (16 * (d & 1))) & 0xFFFFu;
    };
    const std::uint32_t tails = memory + L::kTails + buffer * L::kTailBytes + row * 16 * kCount;
#pragma unroll
    for (int x = 0; x < kCount; ++x) {
      std::uint32_t a[4], b[4];
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int d = 8 * x + 2 * c;
        a[c] = element(left_over(d) ? d : cross_a(d)) | element(left_over(d + 1) ? d + 1 : cross_a(d + 1)) << 16;
        b[c] = element(left_over(d) ? d : cross_b(d)) | element(left_over(d + 1) ? d + 1 : cross_b(d + 1)) << 16;
      }
      store_shared_4(query_part(buffer, row, kPart + x), a[0], a[1], a[2], a[3]);
      store_shared_4(tails + 16 * x, b[0], b[1], b[2], b[3]);
    }
  }
  /// True when dimension kTailDim + `d` belongs to no chunk.
  static __device__ __forceinline__ constexpr bool left_over(int d) { return d + kTailDim >= kConfig.head_dim / 3 * 3; }

  /// For a test: these warps rest behind every stage, as if they had no turns, so that the consumers get far ahead.
  static __device__ __forceinline__ void fall_behind() {
#ifdef TRISCOPE_SHORT_AXIS_RESTS
    for (int n = 0; n < TRISCOPE_SHORT_AXIS_RESTS; ++n) __nanosleep(100'000);
#endif
  }

  /// Short-axis rows in use at one step.
  __device__ __forceinline__ int span() const { return p.positions + L::kStepsPerStage - 1; }

  /// The rows of the first step of the CTA's first item, written by all its warps, which have nothing else to do yet.
  __device__ __forceinline__ void write_first_rows() {
    const WorkItem item = work_item<kConfig>(p, blockIdx.x);
    begin_item(item);
    write_rows(item.position + p.positions - 1, span(), L::kStepsPerStage, warp, kThreads / 32);
  }

  /// Half instances prepare q while the consumers are still at the item before, where there is a second buffer.
  static constexpr bool kQueryEarly = L::kHalf && L::kQueryBuffers == 2;

  /// Prepares the q of the CTA's item number `item`, when it has arrived.
  __device__ __forceinline__ void take_query(int item, int kv_head) const {
    const int buffer = item % L::kQueryBuffers;
    wait_phase(Barriers{memory + L::kBarriers}.full_query(buffer), item / L::kQueryBuffers);
    prepare_query(buffer, kv_head);
  }

  /// Until the CTA's items are done.
  __device__ __forceinline__ void run() {
    const Barriers barriers{memory + L::kBarriers};
    int stages = 0, passes = 0, items_done = 0;
    for (int index = blockIdx.x; index < p.items; index += gridDim.x, ++items_done) {
      const WorkItem item = work_item<kConfig>(p, index);
      begin_item(item);
      if constexpr (kQueryEarly) take_query(items_done, item.kv_head);
      const int chunks = (item.span.tiles + kConfig.resident_tiles - 1) / kConfig.resident_tiles;
      for (int pass = 0; pass < chunks; ++pass, ++passes) {
        const int first_step = pass == 0 ? 0 : 1;  // a pass begins where the previous one ended
        const int direction = pass & 1 ? -L::kStepsPerStage : L::kStepsPerStage;
        if (passes > 0 && pass == 0) wait_item(items_done - 1, passes - 1);
        for (int step = first_step; step < item.steps; ++step, ++stages) {
          const int t = step_offset(pass, step, item.steps, L::kStepsPerStage);
          const int top = item.position + p.positions - 1 - t;
          if (step > first_step) {
            write_step(pass & 1 ? top : item.position - t, direction, stages);
          } else {
            wait_slots(stages);
            if (pass == 0 && items_done > 0) write_rows(top, span(), direction, warp, kShortAxisWarps);
          }
          if constexpr (L::kPreparesQuery && !kQueryEarly) {
            if (pass == 0 && step == 0) take_query(items_done, item.kv_head);
          }
          __syncwarp();
          if (lane == 0) barrier_arrive(barriers.full_stage(stages % kStagesAhead));
          fall_behind();
          if (pass > 0 && step == first_step) {
            // The keys are there since the previous pass, which must have ended before its ratios are turned.
            wait_phase(barriers.pass_done(), passes - 1);
            turn_ratios(top, span(), direction);
            __syncwarp();
            if (lane == 0) barrier_arrive(barriers.turned());
          }
        }
      }
    }
  }
};

}  // namespace triscope::hopper
