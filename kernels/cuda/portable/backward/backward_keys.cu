// The launch of backward_keys.cuh.
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/portable/backward/backward_keys.cuh"

namespace triscope::portable {
namespace {

template <int D, bool kHalf>
__global__ void __launch_bounds__(kThreads, 2) portable_backward_keys(const Shape shape, const BackwardPlan plan,
                                                                      const Tensors tensors, unsigned char* workspace) {
  extern __shared__ __align__(256) unsigned char memory[];
  backward_keys(*reinterpret_cast<KeysShared<D, kHalf>*>(memory), shape, plan, tensors, workspace, blockIdx.x);
}

template <int D, bool kHalf>
void launch(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, void* workspace,
            cudaStream_t stream) {
  constexpr int kBytes = sizeof(KeysShared<D, kHalf>);
  const auto kernel = portable_backward_keys<D, kHalf>;
  TRISCOPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const unsigned blocks = static_cast<unsigned>(shape.key_tiles() * shape.pairs() * plan.splits);
  kernel<<<blocks, kThreads, kBytes, stream>>>(shape, plan, tensors, static_cast<unsigned char*>(workspace));
  check_launch("portable_backward_keys");
}

template <int D>
void launch(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, void* workspace,
            cudaStream_t stream) {
  shape.half ? launch<D, true>(shape, plan, tensors, workspace, stream)
             : launch<D, false>(shape, plan, tensors, workspace, stream);
}

}  // namespace

void launch_backward_keys(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, void* workspace,
                          cudaStream_t stream) {
  shape.padded_dim() == 64 ? launch<64>(shape, plan, tensors, workspace, stream)
                           : launch<128>(shape, plan, tensors, workspace, stream);
}

}  // namespace triscope::portable
