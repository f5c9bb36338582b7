#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/kernel/enqueue.hpp"
#include "kernels/cuda/hopper/backward/kernel/virtual_queries.cuh"

namespace triscope::hopper::backward {
namespace {

__global__ void __launch_bounds__(kQueryThreads, 1) virtual_queries(const __grid_constant__ QueryParameters p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  wait_for_previous_kernel();
  QueryBlock(p, shared_address(shared)).run();
}

}  // namespace

void launch_queries(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  const QueryParameters p = query_parameters(plan, arguments);
  const BackwardParameters& s = p.shape;
  TRISCOPE_CUDA_CHECK(
      cudaFuncSetAttribute(virtual_queries, cudaFuncAttributeMaxDynamicSharedMemorySize, QueryLayout::kBytes));
  const dim3 blocks(static_cast<unsigned>((s.seq_len + kTileKeys - 1) / kTileKeys), static_cast<unsigned>(s.kv_heads),
                    static_cast<unsigned>(s.batch));
  const Enqueue enqueue = {
      .threads = kQueryThreads, .shared_bytes = QueryLayout::kBytes, .stream = stream, .behind = true};
  TRISCOPE_CUDA_CHECK(enqueue(virtual_queries, blocks, p));
}

}  // namespace triscope::hopper::backward
