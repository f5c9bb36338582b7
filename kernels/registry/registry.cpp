#include "kernels/registry/registry.hpp"

#include "kernels/cpu/fast.hpp"
#include "kernels/paper/two_stage.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#ifdef TRISCOPE_HAVE_CUDA
#include "kernels/baseline/cublas/cublas_kernel.hpp"
#include "kernels/baseline/cudnn/cudnn_kernel.hpp"
#include "kernels/baseline/fa3/fa3_kernel.hpp"
#include "kernels/cuda/common/capability.hpp"
#include "kernels/cuda/common/current_gpu.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/hopper/tiles/tiles.hpp"
#include "kernels/cuda/portable/portable.hpp"
#endif

namespace triscope {

const std::vector<std::unique_ptr<Kernel>>& all_kernels() {
  static const std::vector<std::unique_ptr<Kernel>> kernels = [] {
    std::vector<std::unique_ptr<Kernel>> list;
    list.push_back(make_cpu_oracle());
    list.push_back(make_cpu_two_stage());
    list.push_back(make_cpu_fast());
    list.push_back(make_cpu_baseline());
#ifdef TRISCOPE_HAVE_CUDA
    list.push_back(restrict_to({80}, make_cuda_portable(), current_gpu));
    list.push_back(restrict_to({90, 90}, make_cuda_hopper(), current_gpu));
    list.push_back(make_baseline_fa3(current_gpu));
    list.push_back(make_baseline_cudnn(current_gpu));
    list.push_back(make_baseline_cublas(current_gpu));
#endif
    return list;
  }();
  return kernels;
}

const Kernel* find_kernel(std::string_view id) {
  for (const auto& kernel : all_kernels()) {
    if (kernel->info().id == id) return kernel.get();
  }
  return nullptr;
}

std::vector<TileUse> registered_tile_uses([[maybe_unused]] const Problem& problem, [[maybe_unused]] TiledQuery query) {
#ifdef TRISCOPE_HAVE_CUDA
  return hopper_tile_uses(problem, query);
#else
  return {};
#endif
}

}  // namespace triscope
