// Logits of queries and their softmax's sums, in fp64, without storing the logits.
//
//   row (h, k) of a query:  f_d = scale * q_hd (k2_kd + bias)      determinant: scale * (k2_k x q_h)_d, chunk by chunk
//   logit of (row, j):      x = sum_d f_d k1_jd
//   kept of a row:          max x, sum e^(x - max), sum e^(x - max) x, sum e^(x - max) (i - j)
//
// A block of 64 threads walks over keys 1 in tiles of 64 for 64 rows of one query and kv head; rows of all heads that
// share the keys stand one behind the other, so that 32 keys 2 do not leave half of a tile empty. Each thread holds 8x8
// logits in registers; 16 dimensions of both operands at a time lie in shared memory, dimension by dimension.
//
//   shared   folded [16][64], keys [16][64] doubles = 16 KiB; sums of each row and thread column = 16 KiB
//   budget   per 16 dimensions 1024 FMA and 256 doubles from shared memory a thread: both pipes of an H200 are then
//            about equally busy; 64 exponentials a thread and tile are a quarter of that at head_dim 128
//   measured H200, 2026-11-21, 64 heads x 8,192 queries at 512x32, from the tensors on the host to the figures:
//            head_dim 128 405 ms (5.4 TFLOP/s), determinant 463 ms, head_dim 64 268 ms. A slice of 1024x1024 at
//            head_dim 64: 1.8 ms, most of it 4 MB on their way back
//   limits   slow where fp64 is slow (GeForce: 1/64 of fp32); exactness comes first here
#include <cmath>
#include <cstring>

#include "kernels/base/philox.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/inspect/cuda/survey.hpp"
#include "kernels/inspect/slice_sums.hpp"

namespace triscope::cuda::slice {
namespace {

constexpr int kTile = 64;  // rows and columns of a block
constexpr int kEach = 8;   // rows and columns of a thread
constexpr int kLanes = kTile / kEach;
constexpr int kThreads = kLanes * kLanes;
constexpr int kDims = 16;  // dimensions in shared memory at a time
static_assert(kThreads == kTile, "a thread loads one row and one column");

struct Shared {
  double folded[kDims][kTile];
  double keys[kDims][kTile];
  RowSums sums[kTile][kLanes + 1];  // one more: rows of a warp then lie in other banks
};

/// Thread column `lane` holds columns 2 lane, 2 lane + 1, 16 + 2 lane, ...: pairs side by side for loads of 16 bytes.
__device__ int column_of(int lane, int n) { return n / 2 * 2 * kLanes + 2 * lane + n % 2; }

__device__ double fold(const Operands& in, const float* q, const float* k2, int d) {
  double x;
  if (in.crossed) {
    const int chunk = d / 3 * 3, a = chunk + (d + 1) % 3, b = chunk + (d + 2) % 3;
    x = (k2[a] + in.k2_bias) * q[b] - (k2[b] + in.k2_bias) * q[a];
  } else {
    x = q[d] * (k2 ? k2[d] + in.k2_bias : 1.0);
  }
  if (in.rounded && isfinite(x)) x = round_to_bf16(static_cast<float>(x));
  return x * in.scale;
}

/// What this thread loads: one row and one column of the block's tiles.
struct Loader {
  const float* q = nullptr;  // of its row; null: none
  const float* k2 = nullptr;
  const float* k1 = nullptr;  // of its column; null: none

