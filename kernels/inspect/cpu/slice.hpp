// Exact slices of the attention tensor on the CPU, computed in fp64 throughout.
//
//   folded_k = scale * q * k2_k (determinant: scale * k2_k x q, chunk by chunk)     [count2][dims]
//   logit_jk = folded_k . k1_j                                                      one GEMM, [count2][count1]
//
//   o = sum_k v2_k * (sum_j p_jk v1_j)                                              one more, [count2][head_dim]
//
// A slice of 1024x1024 at head_dim 64 is two GEMMs of 67 M multiplications. Overviews and sheets take the logits of a
// few rows at a time and keep only sums, so they never hold a tensor.
#pragma once

#include <memory>

#include "kernels/inspect/slice_engine.hpp"

namespace triscope {

/// What a `SliceEngine` does, multi-threaded on this CPU.
Slice make_slice(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t top = 64);
Overview make_overview(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t step);
HeadSheet make_sheet(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t width, std::int64_t height);

std::unique_ptr<SliceEngine> make_cpu_slices();

}  // namespace triscope
