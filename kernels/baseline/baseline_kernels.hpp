// The baselines on a GPU: other people's kernels, loaded at run time, never linked and never shipped. Without the
// library a kernel is there all the same and says how to get it.
#pragma once

#include <memory>
#include <string>

#include "kernels/baseline/gpu.hpp"
#include "kernels/kernel.hpp"

namespace triscope {

/// baseline.fa3: FlashAttention-3, forward and backward, Hopper only. `sha256`: of the library; empty: the pinned
/// version's.
std::unique_ptr<Kernel> make_baseline_fa3(CurrentGpu current_gpu, std::string sha256 = {});
/// baseline.cudnn: cuDNN's dot-product attention, forward and backward.
std::unique_ptr<Kernel> make_baseline_cudnn(CurrentGpu current_gpu);
/// baseline.cublas: one matrix product, the machine's practical ceiling.
std::unique_ptr<Kernel> make_baseline_cublas(CurrentGpu current_gpu);

}  // namespace triscope
