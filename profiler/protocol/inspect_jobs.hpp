// Jobs that look inside the attention tensor. Bulk travels as binary payload (profiler/protocol/messages.cpp).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "kernels/inspect/slice.hpp"
#include "kernels/inspect/wrong_pairs.hpp"
#include "kernels/tensors/attention_source.hpp"

namespace triscope {

/// Opens (a file: opens again) a source. Answered by `SourceReply`, also when it cannot be used but can be listed.
struct SourceRequest {
  static constexpr const char* kType = "source";
  AttentionSource source;
};
struct SourceReply {
  static constexpr const char* kType = "source_reply";
  std::string problem;  ///< why it cannot be used, one sentence; empty = it can, and what follows is set
  std::int64_t batch = 0, seq_len = 0, q_heads = 0, kv_heads = 0, head_dim = 0;
  bool sink = false, values = false;         ///< values: v1 and v2 are there
  std::vector<std::string> labels;           ///< [seq_len] or empty
  std::vector<NamedTensor> tensors;          ///< of a file
  std::map<std::string, std::string> names;  ///< of a file: which is which, as given and guessed
};

/// Answered by `SliceReply`.
struct SliceRequest {
  static constexpr const char* kType = "slice";
  AttentionSource source;
  SliceQuery query;
  std::int64_t top = 64;
  bool operator==(const SliceRequest&) const = default;
};
struct SliceReply {
  static constexpr const char* kType = "slice_reply";
  Slice slice;
  std::array<std::vector<float>*, 5> payload() {
    return {&slice.log_p, &slice.marginal1, &slice.marginal2, &slice.dot_log_p, &slice.output};
  }
  bool consistent() const;
};

/// Answered by `OverviewReply`.
struct OverviewRequest {
  static constexpr const char* kType = "overview";
  AttentionSource source;
  SliceQuery query;  ///< head and query are ignored
  std::int64_t step = 1;
  bool operator==(const OverviewRequest&) const = default;
};
struct OverviewReply {
  static constexpr const char* kType = "overview_reply";
  Overview overview;
  std::array<std::vector<float>*, 5> payload() {
    return {&overview.entropy, &overview.largest_p, &overview.sink_p, &overview.distance1, &overview.distance2};
  }
  bool consistent() const;
};

/// Answered by `SheetReply`.
struct SheetRequest {
  static constexpr const char* kType = "sheet";
  AttentionSource source;
  SliceQuery query;  ///< head is ignored
  std::int64_t width = 96, height = 40;
  bool operator==(const SheetRequest&) const = default;
};
struct SheetReply {
  static constexpr const char* kType = "sheet_reply";
  HeadSheet sheet;
  std::array<std::vector<float>*, 1> payload() { return {&sheet.log_p}; }
  bool consistent() const;
};

/// Runs a kernel on what the query sees and compares its output row with the exact one. Answered by `KernelRowReply`.
struct KernelRowRequest {
  static constexpr const char* kType = "kernel_row";
  AttentionSource source;
  SliceQuery query;    ///< arithmetic is ignored
  std::string kernel;  ///< "cpu.fast"; of the worker's device
  bool operator==(const KernelRowRequest&) const = default;
};
/// What a kernel put out for a query, beside the exact row of the same inputs.
struct KernelRow {
  std::string instance;
  Element element = Element::fp32;  ///< of its inputs, to which the exact row's are rounded, too
  double error = 0;                 ///< ||o - exact|| / ||exact||; NaN when the kernel's is
  double bound = 0;                 ///< that `error` of a right kernel is within: kernels/reference/check.hpp
  std::vector<WrongPair> wrong;  ///< pairs that explain an error beyond it, the best first; empty: no single one does
  double lse = 0, exact_lse = 0;
  std::vector<float> output, exact;  ///< [head_dim]
};
struct KernelRowReply {
  static constexpr const char* kType = "kernel_row_reply";
  KernelRow row;
  std::array<std::vector<float>*, 2> payload() { return {&row.output, &row.exact}; }
  bool consistent() const { return row.output.size() == row.exact.size(); }
};

}  // namespace triscope
