// The strongest triples and the figures of a slice, computed in the same way for logits of every device.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/inspect/slice.hpp"
#include "kernels/inspect/slice_sums.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {

/// The `top` pairs with the largest `log_p`; `set_logits` fills the rest. `maxima` [count2]: largest logit of each row,
/// `kMaskedLogit` without any. Pairs that are equal in fp32 may stand in for one another.
std::vector<Triple> top_triples(const Slice& slice, std::span<const double> maxima, std::int64_t top);
/// Exact logits of `slice.top`, in its order; sorts it, largest first.
void set_logits(Slice& slice, std::span<const double> logits);

/// A logit or log p as it is kept: what is finite stays finite, however small p is.
inline float kept(double x) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const double bounded = x < -kMost ? -kMost : x > kMost ? kMost : x;
  return static_cast<float>(x - x == 0 ? bounded : x);
}

void set_figures(Slice& slice, const SliceSums::Result& result);

/// Every head, no figures yet.
Overview empty_overview(const AttentionTensors& tensors, std::int64_t step);
void set_cell(Overview& overview, std::int64_t head, std::int64_t column, const SliceSums::Result& result);

/// Every head, -inf everywhere; `width` x `height` at most one cell a pair of `query`'s frame.
HeadSheet empty_sheet(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t width,
                      std::int64_t height);

}  // namespace triscope
