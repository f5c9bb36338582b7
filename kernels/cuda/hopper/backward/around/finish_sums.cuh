// Sums of the Hopper backward, scaled back, become gradients. By blocks of one launch, any number of them.
//
//   virtual keys     dq            fp16, eight rows (heads of one position) of half of head_dim as the fragments of an
//                                  accumulator: [parts][lane][4 words]: word n of part m, lane 4 g + c = dimensions
//                                  8 (4 m + n) + 2 c, + 1 of row g
//                    dk_*, dv_*    fp32; short ones in the layout of the problem's tensors, long ones as long_place
//                    says
//   deterministic    dq            32 bits, [parts][lane][4]: number n of part m, lane 4 g + c = dimension
//                                  8 (2 m + n / 2) + 2 c + n % 2 of row g
//                    long sums     low and high parts of 32 bits as long_place says; short ones 64 bits, layout of the
//                                  problem's tensors
//   virtual queries  all           fp32, layout of the problem's tensors
//   dsink            finish_sink.cuh
//
// Two blocks of 128 threads on a multiprocessor are all that the kernel has beside the portable backward's registers.
// To keep memory busy, each thread copies the sums that it will finish to shared memory, several stages ahead; nobody
// else reads them there. Some blocks finish keys and the others queries, so that small problems wait for memory but
// once.
#pragma once

#include <cstdint>

#include "kernels/cuda/hopper/backward/around/finish_sink.cuh"
#include "kernels/cuda/hopper/backward/kernel/memory.cuh"
#include "kernels/cuda/hopper/backward/kernel/query_memory.cuh"
#include "kernels/cuda/hopper/backward/plan/fixed_point.hpp"
#include "kernels/cuda/hopper/backward/plan/parameters.hpp"