  __device__ void load(const Operands& in, int first_dim, Shared& shared) const {
#pragma unroll 4
    for (int n = 0; n < kDims; ++n) {
      const int d = first_dim + n;
      const bool inside = d < in.dims;
      shared.folded[n][threadIdx.x] = q && inside ? fold(in, q, k2, d) : 0.0;
      shared.keys[n][threadIdx.x] = k1 && inside ? static_cast<double>(k1[d]) : 0.0;
    }
  }
};

__device__ void multiply(const Shared& shared, int row_lane, int column_lane, double (&x)[kEach][kEach]) {
#pragma unroll 2
  for (int d = 0; d < kDims; ++d) {
    double rows[kEach], columns[kEach];
#pragma unroll
    for (int n = 0; n < kEach; n += 2) {
      const double2 row = *reinterpret_cast<const double2*>(&shared.folded[d][row_lane * kEach + n]);
      const double2 column = *reinterpret_cast<const double2*>(&shared.keys[d][column_of(column_lane, n)]);
      rows[n] = row.x;
      rows[n + 1] = row.y;
      columns[n] = column.x;
      columns[n + 1] = column.y;
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
#pragma unroll
      for (int n = 0; n < kEach; ++n) x[r][n] = fma(rows[r], columns[n], x[r][n]);
    }
  }
}

/// Makes room for logits up to `maximum`.
__device__ void raise(RowSums& sums, double maximum) {
  if (!(maximum > sums.maximum)) return;
  const double factor = exp(sums.maximum - maximum);
  sums.sum *= factor;
  sums.sum_logit *= factor;
  sums.sum_distance *= factor;
  sums.maximum = maximum;
}

__device__ void merge(RowSums& sums, RowSums other) {
  raise(sums, other.maximum);
  raise(other, sums.maximum);
  sums.sum += other.sum;
  sums.sum_logit += other.sum_logit;
  sums.sum_distance += other.sum_distance;
}

__device__ void take(RowSums& sums, const double (&x)[kEach], unsigned seen, const double (&distance)[kEach]) {
  double maximum = kMaskedLogit;
#pragma unroll
  for (int n = 0; n < kEach; ++n) {
    if (seen >> n & 1) maximum = fmax(maximum, x[n]);
  }
  raise(sums, maximum);
#pragma unroll
  for (int n = 0; n < kEach; ++n) {
    if (!(seen >> n & 1)) continue;
    const double e = exp(x[n] - sums.maximum);
    sums.sum += e;
    sums.sum_logit = fma(e, x[n], sums.sum_logit);
    sums.sum_distance = fma(e, distance[n], sums.sum_distance);
  }
}

__device__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__global__ void __launch_bounds__(kThreads, 4) survey(const Operands in, const Findings out) {
  __shared__ Shared shared;
  const std::int64_t item = blockIdx.x / out.splits;
  const int split = static_cast<int>(blockIdx.x % out.splits), kv_head = static_cast<int>(item % in.kv_heads);
  const std::int64_t column = item / in.kv_heads, query = in.first_query + column * in.step;
  const std::int64_t first1 = in.full ? 0 : query - in.window1 + 1, first2 = in.full ? 0 : query - in.window2 + 1;
  const std::int64_t rows = in.group * in.window2, first_row = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const auto is_row = [&](std::int64_t row) { return row < rows && first2 + row % in.window2 >= 0; };

  const int row_lane = threadIdx.x / kLanes, column_lane = threadIdx.x % kLanes;
  for (int lane = 0; lane < kLanes; ++lane) shared.sums[threadIdx.x][lane] = {kMaskedLogit, 0, 0, 0};
  Loader loader;
  if (const std::int64_t row = first_row + threadIdx.x; is_row(row)) {
    const std::int64_t head = kv_head * in.group + row / in.window2, key = first2 + row % in.window2 - in.first_key2;
    loader.q = in.q + (head * in.columns + column) * in.head_dim;
    if (in.k2) loader.k2 = in.k2 + (kv_head * in.keys2 + key) * in.head_dim;
  }

  const std::int64_t tiles = (in.window1 + kTile - 1) / kTile;
  for (std::int64_t tile = tiles * split / out.splits; tile < tiles * (split + 1) / out.splits; ++tile) {
    const std::int64_t mine = tile * kTile + threadIdx.x;
    loader.k1 = mine < in.window1 && first1 + mine >= 0
                    ? in.k1 + (kv_head * in.keys1 + first1 + mine - in.first_key1) * in.head_dim
                    : nullptr;
    double x[kEach][kEach] = {};
    for (int d = 0; d < in.dims; d += kDims) {
      __syncthreads();
      loader.load(in, d, shared);
      __syncthreads();
      multiply(shared, row_lane, column_lane, x);
    }
    double distance[kEach];
    unsigned is_key = 0;
#pragma unroll
    for (int n = 0; n < kEach; ++n) {
      const std::int64_t j = tile * kTile + column_of(column_lane, n);
      distance[n] = static_cast<double>(query - first1 - j);
      is_key |= (j < in.window1 && first1 + j >= 0 ? 1u : 0u) << n;
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
      const std::int64_t row = first_row + row_lane * kEach + r;
      if (!is_row(row)) continue;
      unsigned finite = 0;
#pragma unroll
      for (int n = 0; n < kEach; ++n) finite |= (isfinite(x[r][n]) ? 1u : 0u) << n;
      take(shared.sums[row_lane * kEach + r][column_lane], x[r], is_key & finite, distance);
      if (!out.logits && !out.sheet) continue;
      const std::int64_t key = row % in.window2;
      unsigned* cells =
          out.sheet +
          ((kv_head * in.group + row / in.window2) * out.height + key * out.height / in.window2) * out.width;
#pragma unroll
      for (int n = 0; n < kEach; ++n) {
        const std::int64_t j = tile * kTile + column_of(column_lane, n);
        if (!(is_key >> n & 1)) continue;
        if (out.logits) out.logits[key * in.window1 + j] = x[r][n];
        if (!out.sheet || !(finite >> n & 1)) continue;
        const double kept = fmin(fmax(x[r][n], -kMostFloat), kMostFloat);
        atomicMax(cells + j * out.width / in.window1, ordered(static_cast<float>(kept)));
      }
    }
  }

  __syncthreads();
  const std::int64_t row = first_row + threadIdx.x;
  if (row >= rows) return;
  RowSums total = shared.sums[threadIdx.x][0];
  for (int lane = 1; lane < kLanes; ++lane) merge(total, shared.sums[threadIdx.x][lane]);
  out.rows[(item * rows + row) * out.splits + split] = total;
}

__device__ double across(double value, int offset) { return __shfl_xor_sync(~0u, value, offset); }

/// One warp for each query head: its rows become one.
__global__ void heads_of_rows(const Operands in, const Findings found, HeadSums* heads) {
  constexpr int kWarp = 32;
  const std::int64_t count = in.columns * in.kv_heads * in.group;
  const std::int64_t head = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
  if (head >= count) return;
  const RowSums* rows = found.rows + head * in.window2 * found.splits;
  RowSums total{kMaskedLogit, 0, 0, 0};
  double sum_distance2 = 0;
  const auto add = [&](RowSums other, double other_distance2) {
    if (other.maximum > total.maximum) {
      sum_distance2 *= exp(total.maximum - other.maximum);
    } else {
      other_distance2 *= exp(other.maximum - total.maximum);
    }
    merge(total, other);
    sum_distance2 += other_distance2;
  };
  for (std::int64_t n = threadIdx.x % kWarp; n < in.window2 * found.splits; n += kWarp) {
    const std::int64_t key = n / found.splits, query = in.first_query + head / (in.kv_heads * in.group) * in.step;
    // A dot product has no axis 2: its one row stands for the query's own position.
    const double distance2 = static_cast<double>(!in.k2 ? 0 : in.full ? query - key : in.window2 - 1 - key);
    if (rows[n].sum > 0) add(rows[n], rows[n].sum * distance2);
  }
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    const RowSums other{across(total.maximum, offset), across(total.sum, offset), across(total.sum_logit, offset),
                        across(total.sum_distance, offset)};
    add(other, across(sum_distance2, offset));
  }
  if (threadIdx.x % kWarp == 0)
    heads[head] = {total.maximum, total.sum, total.sum_logit, total.sum_distance, sum_distance2};
}

std::int64_t row_tiles(const Operands& operands) { return (operands.group * operands.window2 + kTile - 1) / kTile; }

}  // namespace

