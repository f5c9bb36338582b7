// Exact slices of the attention tensor on the CPU: fp64 throughout, so that what is shown is what the formulas say.
//
//   folded_k = scale * q * k2_k (determinant: scale * k2_k x q, chunk by chunk)     [count2][dims]
//   logit_jk = folded_k . k1_j                                                      one GEMM, [count2][count1]
//
// A slice of 1024x1024 at head_dim 64 is a GEMM of 67 M multiplications. Overviews and sheets take the logits of a few
// rows at a time and keep only sums, so they never hold a tensor.
#pragma once

#include "kernels/attention_tensors.hpp"
#include "kernels/slice.hpp"

namespace triscope {

/// Pairs a slice may have: 16 Mi, 64 MB of log p.
inline constexpr std::int64_t kMostSliceCells = std::int64_t{1} << 24;

/// `problem` with the shape and the sink of `tensors`; windows are cut to seq_len. Throws `Error` (usage) when impossible.
Problem with_shape_of(Problem problem, const AttentionTensors& tensors);

/// Multi-threaded. `top`: how many triples. Throws `Error` (usage): no such batch, head or query; too many pairs.
Slice make_slice(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t top = 64);

/// All query heads of `query.batch`, at every query that is a multiple of `step`. `query.head` and `query.query` are
/// ignored. Multi-threaded. Throws `Error` (usage) as `make_slice`, and for a step below 1.
Overview make_overview(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t step);

/// All query heads at one query, `width` x `height` cells each over the whole window (at most one a pair).
HeadSheet make_sheet(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t width, std::int64_t height);

/// Pairs whose logits an overview with this step computes, times head_dim: what it costs.
double overview_cost(const Problem& problem, std::int64_t step);

}  // namespace triscope
