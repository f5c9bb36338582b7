// From the sums of a work item, dKK and dVV, to the gradients of keys and values:
//
//   dv_long_j += v_short_k * dVV    dv_short_k += sum over rows v_long_j * dVV
//   dk_long_j += k_short_k * dKK    dk_short_k += sum over rows k_long_j * dKK
//   determinant, by chunk of three: dk_long_j += k_short_k x dKK, dk_short_k += sum over rows dKK x k_long_j
//
// By dimension, a lane multiplies what it has of the accumulators. Shares of the long gradient go to shared memory,
// from where one bulk copy adds a warp's 16 rows: their positions follow one another and they share their k, because
// edge rows of one k come in sixteens. Shares of the short gradient are added over the rows by exchanges between lanes;
// for them k_long and v_long are KK / k_short and VV / v_short, which are in shared memory: to read the long tensors
// again took as long as all of this. The determinant's keys are staged in fp32, so that a lane meets whole chunks of
// three.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/fold.cuh"
#include "kernels/cuda/hopper/backward/plan/fixed_point.hpp"

namespace triscope::hopper::backward {

/// Rounded to units of the sums of dq.
__device__ __forceinline__ std::uint32_t fixed_point(float x) {
  return static_cast<std::uint32_t>(__float2int_rn(x * kGradQueryUnits));
}

template <int kHeadDim, bool kDeterministic>
class Epilogue {
  static constexpr int kRowBytes = kHeadDim * 4;
  static constexpr int kWarpRows = 16;

 public:
  static constexpr int kWarpBytes = kWarpRows * kRowBytes;

  /// `block`: the warp's rows.
  __device__ __forceinline__ Epilogue(const BackwardParameters& p, const FixedPoint& fixed, int pair,
                                      const RowBlock& block, int thread)
      : p_(p),
        fixed_(fixed),
        rows_(p, pair),
        pair_(pair),
        lane_(thread % 32),
        block_(block),
        short_row_(rows_.offset(block.short_position)) {}

  /// Where sums of keys or of values go. The last three: of integers.
  struct Target {
    float bias;
    float *long_sum, *short_sum;
    std::int32_t* high;
    const float *long_scale, *short_scale;
  };
  __device__ __forceinline__ Target key_target() const {
    const FixedScales& scales = fixed_.scales[pair_];
    return {p_.key_bias, p_.grad_long_key, p_.grad_short_key, fixed_.high_long_key, scales.long_key, scales.short_key};
  }
  __device__ __forceinline__ Target value_target() const {
    const FixedScales& scales = fixed_.scales[pair_];
    return {p_.value_bias,          p_.grad_long_value, p_.grad_short_value,
            fixed_.high_long_value, scales.long_value,  scales.short_value};
  }

  /// Writes the warp's accumulators to `place`.
  template <int kRegisters>
  __device__ __forceinline__ void stage(const float (&sums)[kRegisters], std::uint32_t place) const {
    static_assert(kRegisters == kHeadDim / 2);
    const int c = lane_ % 4;
    // address(row, 2 n + c / 2) is this with n in bits 5 and above. Opaque, or ptxas keeps all of them for the next
    // item.
    std::uint32_t first = address(place, lane_ / 4, c / 2) + 8 * (c & 1);
    asm volatile("" : "+r"(first));
#pragma unroll
    for (int n = 0; n < kRegisters / 4; ++n) {
      store_shared_float2(first ^ (n << 5), sums[4 * n], sums[4 * n + 1]);
      store_shared_float2((first ^ (n << 5)) + 8 * kRowBytes, sums[4 * n + 2], sums[4 * n + 3]);
    }
    __syncwarp();
  }

