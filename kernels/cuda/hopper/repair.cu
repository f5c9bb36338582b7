// The safe path: rows whose logits jumped beyond what the forward's softmax covers (about 88 nats above a row's first tile
// within one step, or values of v near the ends of fp32) are computed again with a running maximum, on CUDA cores.
//
// One CTA of 8 warps for a row; warp w takes steps w, w + 8, ...; a lane owns head_dim / 32 consecutive dimensions. The
// virtual query is rounded to bf16 as in the forward, so a repaired row has the same lse fold. Rare by design: about 15 times
// slower than the forward when every row is repaired, one short launch when none is.
#include <limits>

#include "kernels/cuda/cuda_error.hpp"
#include "kernels/cuda/hopper/launch.hpp"
#include "kernels/cuda/hopper/ptx.cuh"

namespace triscope::hopper {
namespace {

constexpr int kRepairWarps = 8;
constexpr int kWarpRows = 16;          // rows that one byte of `suspect` stands for
constexpr float kLog2e = 1.4426950408889634f;
constexpr float kLn2 = 0.69314718055994531f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <int kDims>                   // dimensions of a lane
struct PartialRow {
  float highest = -kInfinity;       // log2 units
  float sum = 0.0f;
  float o[kDims] = {};
};

/// A row of the problem and the tensors' rows it reads.
struct RowPlace {
  int batch, position, head, kv_head;
};

__device__ const __nv_bfloat16* key_row(const ForwardParameters& p, const __nv_bfloat16* tensor, const RowPlace& row, int key) {
  return tensor + ((static_cast<std::int64_t>(row.batch) * p.seq_len + key) * p.kv_heads + row.kv_head) * p.head_dim;
}
__device__ std::int64_t query_offset(const ForwardParameters& p, const RowPlace& row) {
  return ((static_cast<std::int64_t>(row.batch) * p.seq_len + row.position) * p.q_heads + row.head) * p.head_dim;
}

/// Dimension d of the virtual query, rounded as in virtual_query.cuh.
__device__ float folded(const ForwardParameters& p, const __nv_bfloat16* q, const __nv_bfloat16* k, int d) {
  const auto query = [&](int i) { return p.sign * __bfloat162float(q[i]); };
  const auto key = [&](int i) { return __bfloat162float(k[i]) + p.key_bias; };
  float x = 0.0f;
  if (!p.determinant) {
    x = query(d) * key(d);
  } else if (d < p.head_dim / 3 * 3) {
    const int a = d % 3 == 2 ? d - 2 : d + 1, b = d % 3 == 0 ? d + 2 : d - 1;
    const float product = key(b) * query(a);   // rounded where the forward multiplies in bf16
    x = key(a) * query(b) - (p.key_bias == 0.0f ? __bfloat162float(__float2bfloat16(product)) : product);
  }
  return __bfloat162float(__float2bfloat16(x));
}

/// Adds the step with short-axis row `short_row` to `row_state`.
template <int kDims>
__device__ void add_step(const ForwardParameters& p, const RowPlace& row, int short_row, int lane, PartialRow<kDims>& state) {
  const __nv_bfloat16* q = p.q + query_offset(p, row);
  const __nv_bfloat16* k = key_row(p, p.short_key, row, short_row);
  float query[kDims], values[kDims] = {};
  for (int i = 0; i < kDims; ++i) query[i] = folded(p, q, k, lane * kDims + i);
  for (int j = max(0, row.position - p.long_window + 1); j <= row.position; ++j) {
    const __nv_bfloat16* key = key_row(p, p.long_key, row, j) + lane * kDims;
    const __nv_bfloat16* value = key_row(p, p.long_value, row, j) + lane * kDims;
    float dot = 0.0f;
    for (int i = 0; i < kDims; ++i) dot += query[i] * __bfloat162float(key[i]);
    for (int mask = 16; mask > 0; mask >>= 1) dot += __shfl_xor_sync(0xFFFFFFFFu, dot, mask);
    const float logit = dot * p.scale_log2;
    if (logit > state.highest) {
      const float shrink = exp2f(state.highest - logit);
      state.sum *= shrink;
      for (int i = 0; i < kDims; ++i) state.o[i] *= shrink, values[i] *= shrink;
      state.highest = logit;
    }
    const float weight = exp2f(logit - state.highest);
    state.sum += weight;
    for (int i = 0; i < kDims; ++i) values[i] += weight * __bfloat162float(value[i]);
  }
  const __nv_bfloat16* short_value = key_row(p, p.short_value, row, short_row) + lane * kDims;
  for (int i = 0; i < kDims; ++i) state.o[i] += values[i] * (__bfloat162float(short_value[i]) + p.value_bias);
}

/// The whole CTA computes one row.
template <int kDims>
__device__ void repair_row(const ForwardParameters& p, const RowPlace& row) {
  __shared__ float highest[kRepairWarps], sums[kRepairWarps], parts[kRepairWarps][32 * kDims];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) & 31;
  PartialRow<kDims> state;
  const int steps = min(p.short_window, row.position + 1);
  for (int t = warp; t < steps; t += kRepairWarps) add_step<kDims>(p, row, row.position - t, lane, state);
  for (int i = 0; i < kDims; ++i) parts[warp][lane * kDims + i] = state.o[i];
  if (lane == 0) highest[warp] = state.highest, sums[warp] = state.sum;
  __syncthreads();
  const float sink = p.sink != nullptr ? p.sink[row.head] * kLog2e : -kInfinity;
  float top = sink, sum = 0.0f, o = 0.0f;
  for (int w = 0; w < kRepairWarps; ++w) top = fmaxf(top, highest[w]);
  sum = exp2f(sink - top);
  const int d = static_cast<int>(threadIdx.x);
  for (int w = 0; w < kRepairWarps; ++w) {
    const float factor = exp2f(highest[w] - top);
    sum += sums[w] * factor;
    if (d < p.head_dim) o += parts[w][d] * factor;
  }
  if (d < p.head_dim) p.o[query_offset(p, row) + d] = __float2bfloat16(o / sum);
  if (d == 0) {
    p.lse[(static_cast<std::int64_t>(row.batch) * p.q_heads + row.head) * p.seq_len + row.position] = (top + log2f(sum)) * kLn2;
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kRepairWarps * 32) repair_kernel(const __grid_constant__ ForwardParameters p) {
  for (int index = blockIdx.x; index < p.items; index += gridDim.x) {
    const unsigned long long marks = *reinterpret_cast<const unsigned long long*>(p.suspect + static_cast<std::int64_t>(index) * 8);
    if (marks == 0) continue;
    const WorkItem item = work_item<128, 1>(p, index);  // tiles and steps are not used here
    for (int item_row = 0; item_row < 8 * kWarpRows; ++item_row) {
      if ((marks >> (item_row / kWarpRows * 8) & 0xFF) == 0) continue;
      const int position = item.position + item_row / p.heads, head = item_row % p.heads;
      if (item_row >= p.positions * p.heads || position > item.last_position || head >= item.heads) continue;
      const RowPlace row{item.batch, position, item.first_head + head, item.kv_head};
      if (p.head_dim == 128) {
        repair_row<4>(p, row);
      } else {
        repair_row<2>(p, row);
      }
    }
  }
}

}  // namespace

void launch_repair(const ForwardParameters& p, int blocks, cudaStream_t stream) {
  repair_kernel<<<static_cast<unsigned>(blocks), kRepairWarps * 32, 0, stream>>>(p);
  check_launch("cuda.hopper repair");
}

}  // namespace triscope::hopper
