// Behind the Hopper backward: its sums become gradients (finish_sums.cuh), or cuda.portable's backward runs instead of
// it, in one launch: each launch costs the host some 3 us, and only the GPU knows which of the two it is to be. The
// portable steps need two blocks' worth of registers, their blocks wait for one another between the steps, and each
// takes every n-th block of a step; results are those of the separate launches.
#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cuda/common/launch.hpp"
#include "kernels/cuda/hopper/backward/around/finish.hpp"
#include "kernels/cuda/hopper/backward/around/finish_sums.cuh"
#include "kernels/cuda/portable/backward/backward_keys.cuh"
#include "kernels/cuda/portable/backward/backward_reduce.cuh"
#include "kernels/cuda/portable/backward/backward_rows.cuh"

namespace triscope::hopper::backward {
namespace {

using portable::BackwardPlan, portable::KeysShared, portable::RowsShared, portable::Shape, portable::Tensors;

static_assert(portable::kThreads == kFinishThreads);
constexpr int kBlocksOfMultiprocessor = 2;  // as many as each of the portable steps has

/// Calls `step` with every n-th number below `count`. `next` lies in shared memory: registers are what the steps are
/// short of.
template <typename Step>
__device__ __forceinline__ void take_turns(int& next, std::int64_t count, const Step& step) {
  __syncthreads();
  if (threadIdx.x == 0) next = static_cast<int>(blockIdx.x);
  __syncthreads();
  while (next < count) {
    step(next);
    __syncthreads();
    if (threadIdx.x == 0) next += static_cast<int>(gridDim.x);
    __syncthreads();
  }
}

/// All steps of cuda.portable's backward.
template <int D>
__device__ __forceinline__ void portable_backward(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors,
                                                  unsigned char* workspace, unsigned char* memory) {
  __shared__ int next;
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t pairs = std::int64_t{shape.batch} * shape.kv_heads;
  portable::row_statistics(shape, plan, tensors, workspace);
  grid.sync();
  take_turns(next, plan.row_blocks * pairs, [&](int n) {
    portable::backward_rows(*reinterpret_cast<RowsShared<D, true>*>(memory), shape, plan, tensors, workspace, n);
  });
  const std::int64_t key_tiles = (shape.seq_len + portable::kTileRows - 1) / portable::kTileRows;
  take_turns(next, key_tiles * plan.splits * pairs, [&](int n) {
    portable::backward_keys(*reinterpret_cast<KeysShared<D, true>*>(memory), shape, plan, tensors, workspace, n);
  });
  grid.sync();
  portable::finish(shape, plan, tensors, workspace);
  if (tensors.sink == nullptr) return;
  for (int head = static_cast<int>(blockIdx.x); head < shape.q_heads; head += static_cast<int>(gridDim.x)) {
    portable::finish_sink(shape, plan, tensors, workspace, head);
    __syncthreads();
  }
}

// The portable backward's by value: with __grid_constant__ parameters it took 1.15 times as long (measured on an H200).
template <int D>
__global__ void __launch_bounds__(portable::kThreads, kBlocksOfMultiprocessor)
    finish_or_portable(const Shape shape, const BackwardPlan plan, const Tensors tensors, unsigned char* workspace,
                       const __grid_constant__ BackwardParameters p, const __grid_constant__ Finish of) {
  extern __shared__ __align__(256) unsigned char memory[];
  wait_for_previous_kernel();
  if (finish_sums<D>(p, of, shared_address(memory), shape.only_if)) return;
  portable_backward<D>(shape, plan, tensors, workspace, memory);
}

/// How many blocks have work, at least one of queries and one of keys.
int block_count(const Finish& of, int multiprocessors) {
  const std::int64_t query_threads = of.query_items * (of.sums == Sums::virtual_queries ? 1 : 32);
  const std::int64_t blocks = (query_threads + of.key_parts) / kFinishThreads + 2;
  return static_cast<int>(std::min<std::int64_t>(blocks, kBlocksOfMultiprocessor * multiprocessors));
}

/// Bytes that are read and written for an element of q, and for one of k1 and its like in the four other gradients.
struct ElementBytes {
  float query, keys;
};
ElementBytes element_bytes(Sums sums) {
  if (sums == Sums::virtual_queries) return {4 + 2, 4 * (4 + 2)};
  if (sums == Sums::deterministic) return {4 + 2, 4 * (8 + 2)};
  return {2 + 2, 4 * (4 + 2)};
}

template <int D>
void launch(const BackwardParameters& p, const Finish& of, const PortableInstead& instead, unsigned char* workspace,
            int multiprocessors, cudaStream_t stream) {
  constexpr int kBytes = static_cast<int>(std::max(
      {sizeof(RowsShared<D, true>), sizeof(KeysShared<D, true>), std::size_t{kFinishStages<D> * kStageBytes}}));
  static_assert(kBlocksOfMultiprocessor * (kBytes + 6144) <= 227 * 1024, "all blocks run at once");
  static SharedLimit limit(kBytes);
  const Launch launch = {.kernel = "finish_or_portable",
                         .blocks = static_cast<unsigned>(block_count(of, multiprocessors)),
                         .threads = portable::kThreads,
                         .shared_bytes = kBytes,
                         .shared_limit = &limit,
                         .stream = stream,
                         .together = true,
                         .behind = true};
  enqueue(launch, [&](const Launch& attempt) {
    return attempt(finish_or_portable<D>, instead.shape, instead.plan, instead.tensors, workspace, p, of);
  });
}

}  // namespace

void launch_finish(const Plan& plan, const Arguments& arguments, const PortableInstead& instead, int multiprocessors,
                   cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  const auto tensor = [](void* pointer) { return static_cast<__nv_bfloat16*>(pointer); };
  auto* workspace = static_cast<unsigned char*>(arguments.workspace);
  Finish of;
  of.sums = plan.by_queries ? Sums::virtual_queries : plan.deterministic ? Sums::deterministic : Sums::virtual_keys;
  if (plan.has_sink) of.sink = {arguments.sink, arguments.grad_sink};
  of.grad_q = tensor(arguments.grad_q);
  of.grad_long_key = tensor(plan.swapped ? arguments.grad_k2 : arguments.grad_k1);
  of.grad_long_value = tensor(plan.swapped ? arguments.grad_v2 : arguments.grad_v1);
  of.grad_short_key = tensor(plan.swapped ? arguments.grad_k1 : arguments.grad_k2);
  of.grad_short_value = tensor(plan.swapped ? arguments.grad_v1 : arguments.grad_v2);
  of.fixed = plan.fixed;
  of.scale = plan.scale;
  of.key_scale = std::abs(plan.scale);
  of.q_heads = plan.q_heads;
  of.key_parts = plan.key_elements() / 4;
  if (plan.by_queries) {
    of.query_sums = reinterpret_cast<const float*>(workspace + plan.grad_query);
    of.query_items = of.key_parts * p.group;
  } else {
    of.query_items = plan.statistic_rows() / 8;
    of.by_plane_groups = Divisor(p.padded_len * p.head_rows / 8);
  }
  const ElementBytes bytes = element_bytes(of.sums);
  of.key_share = bytes.keys / (bytes.keys + bytes.query * static_cast<float>(p.group));
  of.by_seq_len = Divisor(p.seq_len);
  of.by_kv_heads = Divisor(p.kv_heads);
  of.by_q_heads = Divisor(plan.q_heads);
  of.by_group = Divisor(p.group);
  of.by_head_blocks = Divisor(p.head_blocks);
  const auto launch_of_dim = p.head_dim == 128 ? launch<128> : launch<64>;
  launch_of_dim(p, of, instead, workspace, multiprocessors, stream);
}

}  // namespace triscope::hopper::backward
