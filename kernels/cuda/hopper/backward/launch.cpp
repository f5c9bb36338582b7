// What the kernels of the Hopper backward are told, its tensor maps, and the launch of virtual keys.
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/kernel/queries.hpp"
#include "kernels/cuda/hopper/backward/kernel/tensor_maps.hpp"
#include "kernels/cuda/hopper/common/tensor_map.hpp"

namespace triscope::hopper::backward {
namespace {

/// Map of a [batch, seq_len, kv_heads, group, head_dim] tensor of 16-bit elements in boxes of one tile's rows and 64
/// dimensions. Heads behind the group and positions behind the sequence read as zeros.
CUtensorMap encode(const void* tensor, const BackwardParameters& p, CUtensorMapDataType element) {
  const auto size = [](int n) { return static_cast<cuuint64_t>(n); };
  const cuuint64_t extents[5] = {size(p.head_dim), size(p.group), size(p.kv_heads), size(p.seq_len), size(p.batch)};
  cuuint64_t strides[4] = {extents[0] * 2};
  for (int n = 1; n < 4; ++n) strides[n] = strides[n - 1] * extents[n];
  const cuuint32_t box[5] = {64, static_cast<cuuint32_t>(p.head_rows), 1, static_cast<cuuint32_t>(p.positions), 1};
  const cuuint32_t element_strides[5] = {1, 1, 1, 1, 1};
  CUtensorMap map;
  const CUresult result =
      tensor_map_encoder()(&map, element, 5, const_cast<void*>(tensor), extents, strides, box, element_strides,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw Error("cannot describe a tensor to the copy engine",
                fmt::format("cuTensorMapEncodeTiled returned {} for {} x {} x {} x {} x {}", static_cast<int>(result),
                            p.batch, p.seq_len, p.kv_heads, p.group, p.head_dim),
                "align the tensor to 16 bytes, or use cuda.portable");
  }
  return map;
}

}  // namespace

Plan bind(const Plan& problem_plan, const Arguments& arguments) {
  Plan plan = problem_plan;
  BackwardParameters& p = plan.parameters;
  auto* workspace = static_cast<unsigned char*>(arguments.workspace);
  const auto tensor = [](const void* pointer) { return static_cast<const __nv_bfloat16*>(pointer); };
  p.long_key = tensor(plan.swapped ? arguments.k2 : arguments.k1);
  p.long_value = tensor(plan.swapped ? arguments.v2 : arguments.v1);
  p.short_key = tensor(plan.swapped ? arguments.k1 : arguments.k2);
  p.short_value = tensor(plan.swapped ? arguments.v1 : arguments.v2);
  p.scaled_long_key = reinterpret_cast<const __half*>(workspace + plan.long_key);
  p.scaled_short_key = reinterpret_cast<const __half*>(workspace + plan.short_key);
  p.scaled_short_value = reinterpret_cast<const __nv_bfloat16*>(workspace + plan.short_value);
  if (!plan.by_queries) {
    p.short_key_columns = reinterpret_cast<const __nv_bfloat16*>(workspace + plan.columns);
    p.short_value_columns = p.short_key_columns + plan.key_elements();
  }
  p.lse2 = reinterpret_cast<const float*>(workspace + plan.lse2);
  p.delta = reinterpret_cast<const float*>(workspace + plan.delta);
  p.ranges = reinterpret_cast<const Ranges*>(workspace + plan.ranges);
  p.grad_query = reinterpret_cast<__half*>(workspace + plan.grad_query);
  p.grad_long_key = reinterpret_cast<float*>(workspace + plan.grad_keys);
  p.grad_long_value = p.grad_long_key + plan.key_elements();
  p.grad_short_key = p.grad_long_value + plan.key_elements();
  p.grad_short_value = p.grad_short_key + plan.key_elements();
  if (plan.deterministic) {  // short sums of 64 bits, and the high parts of the long ones behind them
    p.grad_short_value += plan.key_elements();
    plan.fixed.high_long_key = reinterpret_cast<std::int32_t*>(p.grad_short_value + 2 * plan.key_elements());
    plan.fixed.high_long_value = plan.fixed.high_long_key + plan.key_elements();
    plan.fixed.scales = reinterpret_cast<FixedScales*>(workspace + plan.fixed_scales);
  }
  return plan;
}

QueryParameters query_parameters(const Plan& plan, const Arguments& arguments) {
  QueryParameters p;
  p.shape = plan.parameters;
  p.query = static_cast<const __half*>(arguments.grad_q);
  p.grad_o = static_cast<const __nv_bfloat16*>(arguments.grad_o);
  p.grad_query = reinterpret_cast<float*>(static_cast<unsigned char*>(arguments.workspace) + plan.grad_query);
  p.q_heads = plan.q_heads;
  return p;
}

Preparation preparation(const Plan& plan, const Arguments& arguments, std::uint32_t* unlike) {
  const auto at = [&](std::size_t offset) { return static_cast<unsigned char*>(arguments.workspace) + offset; };
  const auto half = [&](std::size_t offset) { return reinterpret_cast<__half*>(at(offset)); };
  const auto brain = [&](std::size_t offset) { return reinterpret_cast<__nv_bfloat16*>(at(offset)); };
  Preparation to = {};
  to.rows = {static_cast<const __nv_bfloat16*>(arguments.q),
             static_cast<const __nv_bfloat16*>(arguments.o),
             static_cast<const __nv_bfloat16*>(arguments.grad_o),
             arguments.lse,
             static_cast<__half*>(arguments.grad_q),
             reinterpret_cast<float*>(at(plan.lse2)),
             reinterpret_cast<float*>(at(plan.delta)),
             unlike,
             plan.q_heads};
  to.keys = {half(plan.long_key), half(plan.short_key), brain(plan.short_value),
             plan.by_queries ? nullptr : brain(plan.columns)};
  to.key_elements = plan.key_elements();
  to.fixed = plan.fixed;
  to.ranges = reinterpret_cast<Ranges*>(at(plan.ranges));
  to.sums = reinterpret_cast<uint4*>(at(0));
  to.sum_parts = static_cast<std::int64_t>(plan.ranges / sizeof(uint4));
  to.range_parts = static_cast<std::int64_t>((plan.zero_bytes - plan.ranges) / sizeof(uint4));
  to.lse_in_bf16 = arguments.lse_in_bf16;
  to.pairs = plan.pairs();
  to.row_count = static_cast<int>(plan.statistic_rows());
  to.deltas_of_pair = plan.statistic_rows() / plan.pairs() * statistic_copies(plan.parameters);
  to.sign = plan.scale < 0 ? -1.0f : 1.0f;
  to.cross = plan.cross;
  return to;
}

void launch_main(const Plan& plan, const Arguments& arguments, int multiprocessors, std::uint32_t* unlike,
                 cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  const TensorMaps maps = {encode(arguments.grad_q, p, CU_TENSOR_MAP_DATA_TYPE_FLOAT16),
                           encode(arguments.grad_o, p, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16)};
  const Preparation to = preparation(plan, arguments, unlike);
  const int blocks = std::min(multiprocessors, p.items);
  if (plan.deterministic) {
    const auto launch = p.head_dim == 128 ? (plan.cross ? launch_deterministic_d128_cross : launch_deterministic_d128)
                                          : (plan.cross ? launch_deterministic_d64_cross : launch_deterministic_d64);
    launch(maps, p, to, blocks, stream);
    return;
  }
  const auto launch =
      p.head_dim == 128 ? (plan.cross ? launch_d128_cross : launch_d128) : (plan.cross ? launch_d64_cross : launch_d64);
  launch(maps, p, to, blocks, stream);
}

}  // namespace triscope::hopper::backward
