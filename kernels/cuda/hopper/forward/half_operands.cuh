// Role: all threads of a launch in front of a half instance. They make both keys in fp16, and powers of two, so that
// nothing overflows and no result changes:
//
//   k1'_d = 2^a_d k1_d    k2'_d = 2^b_d k2_d    q'_d = 2^(t - a_d - b_d) q_d        q'_d k1'_d k2'_d = 2^t q_d k1_d
//   k2_d
//
// for each kv head, d a dimension (determinant: a chunk of 3, whose terms mix its dimensions); 2^t is the scale of the
// scores but for a factor of 2^-4 .. 2^-3 (query_exponent). Keys whose largest number of a dimension is in [1, 64) are
// taken as they are (a_d = 0): nearly all. Any other is brought to 4 .. 8. So |k'| < 64, and q' is in range below 2^10,
// or 2^9 where two products are added up. The half instance itself finds a row of q beyond that (short_axis.cuh); one
// dimension alone can then reach 64 nats (32), and the row is done on CUDA cores (repair.cuh), as all rows of far
// logits are. What is small loses bits below 2^-14: k', q' and q~' err by 2^-25 then, a logit by at most 2^-22 for each
// of them, but for keys beside the largest q~', 2^-12.
//
// One pass: keys are copied unscaled while the largest |key| of each dimension over a slab of positions is found, with
// a flag where it is not in [1, 64). All CTAs wait for one another. Only where there is a flag they look at the maxima
// of all positions, copy again what has to be scaled, and wait again. The word in_bf16 becomes 0, or 1 where a key is
// infinite, NaN, or so far from 1 that the powers of two are; then the same CTAs go on with the forward in bf16, and
// the half instance behind them returns at once.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/forward/config.hpp"
#include "kernels/cuda/hopper/forward/half_operands.hpp"
#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

/// Makes the operands. `kCross`: of cross products, whose tile keys are in their order (virtual_query.cuh).
template <int kHeadDim, bool kCross>
class MakeHalfOperands {
  static constexpr int kParts = kHeadDim / 8;  // 16 bytes each
  static constexpr int kTaskParts = kCross ? 3 : 1, kBlocks = kCross ? kHeadDim / 24 : 0;
  static constexpr int kTasks = kCross ? kBlocks + 1 : kParts;  // of a row; the last of cross products is the tail
  static constexpr int kTailParts = kParts - 3 * kBlocks;
  static constexpr int kRowsAtOnce = kThreads / kTasks, kUnrolled = kCross ? 2 : 6;
  static constexpr int kUnused = kCross ? kHeadDim % 3 : 0;  // dimensions that belong to no chunk
  static constexpr int kPairs = kHeadDim / 2, kGroups = kThreads / kHeadDim;
  static constexpr std::uint32_t kSmallest = 0x3F80, kTooLarge = 0x4280;  // 1 and 64 in bf16
  static constexpr int kLargestExponent = 100;                            // of 2^a, 2^b and 2^(a + b)
  static constexpr int kWantedExponent = 3;                               // of scaled keys: less than 2^3
  static_assert(kTasks * kRowsAtOnce <= kThreads && kThreads % kHeadDim == 0);

 public:
  struct Shared {
    std::uint32_t rows[2][kRowsAtOnce][kPairs];  ///< largest |key| of each thread, as pairs
    std::uint32_t groups[kGroups][kHeadDim];     ///< of both keys
    std::uint32_t largest[kHeadDim];
    float scale[2][kHeadDim];
  };

  __device__ __forceinline__ MakeHalfOperands(const ForwardParameters& p, Shared& shared) : p_(p), shared_(shared) {}

