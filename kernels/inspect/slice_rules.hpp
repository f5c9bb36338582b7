// What a slice sees and when it is refused, the same on every device.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/inspect/slice.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {

/// Pairs a slice may have: 16 Mi, 64 MB of log p.
inline constexpr std::int64_t kMostSliceCells = std::int64_t{1} << 24;

/// Positions on one axis.
struct SliceRange {
  std::int64_t first = 0, count = 0;
  bool operator==(const SliceRange&) const = default;
};

/// Keys that a query sees on `axis` 1 or 2.
SliceRange slice_range(const Problem& problem, int axis, std::int64_t query);
/// The same with the part of the window that lies before token 0, so that all queries have frames of one size.
SliceRange slice_frame(const Problem& problem, int axis, std::int64_t query);

/// A query looks at single keys, not at pairs: dot-product attention. All figures of a second key are 0 then.
inline bool has_one_key(const Problem& problem) { return problem.form == Form::dot_product; }

/// Dimensions that take part in the logit: the determinant leaves out what makes no chunk of three.
std::int64_t logit_dims(const Problem& problem);

/// `problem` with the shape and the sink of `tensors`; windows are cut to seq_len. Throws `Error` (usage) when
/// impossible.
Problem with_shape_of(Problem problem, const AttentionTensors& tensors);

/// `asked` with its problem completed by `with_shape_of`. Throws `Error` (usage) as that does, and when `tensors` have
/// no such batch, head or query, or it sees more than `kMostSliceCells` pairs.
SliceQuery checked_slice(const AttentionTensors& tensors, const SliceQuery& asked);
/// The same for what covers every query and head: those of `asked` are ignored. Throws for a step below 1, too.
SliceQuery checked_overview(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t step);

/// The query's dot-product row: form `dot_product`, scale 1/sqrt(head_dim), the same windows.
SliceQuery dot_product_of(SliceQuery query);

/// Rows of one head as fp32, rounded to bf16 unless the arithmetic is exact.
std::vector<float> read_rows(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role,
                             std::int64_t head, SliceRange range);
void read_rows(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role, std::int64_t head,
               SliceRange range, float* out);

/// Sink logit of a query head; nullopt without sinks.
std::optional<double> sink_of(const AttentionTensors& tensors, std::int64_t head);

/// Fills `output_share` of the strongest triples: what p v1 v2 of each adds to the output, along the output; the shares
/// of all pairs sum to 1. Leaves them 0 when the slice has no output or that is 0.
void share_output(const AttentionTensors& tensors, const SliceQuery& query, Slice& slice);

}  // namespace triscope
