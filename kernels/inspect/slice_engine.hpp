// Makes slices on one device: kernels/inspect/cpu/slice.hpp, kernels/inspect/cuda.
#pragma once

#include "kernels/inspect/slice.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {

/// Use on one thread. Whatever the device, everything is fp64 and exact to 1e-9 of a logit.
class SliceEngine {
 public:
  virtual ~SliceEngine() = default;

  /// `top`: how many triples. Throws `Error` (usage): no such batch, head or query; too many pairs.
  virtual Slice slice(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t top) = 0;
  /// All query heads of `query.batch`, at every query that is a multiple of `step`. `query.head` and `query.query` are
  /// ignored. Throws `Error` (usage) as `slice`, and for a step below 1.
  virtual Overview overview(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t step) = 0;
  /// All query heads at one query, `width` x `height` cells each over the whole window (at most one a pair).
  virtual HeadSheet sheet(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t width,
                          std::int64_t height) = 0;
};

}  // namespace triscope
