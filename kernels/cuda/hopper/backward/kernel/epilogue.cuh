// From the sums of a work item, dKK and dVV, to the gradients of keys and values:
//
//   dv_long_j += v_short_k * dVV    dv_short_k += sum over rows v_long_j * dVV
//   dk_long_j += k_short_k * dKK    dk_short_k += sum over rows k_long_j * dKK
//   determinant, by chunk of three: dk_long_j += k_short_k x dKK, dk_short_k += sum over rows dKK x k_long_j
//
// A warp stages the sums of its 16 rows in fp32, so that it meets whole rows and a lane owns columns: sums over rows
// need no exchange. What is to be added to the long gradients takes the place of the sums, and one bulk copy adds all
// 16 rows, whose positions follow one another and which share their k, because edge rows of one k come in sixteens.
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
  static constexpr int kLanes = kHeadDim / 4;  ///< lanes of a row, four columns each
  static constexpr int kAtOnce = 32 / kLanes;  ///< rows a warp reads at once
  static constexpr int kWarpRows = 16;
  static constexpr int kLoads = kWarpRows / kAtOnce;
  static constexpr int kBatch = 4;  ///< loads in flight

 public:
  static constexpr int kWarpBytes = kWarpRows * kRowBytes;

  __device__ __forceinline__ Epilogue(const BackwardParameters& p, const FixedPoint& fixed, const WorkItem& item,
                                      int warpgroup, int thread)
      : p_(p),
        fixed_(fixed),
        rows_(p, item),
        pair_(item.pair),
        lane_(thread % 32),
        block_(rows_.block(warpgroup * kTileRows + thread / 32 * kWarpRows)) {}

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

  /// This lane's columns of the warp's rows of one long tensor, and of its row of the short one. Read before they are
  /// used.
  struct Factors {
    uint2 long_rows[kLoads];
    uint2 short_row;
  };
  __device__ __forceinline__ Factors load(const __nv_bfloat16* long_tensor, const __nv_bfloat16* short_tensor) const {
    Factors factors;
#pragma unroll
    for (int n = 0; n < kLoads; ++n) factors.long_rows[n] = load_8(long_tensor + long_row(n));
    factors.short_row = load_8(short_tensor + short_row());
    return factors;
  }

  /// Adds the sums staged at `place` to two gradients, by dimension.
  __device__ __forceinline__ void add_products(const Factors& factors, const Target& to, std::uint32_t place) const {
    float4 factor = unpack(factors.short_row), sum = {0, 0, 0, 0};
    factor.x += to.bias, factor.y += to.bias, factor.z += to.bias, factor.w += to.bias;
    if constexpr (kDeterministic) {
      const float4 scale = columns(to.long_scale);
      factor.x *= scale.x, factor.y *= scale.y, factor.z *= scale.z, factor.w *= scale.w;
    }
    unsigned large = 0;  // rows with a share that needs two integers
#pragma unroll
    for (int batch = 0; batch < kLoads; batch += kBatch) {
      float4 g[kBatch];
#pragma unroll
      for (int n = 0; n < kBatch; ++n) g[n] = load_shared_float4(place_of(place, batch + n));
#pragma unroll
      for (int n = 0; n < kBatch; ++n) {
        const float4 a = unpack(factors.long_rows[batch + n]);
        const float4 share = {g[n].x * factor.x, g[n].y * factor.y, g[n].z * factor.z, g[n].w * factor.w};
        if (!put(place_of(place, batch + n), share)) large |= 1u << (batch + n);
        sum.x += g[n].x * a.x, sum.y += g[n].y * a.y, sum.z += g[n].z * a.z, sum.w += g[n].w * a.w;
      }
    }
    if constexpr (kDeterministic) {
#pragma unroll 1
      for (; large != 0; large &= large - 1) {
        const int n = __ffs(static_cast<int>(large)) - 1;
        const std::uint32_t at = place_of(place, n);
#pragma unroll 1
        for (int x = 0; x < 4; ++x) {
          const float f = x == 0 ? factor.x : x == 1 ? factor.y : x == 2 ? factor.z : factor.w;
          put_large(at + 4 * x, __uint_as_float(load_shared_1(at + 4 * x)) * f, to.high, place);
        }
      }
    }
    publish(to, place);
    if constexpr (kDeterministic) {
      const float4 scale = columns(to.short_scale);
      std::int64_t* sums = reinterpret_cast<std::int64_t*>(to.short_sum) + short_row();
      add_global(sums, __float2ll_rn(sum.x * scale.x));
      add_global(sums + 1, __float2ll_rn(sum.y * scale.y));
      add_global(sums + 2, __float2ll_rn(sum.z * scale.z));
      add_global(sums + 3, __float2ll_rn(sum.w * scale.w));
    } else {
      add_global_4(to.short_sum + short_row(), sum.x, sum.y, sum.z, sum.w);
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
      for (int x = 0; x < 3; ++x)
        k2[x] = (__bfloat162float(short_tensor[block_.short_row + column + x]) + to.bias) * scale;
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
          add_global(reinterpret_cast<std::int64_t*>(to.short_sum) + block_.short_row + column + x,
                     __float2ll_rn(sum[x] * to.short_scale[column + x]));
        } else {
          add_global(to.short_sum + block_.short_row + column + x, sum[x]);
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
  __device__ __forceinline__ int inner() const { return lane_ / kLanes; }
  /// Of load n, at this lane's columns.
  __device__ __forceinline__ std::int64_t long_row(int n) const {
    return rows_.long_row(block_.begin + n * kAtOnce + inner(), block_.end) + lane_ % kLanes * 4;
  }
  __device__ __forceinline__ std::int64_t short_row() const { return block_.short_row + lane_ % kLanes * 4; }
  /// Sixteen bytes number `part` of a staged row, as in device memory: rows are turned by their position (long_part),
  /// so that eight of them, two parts each, meet all banks.
  __device__ __forceinline__ std::uint32_t address(std::uint32_t place, int row, int part) const {
    return place + row * kRowBytes + (long_part(block_.begin + row, part) << 4);
  }
  __device__ __forceinline__ std::uint32_t word(std::uint32_t place, int row, int column) const {
    return address(place, row, column / 4) + column % 4 * 4;
  }
  __device__ __forceinline__ std::uint32_t place_of(std::uint32_t place, int n) const {
    return address(place, n * kAtOnce + inner(), lane_ % kLanes);
  }
  /// First element of the warp's rows in the long sums: [batch, kv_heads, seq_len, head_dim].
  __device__ __forceinline__ std::int64_t first_element() const {
    return (std::int64_t{pair_} * p_.seq_len + block_.begin) * kHeadDim;
  }

  /// Writes what is to be added where its sum was read. False, and nothing done, where that takes two integers (or is
  /// no number).
  __device__ __forceinline__ bool put(std::uint32_t at, float4 share) const {
    if constexpr (!kDeterministic) {
      store_shared_float4(at, share.x, share.y, share.z, share.w);
      return true;
    } else {
      const bool small = fabsf(share.x) + fabsf(share.y) + fabsf(share.z) + fabsf(share.w) < fixed_.limit;
      if (small) {
        store_shared_4(at, static_cast<std::uint32_t>(__float2int_rn(share.x)),
                       static_cast<std::uint32_t>(__float2int_rn(share.y)),
                       static_cast<std::uint32_t>(__float2int_rn(share.z)),
                       static_cast<std::uint32_t>(__float2int_rn(share.w)));
      }
      return small;
    }
  }
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
  __device__ __forceinline__ float4 columns(const float* scales) const {
    return *reinterpret_cast<const float4*>(scales + lane_ % kLanes * 4);
  }
  static __device__ __forceinline__ uint2 load_8(const __nv_bfloat16* p) {
    return __ldg(reinterpret_cast<const uint2*>(p));
  }
  static __device__ __forceinline__ float4 unpack(uint2 v) {
    return {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y)};
  }

  const BackwardParameters& p_;
  const FixedPoint& fixed_;
  KeyRows rows_;
  int pair_, lane_;
  KeyRows::Block block_;  ///< of the warp's rows
};

}  // namespace triscope::hopper::backward