namespace triscope::hopper::backward {

inline constexpr int kFinishCopies = 8;  ///< of 16 bytes, in a stage of a thread
inline constexpr int kCopyPitch = 16 * kFinishThreads, kStageBytes = kFinishCopies * kCopyPitch;
/// In half of a multiprocessor's shared memory; of head_dim 64 the portable backward wants no more.
template <int kHeadDim>
inline constexpr int kFinishStages = kHeadDim == 128 ? 6 : 3;

enum class Sums : std::uint8_t { virtual_keys, deterministic, virtual_queries };

/// Gradients to write, beside BackwardParameters.
struct Finish {
  Sums sums = Sums::virtual_keys;
  SinkGrad sink;
  __nv_bfloat16* grad_q = nullptr;
  __nv_bfloat16 *grad_long_key = nullptr, *grad_long_value = nullptr;
  __nv_bfloat16 *grad_short_key = nullptr, *grad_short_value = nullptr;
  const float* query_sums = nullptr;  ///< of virtual queries
  FixedPoint fixed;                   ///< of deterministic sums
  float scale = 1, key_scale = 1;
  int q_heads = 1;
  /// Virtual keys: groups of eight rows of dq, those of no position included. Virtual queries: parts of four elements.
  std::int64_t query_items = 0;
  std::int64_t key_parts = 0;  ///< of one key gradient, of four elements
  float key_share = 0;         ///< of the bytes that are moved
  Divisor by_seq_len, by_kv_heads, by_q_heads, by_group, by_head_blocks, by_plane_groups;
};

/// A block among those that do the same.
struct Share {
  int number, count;
  __device__ __forceinline__ std::int64_t thread() const { return std::int64_t{number} * kFinishThreads + threadIdx.x; }
  __device__ __forceinline__ std::int64_t threads() const { return std::int64_t{count} * kFinishThreads; }
};

/// Whether the sums are not wanted, since the portable backward runs.
__device__ __forceinline__ bool is_set(const std::uint32_t* word) { return word != nullptr && *word != 0; }

/// Finishes items first, first + step, ... below `end`. False, and nothing is written, when `word` is set: it is read
/// while the first sums come. `memory`: kFinishStages in shared memory.
template <int kStages, typename Work>
__device__ __forceinline__ bool finish_in_stages(Work work, std::int64_t first, std::int64_t end, std::int64_t step,
                                                 std::uint32_t memory, const std::uint32_t* word) {
  constexpr int kItems = kFinishCopies / Work::kCopies;
  constexpr std::uint32_t kItemBytes = Work::kCopies * kCopyPitch;
  const std::uint32_t begin = memory + 16 * threadIdx.x, stop = begin + kStages * kStageBytes;
  std::int64_t next = first;  // to be copied
  const auto copy = [&](std::uint32_t stage) {
#pragma unroll
    for (int n = 0; n < kItems; ++n, next += step) {
      if (next < end) work.copy(stage + n * kItemBytes, next);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll 1
  for (int stage = 0; stage < kStages - 1; ++stage) copy(begin + stage * kStageBytes);
  if (is_set(word)) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");  // the portable backward's memory
    return false;
  }
  std::uint32_t to = stop - kStageBytes, from = begin;
#pragma unroll 1
  while (first < end) {
    copy(to);
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
#pragma unroll
    for (int n = 0; n < kItems; ++n, first += step) {
      if (first < end) work.finish(from + n * kItemBytes, first);
    }
    to = from;
    from = from + kStageBytes == stop ? begin : from + kStageBytes;
  }
  return true;
}

/// Copy `n` of an item.
__device__ __forceinline__ uint4 copied(std::uint32_t item, int n) { return load_shared_4(item + n * kCopyPitch); }
__device__ __forceinline__ float4 as_floats(uint4 v) {
  return {__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w)};
}

__device__ __forceinline__ float or_nan(const FixedScales& scales, float x) {
  return scales.not_finite == 0 ? x : __int_as_float(0x7FFFFFFF);
}
__device__ __forceinline__ float4 times(float4 v, float factor) {
  return {v.x * factor, v.y * factor, v.z * factor, v.w * factor};
}
__device__ __forceinline__ float4 times(float4 v, float4 w) { return {v.x * w.x, v.y * w.y, v.z * w.z, v.w * w.w}; }
/// Four elements in bf16.
__device__ __forceinline__ void store_4(__nv_bfloat16* tensor, std::int64_t part, float4 v) {
  reinterpret_cast<uint2*>(tensor)[part] = make_uint2(pack_bf16x2(v.x, v.y), pack_bf16x2(v.z, v.w));
}

// --- dq of virtual keys ----------------------------------------------------------------------------------------------

/// Lane c of four has word n of column block n: it gets all four words of block c, in the order of the lanes.
__device__ __forceinline__ uint4 transpose_quad(const std::uint32_t (&words)[4]) {
  const bool odd = (threadIdx.x & 1) != 0, upper = (threadIdx.x & 2) != 0;
  std::uint32_t w[4] = {words[0], words[1], words[2], words[3]};
#pragma unroll
  for (int n = 0; n < 4; n += 2) {
    const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFu, odd ? w[n] : w[n + 1], 1);
    w[n] = odd ? got : w[n], w[n + 1] = odd ? w[n + 1] : got;
  }
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFu, upper ? w[n] : w[n + 2], 2);
    w[n] = upper ? got : w[n], w[n + 2] = upper ? w[n + 2] : got;
  }
  return {w[0], w[1], w[2], w[3]};
}

/// Groups of eight rows of dq, heads of one position, by a warp each: units of 32 dimensions, of which a lane holds
/// eight values.
template <Sums kSums, int kHeadDim>
class QueryFinish {
  static constexpr bool kIntegers = kSums == Sums::deterministic;
  static constexpr int kUnits = kHeadDim / 32, kHalfUnits = kUnits / 2;
  static constexpr int kParts = kIntegers ? 2 : 1;  ///< loads of a unit

 public:
  static constexpr int kCopies = kUnits * kParts;