  /// All threads of the launch; true when all rows are to be made in bf16.
  __device__ __forceinline__ bool run() {
    const auto grid = cooperative_groups::this_grid();
    const int blocks = static_cast<int>(gridDim.x), units = p_.half.slabs * p_.kv_heads;
    for (int unit = blockIdx.x; unit < units; unit += blocks) copy_slab(unit);
    grid.sync();
    allow_next_kernel();
    const bool unusual = any_of(p_.half.flags, units);
    bool in_bf16 = false;
    if (unusual) {
      for (int unit = blockIdx.x; unit < units; unit += blocks) scale_slab(unit);
      grid.sync();
      in_bf16 = any_of(p_.half.misfits, units);
    } else {
      for (int unit = blockIdx.x; unit < p_.kv_heads; unit += blocks) {
        if (threadIdx.x < kHeadDim) store_query_scale(unit, threadIdx.x, is_unused(threadIdx.x) ? 0.0f : power(0));
      }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *p_.in_bf16 = in_bf16 ? 1 : 0;
    if (!in_bf16) return false;
    if constexpr (kCross) {
      reorder();
      grid.sync();
      asm volatile("fence.proxy.async.global;" ::: "memory");  // the copy engine reads what was written just now
    }
    return true;
  }

 private:
  struct Unit {
    int head, slab;
  };
  __device__ __forceinline__ Unit unit_of(int number) const { return {number % p_.kv_heads, number / p_.kv_heads}; }
  __device__ __forceinline__ std::int64_t rows() const { return static_cast<std::int64_t>(p_.batch) * p_.seq_len; }
  __device__ __forceinline__ std::int64_t row_parts() const { return static_cast<std::int64_t>(p_.kv_heads) * kParts; }
  static __device__ __forceinline__ bool is_unused(int d) { return d >= kHeadDim - kUnused; }
  __device__ __forceinline__ float power(int exponent) const {
    return __int_as_float((exponent + p_.half.query_exponent + 127) << 23);
  }
  __device__ __forceinline__ void store_query_scale(int head, int d, float scale) const {
    p_.half.query_scale[head * kHeadDim + d] = static_cast<std::uint16_t>(__float_as_uint(scale) >> 16);
  }
  static __device__ __forceinline__ bool any_of(const std::uint32_t* words, int count) {
    bool found = false;
    for (int n = static_cast<int>(threadIdx.x); n < count; n += kThreads) found |= __ldcg(words + n) != 0;
    return __syncthreads_or(found) != 0;
  }

  // --- rows of keys ------------------------------------------------------------------------------------------------

  /// A thread's parts of one row of a key: `count` of them from part `first`.
  struct Task {
    int first, count;
    bool is_block;
  };
  static __device__ __forceinline__ Task task_of(int number) {
    if (!kCross) return {number, 1, false};
    const bool is_block = number < kBlocks;
    return {3 * number, is_block ? 3 : kTailParts, is_block};
  }
  struct Keys {
    uint4 part[kTaskParts];
  };

  static __device__ __forceinline__ Keys load(const __nv_bfloat16* keys, std::int64_t place, const Task& task) {
    Keys result;
#pragma unroll
    for (int x = 0; x < kTaskParts; ++x) {
      if (x < task.count) result.part[x] = __ldg(reinterpret_cast<const uint4*>(keys) + place + x);
      // The dimensions that no chunk has are 0 in the tile.
      if (kUnused > 0 && !task.is_block && x == kTailParts - 1) result.part[x].w &= kUnused == 2 ? 0u : 0xFFFFu;
    }
    return result;
  }
  static __device__ __forceinline__ void take_larger(std::uint32_t (&largest)[4 * kTaskParts], const Keys& keys,
                                                     const Task& task) {
#pragma unroll
    for (int x = 0; x < kTaskParts; ++x) {
      if (x >= task.count) break;
      const std::uint32_t words[4] = {keys.part[x].x, keys.part[x].y, keys.part[x].z, keys.part[x].w};
#pragma unroll
      for (int n = 0; n < 4; ++n) largest[4 * x + n] = __vmaxu2(largest[4 * x + n], words[n] & 0x7FFF7FFFu);
    }
  }

  static __device__ __forceinline__ uint4 to_half(const uint4& x) {
    const auto pair = [](std::uint32_t word) { return pack_f16x2(low_bf16(word), high_bf16(word)); };
    return make_uint4(pair(x.x), pair(x.y), pair(x.z), pair(x.w));
  }
  static __device__ __forceinline__ uint4 to_half(const uint4& x, const float* scale) {
    return make_uint4(pack_f16x2(low_bf16(x.x) * scale[0], high_bf16(x.x) * scale[1]),
                      pack_f16x2(low_bf16(x.y) * scale[2], high_bf16(x.y) * scale[3]),
                      pack_f16x2(low_bf16(x.z) * scale[4], high_bf16(x.z) * scale[5]),
                      pack_f16x2(low_bf16(x.w) * scale[6], high_bf16(x.w) * scale[7]));
  }

  static __device__ __forceinline__ void store(void* to, std::int64_t place, const Keys& keys, const Task& task,
                                               bool reordered) {
    auto* parts = static_cast<uint4*>(to) + place;
    if (kCross && reordered && task.is_block) {
      uint4 out[3];
      const uint4 in[3] = {keys.part[0], keys.part[kTaskParts > 1 ? 1 : 0], keys.part[kTaskParts > 2 ? 2 : 0]};
      reorder_block(in, out);
#pragma unroll
      for (int x = 0; x < 3; ++x) parts[x] = out[x];
      return;
    }
#pragma unroll
    for (int x = 0; x < kTaskParts; ++x) {
      if (x < task.count) parts[x] = keys.part[x];
    }
  }

  /// Calls `action`(place, task, row is there) for every row of a slab that is this thread's, several at once.
  template <typename Load, typename Use>
  __device__ __forceinline__ void for_rows(const Unit& unit, const Load& load_row, const Use& use_row) const {
    const int thread = static_cast<int>(threadIdx.x), number = thread % kTasks;
    if (kTasks * kRowsAtOnce < kThreads && thread >= kTasks * kRowsAtOnce) return;
    const Task task = task_of(number);
    const std::int64_t count = rows(), step = static_cast<std::int64_t>(p_.half.slabs) * kRowsAtOnce;
    const std::int64_t parts = row_parts(), offset = unit.head * kParts + task.first;
#pragma unroll 1
    for (std::int64_t row = static_cast<std::int64_t>(unit.slab) * kRowsAtOnce + thread / kTasks; row < count;
         row += kUnrolled * step) {
      Keys keys[kUnrolled][2];
#pragma unroll
      for (int n = 0; n < kUnrolled; ++n) {
        if (row + n * step < count) load_row(keys[n], (row + n * step) * parts + offset, task);
      }
#pragma unroll
      for (int n = 0; n < kUnrolled; ++n) {
        if (row + n * step < count) use_row(keys[n], (row + n * step) * parts + offset, task);
      }
    }
  }

  /// Copies both keys of a slab to where the half instance reads them. `convert`(axis, keys, task) turns them to fp16.
  template <typename Convert>
  __device__ __forceinline__ void copy_keys(const Unit& unit, const Convert& convert) const {
    for_rows(
        unit,
        [&](Keys(&keys)[2], std::int64_t place, const Task& task) {
          keys[0] = load(p_.long_key, place, task);
          keys[1] = load(p_.short_key, place, task);
        },
        [&](Keys(&keys)[2], std::int64_t place, const Task& task) {
#pragma unroll
          for (int axis = 0; axis < 2; ++axis) convert(axis, keys[axis], task);
          store(p_.half.tile_key, place, keys[0], task, true);
          store(p_.half.ring_key, place, keys[1], task, false);
        });
  }

  // --- the first pass ----------------------------------------------------------------------------------------------

  __device__ __forceinline__ void copy_slab(int number) {
    const Unit unit = unit_of(number);
    std::uint32_t largest[2][4 * kTaskParts] = {};
    copy_keys(unit, [&](int axis, Keys& keys, const Task& task) {
      take_larger(largest[axis], keys, task);
#pragma unroll
      for (int x = 0; x < kTaskParts; ++x) {
        if (x < task.count) keys.part[x] = to_half(keys.part[x]);
      }
    });
    store_maxima(number, largest);
  }

  /// The largest of all threads to device memory, and whether any is unusual.
  __device__ __forceinline__ void store_maxima(int number, const std::uint32_t (&largest)[2][4 * kTaskParts]) {
    const int thread = static_cast<int>(threadIdx.x);
    const Task task = task_of(thread % kTasks);
    if (thread < kTasks * kRowsAtOnce) {
#pragma unroll
      for (int axis = 0; axis < 2; ++axis) {
#pragma unroll
        for (int n = 0; n < 4 * kTaskParts; ++n) {
          if (n < 4 * task.count) shared_.rows[axis][thread / kTasks][4 * task.first + n] = largest[axis][n];
        }
      }
    }
    __syncthreads();
    const int group = thread / kHeadDim, place = thread % kHeadDim;
    std::uint32_t all = 0;
#pragma unroll 8
    for (int row = group; row < kRowsAtOnce; row += kGroups)
      all = __vmaxu2(all, shared_.rows[place / kPairs][row][place % kPairs]);
    all = largest_of_groups(all);
    bool unusual = false;
    if (thread < kHeadDim) {
      p_.half.maxima[static_cast<std::int64_t>(number) * kHeadDim + place] = all;
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const std::uint32_t x = all >> (16 * n) & 0xFFFFu;
        unusual |= (x < kSmallest || x >= kTooLarge) && !is_unused(2 * (place % kPairs) + n);
      }
    }
    const bool flag = __syncthreads_or(unusual) != 0;
    if (thread == 0) p_.half.flags[number] = flag ? 1 : 0;
  }

