// Jobs that look inside the attention tensor. Bulk travels as binary payload (profiler/messages.cpp).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "kernels/attention_source.hpp"
#include "kernels/slice.hpp"

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
  bool sink = false;
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
  std::array<std::vector<float>*, 4> payload() { return {&slice.log_p, &slice.marginal1, &slice.marginal2, &slice.dot_log_p}; }
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

}  // namespace triscope
