// Which attention layer stands for a database where nobody has named one: in the command line, the report and the
// window.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "profiler/paper/layers/layer_rows.hpp"

namespace triscope {

/// What of a layer somebody has named; the rest is chosen.
struct NamedLayer {
  std::optional<std::int64_t> seq_len, q_heads, kv_heads, head_dim;
  std::optional<Windows> windows;
  std::optional<Form> form;
  std::optional<std::string> dot_kernel;
};

/// The paper's layer (`LayerMixRequest{}`) with what is named, where any length of its windows and heads was measured
/// in the forward. Else, of the windows and heads in its form, those that were measured at most lengths beside causal
/// dot-product attention of the same heads; of equals the windows nearest to the paper's. Its length is the longest of
/// them. Without dot-product attention likewise, alone; without any windows the paper's layer. Dot-product attention is
/// by the usual kernel (`LayerMixRequest{}`) where it has a row of these heads, else by the one with most lengths in
/// common. What is named stays in each case: named heads and kernels are those of the rows that are looked at, and
/// named windows, which need not have been measured, leave the heads to all windows.
LayerMixRequest measured_layer(std::span<const ResultRow> rows, const NamedLayer& named = {});

}  // namespace triscope