  /// This lane's two rows of the virtual keys or values, and of what they were made with.
  struct Factors {
    std::uint32_t products[kHeadDim / 4];   ///< fragments: of blocks of eight columns, upper and lower row
    uint4 short_row[kHeadDim / 32];         ///< fragment_column
    std::uint32_t divisors[kHeadDim / 64];  ///< of the columns that this lane has in the end
    bool divide;                            ///< false: `products` are the long tensor itself
  };
  /// Read before they are used. The unscaled short tensor, and what is in the products of it.
  __device__ __forceinline__ void load_short(Factors& factors, const __nv_bfloat16* short_columns) const {
#pragma unroll
    for (int n = 0; n < kHeadDim / 32; ++n)
      factors.short_row[n] = load_16(short_columns, short_row_ + lane_ % 4 * 8 + 32 * n);
  }
  __device__ __forceinline__ void load_divisors(Factors& factors, const void* scaled) const {
#pragma unroll
    for (int n = 0; n < kHeadDim / 64; ++n) {
      const std::int64_t at = short_row_ + last_column() + 8 * n;
      factors.divisors[n] = load_pair(scaled, at);
    }
  }
  /// Sums over rows want the long tensor: the virtual keys or values at `tile` over what made them of it, or where that
  /// is tiny or zero the tensor itself.
  template <bool kHalf>
  __device__ __forceinline__ void load_products(Factors& factors, std::uint32_t tile, int row,
                                                const void* long_tensor) const {
    bool tiny = false;
#pragma unroll
    for (int n = 0; n < kHeadDim / 64; ++n) {
      const float2 d = divisor<kHalf>(factors, n);
      tiny = tiny || !(fminf(fabsf(d.x), fabsf(d.y)) >= (kHalf ? 0x1p-16f : 0x1p-100f));
    }
    factors.divide = !__any_sync(0xFFFFFFFFu, tiny);
    if (factors.divide) {
      const int matrix_row = row + lane_ % 16, part = lane_ / 16;
#pragma unroll
      for (int n = 0; n < kHeadDim / 16; ++n) {
        std::uint32_t* to = factors.products + 4 * n;
        load_matrices(tile + key_part<kHeadDim>(matrix_row, 2 * n + part), to[0], to[1], to[2], to[3]);
      }
    } else {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t first = rows_.long_row(block_.begin + lane_ / 4 + 8 * half, block_.end) + lane_ % 4 * 2;
        const auto* words = reinterpret_cast<const unsigned*>(static_cast<const std::uint16_t*>(long_tensor) + first);
#pragma unroll
        for (int n = 0; n < kHeadDim / 8; ++n) factors.products[2 * n + half] = __ldg(words + 4 * n);
      }
    }
  }

  /// Columns 8 n + 2 c and the next one of a row's share of the short gradient.
  struct Columns {
    float sums[kHeadDim / 4];
  };
  /// Writes to `place` what is to be added to the long gradient, by dimension, and returns the shares of this lane's
  /// rows of the short one.
  template <bool kHalf>
  __device__ __forceinline__ Columns put_products(const float (&sums)[kHeadDim / 2], const Factors& factors,
                                                  const Target& to, std::uint32_t place) const {
    const int c = lane_ % 4;
    std::uint32_t first = address(place, lane_ / 4, c / 2) + 8 * (c & 1);  // as in `stage`
    asm volatile("" : "+r"(first));
    Columns columns;
    unsigned large = 0;  // pairs of columns with a share that needs two integers
#pragma unroll
    for (int n = 0; n < kHeadDim / 8; ++n) {
      const std::uint32_t shorter = (&factors.short_row[n / 4].x)[n % 4];
      float2 factor = {low_bf16(shorter) + to.bias, high_bf16(shorter) + to.bias};
      if constexpr (kDeterministic) {
        const float2 scale = *reinterpret_cast<const float2*>(to.long_scale + 8 * n + 2 * c);
        factor.x *= scale.x, factor.y *= scale.y;
      }
      const std::uint32_t at = first ^ (n << 5);
      if (!put(at, sums[4 * n] * factor.x, sums[4 * n + 1] * factor.y)) large |= 1u << (2 * n);
      if (!put(at + 8 * kRowBytes, sums[4 * n + 2] * factor.x, sums[4 * n + 3] * factor.y)) large |= 2u << (2 * n);
      const float2 upper = unpack<kHalf>(factors.products[2 * n]), lower = unpack<kHalf>(factors.products[2 * n + 1]);
      columns.sums[2 * n] = fmaf(sums[4 * n], upper.x, sums[4 * n + 2] * lower.x);
      columns.sums[2 * n + 1] = fmaf(sums[4 * n + 1], upper.y, sums[4 * n + 3] * lower.y);
    }
    if constexpr (kDeterministic) {
#pragma unroll 1
      for (; large != 0; large &= large - 1) {
        const int number = __ffs(static_cast<int>(large)) - 1;
        const std::uint32_t at = (first ^ (number / 2 << 5)) + (number % 2) * 8 * kRowBytes;
#pragma unroll 1
        for (int x = 0; x < 2; ++x) put_large(at + 4 * x, __uint_as_float(load_shared_1(at + 4 * x)), to.high, place);
      }
    }
    return columns;
  }
  /// Adds what this warp has put at `place` to the long gradient. A row that no query sees is not there.
  __device__ __forceinline__ void publish(const Target& to, std::uint32_t place) const {
    fence_async_proxy();
    __syncwarp();
    if (lane_ != 0) return;
    const int first = max(0, -block_.begin), count = min(kWarpRows, block_.end - block_.begin + 1) - first;
    const std::uint32_t from = place + first * kRowBytes;
    float* sums = to.long_sum + first_element() + first * kHeadDim;
    if (count <= 0) {
      commit_bulk();
    } else if constexpr (kDeterministic) {
      add_integers(sums, from, count * kRowBytes);
    } else {
      add_floats(sums, from, count * kRowBytes);
    }
  }