  __device__ __forceinline__ QueryFinish(const BackwardParameters& p, const Finish& of)
      : p_(p), of_(of), lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ __forceinline__ void copy(std::uint32_t item, std::int64_t number) const {
    const Group group = group_of(number);
    if (group.position >= p_.seq_len || group.head >= p_.group) return;
    constexpr int kUnitBytes = kParts * 512;
    const auto* from = reinterpret_cast<const unsigned char*>(p_.grad_query) + lane_ * 16;
#pragma unroll
    for (int n = 0; n < kCopies; ++n) {
      const int unit = n / kParts, half = unit / kHalfUnits;
      const std::int64_t row = std::int64_t{query_rows(p_, group.pair, group.head_block, half)} + 8 * group.in_plane;
      const std::int64_t at = row * (kHalfUnits * kUnitBytes / 8) + (unit % kHalfUnits) * kUnitBytes + n % kParts * 512;
      copy_16(item + n * kCopyPitch, from + at, true);
    }
  }

  __device__ __forceinline__ void finish(std::uint32_t item, std::int64_t number) {
    const Group group = group_of(number);
    if (group.position >= p_.seq_len || group.head >= p_.group) return;
    if (group.pair != pair_) load_scales(group.pair);
    const int batch = of_.by_kv_heads.of(group.pair), head = group.head + lane_ / 4;
    const std::int64_t q_head = std::int64_t{group.pair - batch * p_.kv_heads} * p_.group + head;
    const std::int64_t row = (std::int64_t{batch} * p_.seq_len + group.position) * of_.q_heads + q_head;
    __nv_bfloat16* to = of_.grad_q + row * kHeadDim + 8 * (lane_ % 4);
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) {
      uint4 sums[kParts];
#pragma unroll
      for (int n = 0; n < kParts; ++n) sums[n] = copied(item, unit * kParts + n);
      std::uint32_t words[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const float2 f = value(sums, n);
        const float* scale = scales_ + 8 * unit + 2 * n;
        words[n] = pack_bf16x2(f.x * scale[0], f.y * scale[1]);
      }
      const uint4 out = transpose_quad(words);
      if (head < p_.group) *reinterpret_cast<uint4*>(to + 32 * unit) = out;
    }
  }

 private:
  struct Group {
    int pair, head_block, in_plane;
    int position, head;  ///< the first head of the eight, in its group of query heads
  };
  __device__ __forceinline__ Group group_of(std::int64_t number) const {
    Group group;
    const int plane = of_.by_plane_groups.of(static_cast<int>(number));
    group.in_plane = static_cast<int>(number) - plane * static_cast<int>(of_.by_plane_groups.value);
    group.pair = of_.by_head_blocks.of(plane);
    group.head_block = plane - group.pair * p_.head_blocks;
    group.position = group.in_plane >> p_.position_shift;
    group.head = group.head_block * kTileRows + 8 * (group.in_plane - (group.position << p_.position_shift));
    return group;
  }

  /// Dimensions 8 n + 2 c and the next of a unit.
  static __device__ __forceinline__ float2 value(const uint4 (&sums)[kParts], int n) {
    if constexpr (kIntegers) {
      const uint4& part = sums[n / 2];
      const std::uint32_t x = n % 2 == 0 ? part.x : part.z, y = n % 2 == 0 ? part.y : part.w;
      return {static_cast<float>(static_cast<std::int32_t>(x)), static_cast<float>(static_cast<std::int32_t>(y))};
    } else {
      return unpack_fp16x2((&sums[0].x)[n]);
    }
  }

  __device__ __forceinline__ void load_scales(int pair) {
    pair_ = pair;
    const float* scales = p_.ranges[pair].grad_query_scale + 2 * (lane_ % 4);
    const float factor = kIntegers ? of_.scale * (1.0f / kGradQueryUnits) : of_.scale;
#pragma unroll
    for (int n = 0; n < 4 * kUnits; ++n) {
      const float2 f = *reinterpret_cast<const float2*>(scales + 8 * n);
      scales_[2 * n] = factor * f.x, scales_[2 * n + 1] = factor * f.y;
    }
    if constexpr (kIntegers) {
#pragma unroll
      for (float& scale : scales_) scale = or_nan(of_.fixed.scales[pair], scale);
    }
  }

  const BackwardParameters& p_;
  const Finish& of_;
  int lane_, pair_ = -1;
  float scales_[8 * kUnits];
};

