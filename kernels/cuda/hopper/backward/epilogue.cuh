// From the sums of a work item, dKK and dVV, to the gradients of keys and values:
//
//   dv_long_j += v_short_k * dVV    dv_short_k += sum over rows v_long_j * dVV
//   dk_long_j += k_short_k * dKK    dk_short_k += sum over rows k_long_j * dKK
//   determinant, by chunk of three: dk_long_j += k_short_k x dKK, dk_short_k += sum over rows dKK x k_long_j
//
// Each warpgroup stages its 64 rows in fp32 where keys and values were, so that a warp meets whole rows: every access
// to device memory is a full line, and a lane owns columns, so that sums over rows need no exchange. Rows 16 w .. 16 w
// + 15 of a warp share their k, because edge rows of one k come in sixteens.
#pragma once

#include "kernels/cuda/hopper/backward/fold.cuh"

namespace triscope::hopper::backward {

template <int kHeadDim>
class Epilogue {
  static constexpr int kRowBytes = kHeadDim * 4;
  static constexpr int kLanes = kHeadDim / 4;  ///< lanes of a row, four columns each
  static constexpr int kAtOnce = 32 / kLanes;  ///< rows a warp reads at once
  static constexpr int kWarpRows = 16;
  static constexpr int kLoads = kWarpRows / kAtOnce;

 public:
  __device__ __forceinline__ Epilogue(const BackwardParameters& p, const WorkItem& item, std::uint32_t memory,
                                      int warpgroup, int thread)
      : p_(p),
        rows_(p, item),
        staged_(memory + warpgroup * (kTileRows * kRowBytes)),
        warpgroup_(warpgroup),
        warp_(thread / 32),
        lane_(thread % 32),
        block_(rows_.block(warpgroup * kTileRows + warp_ * kWarpRows)) {}

  /// Writes the warpgroup's accumulators and waits until all of it has.
  template <int kRegisters>
  __device__ __forceinline__ void stage(const float (&sums)[kRegisters]) const {
    static_assert(kRegisters == kHeadDim / 2);
    const int c = lane_ % 4;
    // address(row, 2 n + c / 2) is this with n in bits 5 and above. Opaque, or ptxas keeps all of them for the next
    // item.
    std::uint32_t first = address(warp_ * kWarpRows + lane_ / 4, c / 2) + 8 * (c & 1);
    asm volatile("" : "+r"(first));
#pragma unroll
    for (int n = 0; n < kRegisters / 4; ++n) {
      store_shared_float2(first ^ (n << 5), sums[4 * n], sums[4 * n + 1]);
      store_shared_float2((first ^ (n << 5)) + 8 * kRowBytes, sums[4 * n + 2], sums[4 * n + 3]);
    }
    named_barrier_sync(kOwnWarpgroup + warpgroup_, 128);
  }
  /// Until all of the warpgroup has read what was staged.
  __device__ __forceinline__ void release() const { named_barrier_sync(kOwnWarpgroup + warpgroup_, 128); }

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

  /// Adds the staged sums to two gradients, by dimension.
  __device__ __forceinline__ void add_products(const Factors& factors, float bias, float* long_sum,
                                               float* short_sum) const {
    float4 factor = unpack(factors.short_row), sum = {0, 0, 0, 0};
    factor.x += bias, factor.y += bias, factor.z += bias, factor.w += bias;
#pragma unroll
    for (int n = 0; n < kLoads; ++n) {
      const float4 a = unpack(factors.long_rows[n]);
      const float4 g = load_shared_float4(address(warp_ * kWarpRows + n * kAtOnce + inner(), lane_ % kLanes));
      add_global_4(long_sum + long_row(n), g.x * factor.x, g.y * factor.y, g.z * factor.z, g.w * factor.w);
      sum.x += g.x * a.x, sum.y += g.y * a.y, sum.z += g.z * a.z, sum.w += g.w * a.w;
    }
    add_global_4(short_sum + short_row(), sum.x, sum.y, sum.z, sum.w);
  }

  /// The same with cross products: a lane owns chunks `lane` and `lane` + 32.
  __device__ __forceinline__ void add_cross(const __nv_bfloat16* long_tensor, const __nv_bfloat16* short_tensor,
                                            float bias, float* long_sum, float* short_sum) const {
#pragma unroll 1
    for (int chunk = lane_; chunk < kHeadDim / 3; chunk += 32) {
      const int column = 3 * chunk;
      float k2[3], sum[3] = {0, 0, 0};
#pragma unroll
      for (int x = 0; x < 3; ++x) k2[x] = __bfloat162float(short_tensor[block_.short_row + column + x]) + bias;
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
          float* to = long_sum + rows_.long_row(block_.begin + first + n, block_.end) + column;
          float g[3];
#pragma unroll
          for (int x = 0; x < 3; ++x) g[x] = staged(warp_ * kWarpRows + first + n, column + x);
#pragma unroll
          for (int x = 0; x < 3; ++x) {
            const int y = (x + 1) % 3, z = (x + 2) % 3;
            add_global(to + x, k2[y] * g[z] - k2[z] * g[y]);
            sum[x] += g[y] * k1[n][z] - g[z] * k1[n][y];
          }
        }
      }
#pragma unroll
      for (int x = 0; x < 3; ++x) add_global(short_sum + block_.short_row + column + x, sum[x]);
    }
  }

 private:
  __device__ __forceinline__ int inner() const { return lane_ / kLanes; }
  /// Of load n, at this lane's columns.
  __device__ __forceinline__ std::int64_t long_row(int n) const {
    return rows_.long_row(block_.begin + n * kAtOnce + inner(), block_.end) + lane_ % kLanes * 4;
  }
  __device__ __forceinline__ std::int64_t short_row() const { return block_.short_row + lane_ % kLanes * 4; }
  /// Sixteen bytes number `part` of a staged row; rows are turned so that eight of them, two parts each, meet all
  /// banks.
  __device__ __forceinline__ std::uint32_t address(int row, int part) const {
    return staged_ + row * kRowBytes + ((part ^ ((row & 7) << 1)) << 4);
  }
  __device__ __forceinline__ float staged(int row, int column) const {
    return __uint_as_float(load_shared_1(address(row, column / 4) + column % 4 * 4));
  }
  static __device__ __forceinline__ uint2 load_8(const __nv_bfloat16* p) {
    return __ldg(reinterpret_cast<const uint2*>(p));
  }
  static __device__ __forceinline__ float4 unpack(uint2 v) {
    return {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y)};
  }

  const BackwardParameters& p_;
  KeyRows rows_;
  std::uint32_t staged_;
  int warpgroup_, warp_, lane_;
  KeyRows::Block block_;  ///< of the warp's rows
};

}  // namespace triscope::hopper::backward