  /// Threads place, place + head_dim, ...: the largest of them, in the first.
  __device__ __forceinline__ std::uint32_t largest_of_groups(std::uint32_t all) {
    const int group = static_cast<int>(threadIdx.x) / kHeadDim, place = static_cast<int>(threadIdx.x) % kHeadDim;
    shared_.groups[group][place] = all;
    __syncthreads();
#pragma unroll
    for (int n = 1; n < kGroups; ++n) all = __vmaxu2(all, shared_.groups[n][place]);
    return all;
  }

  // --- keys beyond [1, 64) -----------------------------------------------------------------------------------------

  /// Largest |key| of dimension `d` and of all that share its scale.
  __device__ __forceinline__ std::uint32_t largest(int axis, int d) const {
    return shared_.largest[axis * kPairs + d / 2] >> (16 * (d & 1)) & 0xFFFFu;
  }
  __device__ __forceinline__ std::uint32_t shared_largest(int axis, int d) const {
    if (!kCross || is_unused(d)) return largest(axis, d);
    const int chunk = d / 3 * 3;
    return max(largest(axis, chunk), max(largest(axis, chunk + 1), largest(axis, chunk + 2)));
  }

  /// Sets the scales of dimension `d`. False where there are none.
  __device__ __forceinline__ bool set_scales(const Unit& unit, int d) {
    int exponents[2];
    bool fits = true, empty = is_unused(d);
#pragma unroll
    for (int axis = 0; axis < 2; ++axis) {
      const std::uint32_t x = shared_largest(axis, d);
      const bool usual = x == 0 || (x >= kSmallest && x < kTooLarge) || is_unused(d);
      exponents[axis] = usual ? 0 : kWantedExponent - (static_cast<int>(x >> 7) - 126);  // x < 2^((x >> 7) - 126)
      fits &= abs(exponents[axis]) <= kLargestExponent;
      empty |= x == 0;
      shared_.scale[axis][d] = __int_as_float((fits ? exponents[axis] + 127 : 127) << 23);
    }
    const int sum = exponents[0] + exponents[1];
    fits &= abs(sum) <= kLargestExponent;
    if (unit.slab == 0) store_query_scale(unit.head, d, empty || !fits ? 0.0f : power(-sum));
    return fits;
  }