float from_ordered(unsigned ordered) {
  const unsigned bits = ordered & 0x80000000u ? ordered & 0x7FFFFFFFu : ~ordered;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return ordered == kOrderedNothing ? -INFINITY : value;
}

std::int64_t survey_blocks(const Operands& operands) {
  return row_tiles(operands) * operands.columns * operands.kv_heads;
}

int splits_for(std::int64_t blocks, std::int64_t window1) {
  constexpr std::int64_t kEnough = 512;  // four blocks on each multiprocessor of the largest devices
  const std::int64_t tiles = (window1 + kTile - 1) / kTile;
  return static_cast<int>(blocks >= kEnough ? 1 : tiles < kEnough / blocks ? tiles : kEnough / blocks);
}

void launch_survey(const Operands& operands, const Findings& findings, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(operands.columns * operands.kv_heads * findings.splits),
                  static_cast<unsigned>(row_tiles(operands)));
  survey<<<grid, kThreads, 0, stream>>>(operands, findings);
  check_launch("the survey of a slice");
}

void launch_heads(const Operands& operands, const Findings& findings, HeadSums* heads, cudaStream_t stream) {
  constexpr int kBlock = 256;
  const std::int64_t threads = operands.columns * operands.kv_heads * operands.group * 32;
  heads_of_rows<<<static_cast<unsigned>((threads + kBlock - 1) / kBlock), kBlock, 0, stream>>>(operands, findings,
                                                                                               heads);
  check_launch("the sums of a survey");
}

}  // namespace triscope::cuda::slice