  /// Adds them over the warp's rows and to the short gradient.
  template <bool kHalf>
  __device__ __forceinline__ void add_columns(Columns& columns, const Factors& factors, const Target& to) const {
    exchange<kHeadDim / 8, 16>(columns);
    exchange<kHeadDim / 16, 8>(columns);
    exchange<kHeadDim / 32, 4>(columns);
    const int column = last_column();
#pragma unroll
    for (int n = 0; n < kHeadDim / 64; ++n) {
      const float2 d = divisor<kHalf>(factors, n);
      float2 unscale = {1.0f, 1.0f};
      if constexpr (kHalf)
        unscale = *reinterpret_cast<const float2*>(p_.ranges[pair_].long_key_unscale + column + 8 * n);
      columns.sums[2 * n] *= factors.divide ? __fdividef(unscale.x, d.x) : unscale.x;
      columns.sums[2 * n + 1] *= factors.divide ? __fdividef(unscale.y, d.y) : unscale.y;
    }
#pragma unroll
    for (int n = 0; n < kHeadDim / 64; ++n) {
      const std::int64_t at = short_row_ + column + 8 * n;
      if constexpr (kDeterministic) {
        std::int64_t* sums = reinterpret_cast<std::int64_t*>(to.short_sum) + at;
        const float2 scale = *reinterpret_cast<const float2*>(to.short_scale + column + 8 * n);
        add_global(sums, __float2ll_rn(columns.sums[2 * n] * scale.x));
        add_global(sums + 1, __float2ll_rn(columns.sums[2 * n + 1] * scale.y));
      } else {
        add_global_2(to.short_sum + at, columns.sums[2 * n], columns.sums[2 * n + 1]);
      }
    }
  }

  /// The same with cross products: a lane owns chunks `lane` and `lane` + 32.
  __device__ __forceinline__ void add_cross(const __nv_bfloat16* long_tensor, const __nv_bfloat16* short_tensor,
                                            const Target& to, std::uint32_t place) const {
#pragma unroll 1
    for (int chunk = lane_; chunk < kHeadDim / 3; chunk += 32) {
      const int column = 3 * chunk;
      const float scale = kDeterministic ? to.long_scale[column] : 1.0f;
      float k2[3], sum[3] = {0, 0, 0};
      unsigned large = 0;
#pragma unroll
      for (int x = 0; x < 3; ++x) k2[x] = (__bfloat162float(short_tensor[short_row_ + column + x]) + to.bias) * scale;
#pragma unroll 1
      for (int first = 0; first < kWarpRows; first += 8) {
        float k1[8][3];
#pragma unroll
        for (int n = 0; n < 8; ++n) {
          const __nv_bfloat16* row = long_tensor + rows_.long_row(block_.begin + first + n, block_.end) + column;
#pragma unroll
          for (int x = 0; x < 3; ++x) k1[n][x] = __bfloat162float(row[x]);
        }
#pragma unroll
        for (int n = 0; n < 8; ++n) {
          float g[3], share[3];
#pragma unroll
          for (int x = 0; x < 3; ++x) g[x] = __uint_as_float(load_shared_1(word(place, first + n, column + x)));
#pragma unroll
          for (int x = 0; x < 3; ++x) {
            const int y = (x + 1) % 3, z = (x + 2) % 3;
            share[x] = k2[y] * g[z] - k2[z] * g[y];
            sum[x] += g[y] * k1[n][z] - g[z] * k1[n][y];
          }
          if (!put_three(place, first + n, column, share)) large |= 1u << (first + n);
        }
      }
      if constexpr (kDeterministic) put_large_crosses(large, k2, column, to.high, place);
#pragma unroll
      for (int x = 0; x < 3; ++x) {
        if constexpr (kDeterministic) {
          add_global(reinterpret_cast<std::int64_t*>(to.short_sum) + short_row_ + column + x,
                     __float2ll_rn(sum[x] * to.short_scale[column + x]));
        } else {
          add_global(to.short_sum + short_row_ + column + x, sum[x]);
        }
      }
    }
    if (lane_ < kWarpRows) {  // dimensions behind the last chunk have no gradient
#pragma unroll
      for (int column = kHeadDim / 3 * 3; column < kHeadDim; ++column) store_shared_1(word(place, lane_, column), 0);
    }
    publish(to, place);
  }

