#include "kernels/cuda/common/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/virtual_queries.cuh"

namespace triscope::hopper::backward {
namespace {

__global__ void __launch_bounds__(kQueryThreads, 1) virtual_queries(const __grid_constant__ QueryParameters p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t memory = shared_address(shared);
  wait_for_previous_kernel();
  if (__shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) / kSideThreads, 0) == 0) {
    ValueSide(p, memory).run();
  } else {
    KeySide(p, memory).run();
  }
}

}  // namespace

void launch_queries(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  const QueryParameters p = query_parameters(plan, arguments);
  const BackwardParameters& s = p.shape;
  const dim3 blocks(static_cast<unsigned>((s.seq_len + kTileKeys - 1) / kTileKeys), static_cast<unsigned>(s.kv_heads),
                    static_cast<unsigned>(s.batch));
  static SharedLimit limit(QueryLayout::kBytes);
  const Launch launch = {.kernel = "virtual_queries",
                         .blocks = blocks,
                         .threads = kQueryThreads,
                         .shared_bytes = QueryLayout::kBytes,
                         .shared_limit = &limit,
                         .stream = stream,
                         .behind = true};
  enqueue(launch, [&](const Launch& attempt) { return attempt(virtual_queries, p); });
}

}  // namespace triscope::hopper::backward