/// dq of virtual queries, in parts of four elements. A thread's parts have the same dimensions, and where the blocks
/// allow it (whole_turns) the same head: its scales stay in registers.
class QueryPartFinish {
  static constexpr int kRowParts = 32;  ///< head_dim is 128

 public:
  static constexpr int kCopies = 1;

  __device__ __forceinline__ QueryPartFinish(const BackwardParameters& p, const Finish& of) : p_(p), of_(of) {}

  __device__ __forceinline__ void copy(std::uint32_t item, std::int64_t number) const {
    copy_16(item, reinterpret_cast<const float4*>(of_.query_sums) + number, true);
  }
  __device__ __forceinline__ void finish(std::uint32_t item, std::int64_t number) {
    const int row = static_cast<int>(number / kRowParts), flat = of_.by_q_heads.of(row);
    const int pair = of_.by_seq_len.of(flat) * p_.kv_heads + of_.by_group.of(row - flat * of_.q_heads);
    if (pair != pair_) {
      pair_ = pair;
      const float* unscale = p_.ranges[pair].grad_query_scale + 4 * (number % kRowParts);
      scale_ = times(*reinterpret_cast<const float4*>(unscale), of_.scale);
    }
    store_4(of_.grad_q, number, times(as_floats(copied(item, 0)), scale_));
  }

 private:
  const BackwardParameters& p_;
  const Finish& of_;
  int pair_ = -1;
  float4 scale_;
};

// --- gradients of keys and values ------------------------------------------------------------------------------------

/// Of four dimensions, what sums are multiplied by.
template <Sums kSums>
struct KeyScales {
  float4 long_key, short_key;
  float value;  ///< of the long axis; that of the short one is 1

  __device__ __forceinline__ void read(const BackwardParameters& p, const Finish& of, int pair, int d) {
    const Ranges& r = p.ranges[pair];
    const float4 both = *reinterpret_cast<const float4*>(r.grad_key_scale + d);
    if constexpr (kSums == Sums::virtual_queries) {  // long key 2^(e - a - s), short key 2^(e - b), long value 2^e
      const float4 b = *reinterpret_cast<const float4*>(r.short_key_scale + d);
      long_key = times({both.x / b.x, both.y / b.y, both.z / b.z, both.w / b.w}, of.key_scale);
      value = r.grad_scale;
      short_key = times(b, of.key_scale * value);
    } else {
      long_key = short_key = times(both, of.key_scale);
      value = 1;
    }
  }
};
/// Of integers: powers of two, whose inverses are exact, and beside them the factor of keys.
template <>
struct KeyScales<Sums::deterministic> {
  double key[4];
  float long_ones[2][4], short_ones[2][4];  ///< of keys and of values
  bool finite;

  __device__ __forceinline__ void read(const BackwardParameters& p, const Finish& of, int pair, int d) {
    const FixedScales& scales = of.fixed.scales[pair];
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      key[x] = static_cast<double>(of.key_scale * p.ranges[pair].grad_key_scale[d + x]);
      long_ones[0][x] = 1.0f / scales.long_key[d + x], long_ones[1][x] = 1.0f / scales.long_value[d + x];
      short_ones[0][x] = 1.0f / scales.short_key[d + x], short_ones[1][x] = 1.0f / scales.short_value[d + x];
    }
    finite = scales.not_finite == 0;
  }
};

/// Parts of four dimensions of all four gradients. Scales are kept as in QueryPartFinish.
template <Sums kSums, int kHeadDim>
class KeyFinish {
  static constexpr bool kIntegers = kSums == Sums::deterministic;
  static constexpr int kRowParts = kHeadDim / 4;

