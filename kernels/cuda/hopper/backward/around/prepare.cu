// The first step of the Hopper backward as a launch of its own: before virtual queries, whose kernel is no cooperative
// one.
#include <algorithm>

#include "kernels/cuda/common/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/prepare.cuh"
#include "kernels/cuda/hopper/backward/kernel/queries.hpp"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = 256, kBlocksOfMultiprocessor = 4, kHeadDim = 128;

__global__ void __launch_bounds__(kBlock, kBlocksOfMultiprocessor)
    prepare(const __grid_constant__ BackwardParameters p, const __grid_constant__ Preparation to) {
  using Steps = Prepare<kHeadDim, kBlock, 1>;
  __shared__ Steps::Scratch scratch;
  Steps(p, to, scratch).run();
}

}  // namespace

void launch_prepare(const Plan& plan, const Preparation& to, int multiprocessors, cudaStream_t stream) {
  const int row_blocks = to.row_count / (kBlock / (kHeadDim / 8));
  const Launch launch = {
      .kernel = "prepare",
      .blocks = static_cast<unsigned>(std::clamp(row_blocks, 1, kBlocksOfMultiprocessor * multiprocessors)),
      .threads = kBlock,
      .stream = stream,
      .together = true};
  enqueue(launch, [&](const Launch& attempt) { return attempt(prepare, plan.parameters, to); });
}

}  // namespace triscope::hopper::backward