 private:
  template <bool kHalf>
  static __device__ __forceinline__ float2 unpack(std::uint32_t word) {
    if constexpr (kHalf) return unpack_fp16x2(word);
    return {low_bf16(word), high_bf16(word)};
  }
  template <bool kHalf>
  static __device__ __forceinline__ float2 divisor(const Factors& factors, int n) {
    return unpack<kHalf>(factors.divisors[n]);
  }
  /// Of two lanes that are kStep apart one keeps the first kHalf sums, the other the next ones.
  template <int kHalf, int kStep>
  __device__ __forceinline__ void exchange(Columns& columns) const {
    const bool upper = (lane_ & kStep) != 0;
#pragma unroll
    for (int n = 0; n < kHalf; ++n) {
      const float keep = upper ? columns.sums[n + kHalf] : columns.sums[n];
      const float give = upper ? columns.sums[n] : columns.sums[n + kHalf];
      columns.sums[n] = keep + __shfl_xor_sync(0xFFFFFFFFu, give, kStep);
    }
  }
  /// The first of the columns that a lane has after all exchanges; the other two are eight further.
  __device__ __forceinline__ int last_column() const {
    constexpr int kBlock = kHeadDim / 2;  // columns that the first exchange parts
    return (lane_ & 16) / 16 * kBlock + (lane_ & 8) / 8 * (kBlock / 2) + (lane_ & 4) / 4 * (kBlock / 4) + lane_ % 4 * 2;
  }
  /// Sixteen bytes number `part` of a staged row, as in device memory: rows are turned by their position (long_part),
  /// so that eight of them, two parts each, meet all banks.
  __device__ __forceinline__ std::uint32_t address(std::uint32_t place, int row, int part) const {
    return place + row * kRowBytes + (long_part(block_.begin + row, part) << 4);
  }
  __device__ __forceinline__ std::uint32_t word(std::uint32_t place, int row, int column) const {
    return address(place, row, column / 4) + column % 4 * 4;
  }
  /// First element of the warp's rows in the long sums: [batch, kv_heads, seq_len, head_dim].
  __device__ __forceinline__ std::int64_t first_element() const {
    return (std::int64_t{pair_} * p_.seq_len + block_.begin) * kHeadDim;
  }

  /// Writes what is to be added. Where that takes two integers (or is no number), it writes the share itself and
  /// returns false.
  __device__ __forceinline__ bool put(std::uint32_t at, float a, float b) const {
    const bool small = !kDeterministic || fabsf(a) + fabsf(b) < fixed_.limit;
    if (kDeterministic && small) {
      store_shared_2(at, static_cast<std::uint32_t>(__float2int_rn(a)), static_cast<std::uint32_t>(__float2int_rn(b)));
    } else {
      store_shared_float2(at, a, b);
    }
    return small;
  }
  /// Of a cross product; where that takes two integers nothing is done.
  __device__ __forceinline__ bool put_three(std::uint32_t place, int row, int column, const float (&share)[3]) const {
    const bool small = !kDeterministic || fabsf(share[0]) + fabsf(share[1]) + fabsf(share[2]) < fixed_.limit;
#pragma unroll
    for (int x = 0; x < 3; ++x) {
      const std::uint32_t one =
          kDeterministic ? static_cast<std::uint32_t>(__float2int_rn(share[x])) : __float_as_uint(share[x]);
      if (small) store_shared_1(word(place, row, column + x), one);
    }
    return small;
  }
  /// Writes the low integer at `at`, adds the high one.
  __device__ __forceinline__ void put_large(std::uint32_t at, float share, std::int32_t* high,
                                            std::uint32_t place) const {
    const float units = rintf(share * fixed_.per_unit);
    store_shared_1(at, static_cast<std::uint32_t>(__float2int_rn(fmaf(units, -fixed_.unit, share))));
    if (!(fabsf(units) < kMostHigh)) {
      fixed_.scales[pair_].not_finite = 1;
    } else if (units != 0.0f) {
      add_global(high + first_element() + (at - place) / 4, __float2int_rn(units));
    }
  }

  /// The crosses of the rows in `large` with `k2`, which turns and comes round again.
  __device__ __forceinline__ void put_large_crosses(unsigned large, float (&k2)[3], int column, std::int32_t* high,
                                                    std::uint32_t place) const {
#pragma unroll 1
    for (; large != 0; large &= large - 1) {
      const int row = __ffs(static_cast<int>(large)) - 1;
      float g[3];
#pragma unroll
      for (int x = 0; x < 3; ++x) g[x] = __uint_as_float(load_shared_1(word(place, row, column + x)));
#pragma unroll 1
      for (int x = 0; x < 3; ++x) {
        put_large(word(place, row, column + x), k2[1] * g[2] - k2[2] * g[1], high, place);
        const float first_k2 = k2[0], first_g = g[0];  // the next component
        k2[0] = k2[1], k2[1] = k2[2], k2[2] = first_k2;
        g[0] = g[1], g[1] = g[2], g[2] = first_g;
      }
    }
  }

  const BackwardParameters& p_;
  const FixedPoint& fixed_;
  RowPlaces rows_;
  int pair_, lane_;
  RowBlock block_;  ///< of the warp's rows
  std::int64_t short_row_;
};

}  // namespace triscope::hopper::backward