 public:
  static constexpr int kCopies = kIntegers ? 8 : 4;

  __device__ __forceinline__ KeyFinish(const BackwardParameters& p, const Finish& of) : p_(p), of_(of) {}

  __device__ __forceinline__ void copy(std::uint32_t item, std::int64_t number) const {
    std::int64_t long_number = number;
    if constexpr (kSums != Sums::virtual_queries) {
      const Part part = part_of(number);
      long_number = long_place(p_, part.pair, part.position, part.dimension) / 4;
    }
    const auto four = [item](int n, const void* tensor, std::int64_t at) {
      copy_16(item + n * kCopyPitch, static_cast<const uint4*>(tensor) + at, true);
    };
    four(0, p_.grad_long_key, long_number);
    four(1, p_.grad_long_value, long_number);
    if constexpr (kIntegers) {
      four(2, of_.fixed.high_long_key, long_number);
      four(3, of_.fixed.high_long_value, long_number);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        four(4 + n, p_.grad_short_key, 2 * number + n);
        four(6 + n, p_.grad_short_value, 2 * number + n);
      }
    } else {
      four(2, p_.grad_short_key, number);
      four(3, p_.grad_short_value, number);
    }
  }

  __device__ __forceinline__ void finish(std::uint32_t item, std::int64_t number) {
    const Part part = part_of(number);
    if (part.pair != pair_) {
      pair_ = part.pair;
      scales_.read(p_, of_, part.pair, part.dimension);
    }
    if constexpr (kIntegers) {
      store_4(of_.grad_long_key, number, long_integers(item, 0));
      store_4(of_.grad_long_value, number, long_integers(item, 1));
      store_4(of_.grad_short_key, number, short_integers(item, 0));
      store_4(of_.grad_short_value, number, short_integers(item, 1));
    } else {
      float4 sums[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) sums[n] = as_floats(copied(item, n));
      store_4(of_.grad_long_key, number, times(sums[0], scales_.long_key));
      store_4(of_.grad_long_value, number, times(sums[1], scales_.value));
      store_4(of_.grad_short_key, number, times(sums[2], scales_.short_key));
      store_4(of_.grad_short_value, number, sums[3]);
    }
  }

 private:
  struct Part {
    int pair, position, dimension;
  };
  __device__ __forceinline__ Part part_of(std::int64_t number) const {
    const int row = static_cast<int>(number / kRowParts), flat = of_.by_kv_heads.of(row);
    const int batch = of_.by_seq_len.of(flat);
    return {batch * p_.kv_heads + row - flat * p_.kv_heads, flat - batch * p_.seq_len,
            static_cast<int>(number % kRowParts) * 4};
  }

  /// `tensor`: 0 keys, 1 values.
  __device__ __forceinline__ float value(double sum, int tensor, int x, float scale) const {
    const double factor = tensor == 0 ? scales_.key[x] : 1.0;
    return scales_.finite ? static_cast<float>(sum * factor * static_cast<double>(scale)) : __int_as_float(0x7FFFFFFF);
  }
  /// high 2^limb + low
  __device__ __forceinline__ float4 long_integers(std::uint32_t item, int tensor) const {
    const uint4 low = copied(item, tensor), high = copied(item, 2 + tensor);
    float4 out;
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const auto high_part = static_cast<double>(static_cast<std::int32_t>((&high.x)[x]));
      const double sum = high_part * of_.fixed.unit + static_cast<std::int32_t>((&low.x)[x]);
      (&out.x)[x] = value(sum, tensor, x, scales_.long_ones[tensor][x]);
    }
    return out;
  }
  __device__ __forceinline__ float4 short_integers(std::uint32_t item, int tensor) const {
    const uint4 parts[2] = {copied(item, 4 + 2 * tensor), copied(item, 5 + 2 * tensor)};
    float4 out;
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const std::uint32_t* words = &parts[x / 2].x + x % 2 * 2;
      const auto sum = static_cast<std::int64_t>(words[0] | std::uint64_t{words[1]} << 32);
      (&out.x)[x] = value(static_cast<double>(sum), tensor, x, scales_.short_ones[tensor][x]);
    }
    return out;
  }

  const BackwardParameters& p_;
  const Finish& of_;
  int pair_ = -1;
  KeyScales<kSums> scales_;
};

