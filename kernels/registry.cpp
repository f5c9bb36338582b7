#include "kernels/registry.hpp"

#include "kernels/cpu/cpu_kernels.hpp"
#ifdef TRISCOPE_HAVE_CUDA
#include "kernels/baseline/baseline_kernels.hpp"
#include "kernels/cuda/capability.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/cuda/current_gpu.hpp"
#endif

namespace triscope {

const std::vector<std::unique_ptr<Kernel>>& all_kernels() {
  static const std::vector<std::unique_ptr<Kernel>> kernels = [] {
    std::vector<std::unique_ptr<Kernel>> list;
    list.push_back(make_cpu_oracle());
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

}  // namespace triscope