  __device__ __forceinline__ void scale_slab(int number) {
    const Unit unit = unit_of(number);
    const int thread = static_cast<int>(threadIdx.x), group = thread / kHeadDim, place = thread % kHeadDim;
    std::uint32_t all = 0;
#pragma unroll 8
    for (int slab = group; slab < p_.half.slabs; slab += kGroups)
      all = __vmaxu2(
          all, __ldcg(p_.half.maxima + (static_cast<std::int64_t>(slab) * p_.kv_heads + unit.head) * kHeadDim + place));
    all = largest_of_groups(all);
    if (thread < kHeadDim) shared_.largest[place] = all;
    __syncthreads();
    bool misfit = false, scaled = false;
    if (thread < kHeadDim) {
      misfit = !set_scales(unit, thread);
      scaled = shared_.scale[0][thread] != 1.0f || shared_.scale[1][thread] != 1.0f;
    }
    const bool any_misfit = __syncthreads_or(misfit) != 0, any_scaled = __syncthreads_or(scaled) != 0;
    if (thread == 0) p_.half.misfits[number] = any_misfit ? 1 : 0;
    if (any_scaled && !any_misfit) copy_again(unit);
    __syncthreads();
  }

  __device__ __forceinline__ void copy_again(const Unit& unit) {
    copy_keys(unit, [&](int axis, Keys& keys, const Task& task) {
#pragma unroll
      for (int x = 0; x < kTaskParts; ++x) {
        if (x < task.count) keys.part[x] = to_half(keys.part[x], shared_.scale[axis] + 8 * (task.first + x));
      }
    });
  }

  /// The long axis' keys in the order of cross products, in bf16.
  __device__ __forceinline__ void reorder() {
    for (int number = blockIdx.x; number < p_.half.slabs * p_.kv_heads; number += static_cast<int>(gridDim.x)) {
      for_rows(
          unit_of(number),
          [&](Keys(&keys)[2], std::int64_t place, const Task& task) { keys[0] = load(p_.long_key, place, task); },
          [&](Keys(&keys)[2], std::int64_t place, const Task& task) {
            store(p_.half.reordered, place, keys[0], task, true);
          });
    }
  }

  const ForwardParameters& p_;
  Shared& shared_;
};

}  // namespace triscope::hopper