// --- all -------------------------------------------------------------------------------------------------------------

template <Sums kSums, int kHeadDim>
__device__ __forceinline__ bool finish_keys(const BackwardParameters& p, const Finish& of, const Share& share,
                                            std::uint32_t memory, const std::uint32_t* word) {
  return finish_in_stages<kFinishStages<kHeadDim>>(KeyFinish<kSums, kHeadDim>(p, of), share.thread(), of.key_parts,
                                                   share.threads(), memory, word);
}
template <Sums kSums, int kHeadDim>
__device__ __forceinline__ bool finish_queries(const BackwardParameters& p, const Finish& of, const Share& share,
                                               std::uint32_t memory, const std::uint32_t* word) {
  if constexpr (kSums == Sums::virtual_queries) {
    return finish_in_stages<kFinishStages<kHeadDim>>(QueryPartFinish(p, of), share.thread(), of.query_items,
                                                     share.threads(), memory, word);
  } else {
    return finish_in_stages<kFinishStages<kHeadDim>>(QueryFinish<kSums, kHeadDim>(p, of), share.thread() / 32,
                                                     of.query_items, share.threads() / 32, memory, word);
  }
}

/// `blocks`, or some fewer, so that a thread's parts of keys, which are that many blocks apart, are of one head.
template <int kHeadDim>
__device__ __forceinline__ int whole_turns(const BackwardParameters& p, int blocks) {
  constexpr int kRows = kFinishThreads / (kHeadDim / 4);  // of a block
  const int turn = max(1, p.kv_heads / kRows);
  return blocks < turn ? blocks : blocks - blocks % turn;
}

template <Sums kSums, int kHeadDim>
__device__ __forceinline__ bool finish_gradients(const BackwardParameters& p, const Finish& of, std::uint32_t memory,
                                                 const std::uint32_t* word) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int key_blocks = whole_turns<kHeadDim>(
      p, max(1, min(blocks - 1, static_cast<int>(of.key_share * static_cast<float>(blocks) + 0.5f))));
  if (block < key_blocks && !finish_keys<kSums, kHeadDim>(p, of, {block, key_blocks}, memory, word)) return false;
  if (block < key_blocks && blocks > 1) return true;
  const Share share = {max(0, block - key_blocks), max(1, blocks - key_blocks)};
  return finish_queries<kSums, kHeadDim>(p, of, share, memory, word);
}

/// What becomes of the sums, by a launch of blocks of kFinishThreads threads. False, and no gradient is written, where
/// `word`, which may be null, is set. `memory`: kFinishStages in shared memory.
template <int kHeadDim>
__device__ __forceinline__ bool finish_sums(const BackwardParameters& p, const Finish& of, std::uint32_t memory,
                                            const std::uint32_t* word) {
  if (of.sink.sink != nullptr) {
    if (is_set(word)) return false;
    for (int head = static_cast<int>(blockIdx.x); head < of.q_heads; head += static_cast<int>(gridDim.x)) {
      finish_sink(p, of.sink, head);
      __syncthreads();
    }
  }
  switch (of.sums) {
    case Sums::virtual_keys:
      return finish_gradients<Sums::virtual_keys, kHeadDim>(p, of, memory, word);
    case Sums::deterministic:
      return finish_gradients<Sums::deterministic, kHeadDim>(p, of, memory, word);
    case Sums::virtual_queries:
      if constexpr (kHeadDim == 128) return finish_gradients<Sums::virtual_queries, kHeadDim>(p, of, memory, word);
  }
  return true;
}

}  // namespace triscope::hopper::backward
