// Behind the backward by virtual queries: its sums, all fp32 in the layout of the problem's tensors, become gradients.
// Their scales: prepare.cu. One launch as in finish.cu.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/around/finish_sink.cuh"
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/memory.cuh"
#include "kernels/cuda/hopper/backward/kernel/queries.hpp"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = kFinishBlock;

__device__ __forceinline__ uint2 rounded(float4 v, float4 scale) {
  return make_uint2(pack_bf16x2(v.x * scale.x, v.y * scale.y), pack_bf16x2(v.z * scale.z, v.w * scale.w));
}
__device__ __forceinline__ float4 times(float4 v, float factor) {
  return {v.x * factor, v.y * factor, v.z * factor, v.w * factor};
}

struct KeyGrads {
  uint2 *long_key, *long_value, *short_key, *short_value;
};

struct Finish {
  FinishBlocks blocks;
  SinkGrad sink;
  uint2* grad_q;
  KeyGrads keys;
  float scale, key_scale;
  std::int64_t query_parts, key_parts;  ///< groups of four elements
};

__device__ __forceinline__ void finish_queries(const QueryParameters& p, const Finish& of, int number) {
  const int row_parts = p.shape.head_dim / 4;
  for (std::int64_t n = std::int64_t{number} * kBlock + threadIdx.x; n < of.query_parts;
       n += std::int64_t{of.blocks.queries} * kBlock) {
    const int part = static_cast<int>(n % row_parts);
    const std::int64_t row = n / row_parts, batch = row / p.q_heads / p.shape.seq_len;
    const Ranges& r = p.shape.ranges[batch * p.shape.kv_heads + row % p.q_heads / p.shape.group];
    const float4 unscale = *reinterpret_cast<const float4*>(r.grad_query_scale + 4 * part);
    of.grad_q[n] = rounded(reinterpret_cast<const float4*>(p.grad_query)[n], times(unscale, of.scale));
  }
}

/// long key 2^(e - a - s), short key 2^(e - b), long value 2^e, short value 1.
__device__ __forceinline__ void finish_keys(const BackwardParameters& p, const Finish& of, int number) {
  const int row_parts = p.head_dim / 4;
  for (std::int64_t n = std::int64_t{number} * kBlock + threadIdx.x; n < of.key_parts;
       n += std::int64_t{of.blocks.keys} * kBlock) {
    const int part = static_cast<int>(n % row_parts);
    const std::int64_t row = n / row_parts, batch = row / p.kv_heads / p.seq_len;
    const Ranges& r = p.ranges[batch * p.kv_heads + row % p.kv_heads];
    const float4 both = *reinterpret_cast<const float4*>(r.grad_key_scale + 4 * part);
    const float4 b = *reinterpret_cast<const float4*>(r.short_key_scale + 4 * part);
    const float4 long_scale = {both.x / b.x, both.y / b.y, both.z / b.z, both.w / b.w};
    const auto sums = [n](const float* tensor) { return reinterpret_cast<const float4*>(tensor)[n]; };
    const float4 ones = {1, 1, 1, 1};
    of.keys.long_key[n] = rounded(sums(p.grad_long_key), times(long_scale, of.key_scale));
    of.keys.short_key[n] = rounded(sums(p.grad_short_key), times(b, of.key_scale * r.grad_scale));
    of.keys.long_value[n] = rounded(sums(p.grad_long_value), times(ones, r.grad_scale));
    of.keys.short_value[n] = rounded(sums(p.grad_short_value), ones);
  }
}

__global__ void __launch_bounds__(kBlock)
    finish_virtual_queries(const __grid_constant__ QueryParameters p, const __grid_constant__ Finish of) {
  const int number = static_cast<int>(blockIdx.x), behind_sinks = number - of.blocks.sinks;
  if (behind_sinks < 0) {
    finish_sink(p.shape, of.sink, number);
  } else if (behind_sinks < of.blocks.queries) {
    finish_queries(p, of, behind_sinks);
  } else {
    finish_keys(p.shape, of, behind_sinks - of.blocks.queries);
  }
}

int block_count(std::int64_t threads) {
  return static_cast<int>(std::min<std::int64_t>((threads + kBlock - 1) / kBlock, 2112));
}

}  // namespace

QueryParameters query_parameters(const Plan& plan, const Arguments& arguments) {
  QueryParameters p;
  p.shape = plan.parameters;
  p.query = static_cast<const __half*>(arguments.grad_q);
  p.grad_o = static_cast<const __nv_bfloat16*>(arguments.grad_o);
  p.grad_query = reinterpret_cast<float*>(static_cast<unsigned char*>(arguments.workspace) + plan.grad_query);
  p.q_heads = plan.q_heads;
  return p;
}

void launch_queries_finish(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  const QueryParameters p = query_parameters(plan, arguments);
  const auto tensor = [](void* pointer) { return static_cast<uint2*>(pointer); };
  Finish of = {};
  of.query_parts = plan.key_elements() * p.shape.group / 4;
  of.key_parts = plan.key_elements() / 4;
  of.blocks = {plan.has_sink ? plan.q_heads : 0, block_count(of.query_parts), block_count(of.key_parts)};
  of.sink = {arguments.sink, arguments.grad_sink};
  of.grad_q = tensor(arguments.grad_q);
  of.keys = {tensor(arguments.grad_k1), tensor(arguments.grad_v1), tensor(arguments.grad_k2),
             tensor(arguments.grad_v2)};
  if (plan.swapped) of.keys = {of.keys.short_key, of.keys.short_value, of.keys.long_key, of.keys.long_value};
  of.scale = plan.scale;
  of.key_scale = std::abs(plan.scale);
  finish_virtual_queries<<<static_cast<unsigned>(of.blocks.all()), kBlock, 0, stream>>>(p, of);
  check_launch("cuda.hopper finish_virtual_queries");
}

}  // namespace triscope::hopper::backward
