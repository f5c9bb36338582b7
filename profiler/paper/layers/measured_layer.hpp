// Which attention layer stands for a database where nobody has named one: in the command line, the report and the
// window.
#pragma once

#include <array>
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

/// A training step.
inline constexpr std::array kBothPasses{Pass::forward, Pass::backward};

/// The layer of one device that was measured in `passes` and answers most. A pass that no layer was measured in does
/// not count. The first of these that tells two apart decides, whatever the order of the rows:
/// * it has the windows that are named;
/// * it has a length in common with causal dot-product attention of the same heads on the same device, in every pass;
/// * it has one in some pass;
/// * it is the paper's (`LayerMixRequest{}`); where windows are named, it has the paper's heads;
/// * more such lengths; more lengths; windows nearer to the paper's or to those that are named; the first by device,
///   heads and windows.
/// Its length is the paper's where that lies between its shortest and its longest, else the longest in common, else its
/// longest: of those in every pass, where there are any. Dot-product attention is by the usual kernel where that has a
/// length in common, else by the one with most of them. What is named stays in each case: named heads and kernels are
/// those of the rows that are looked at, and named windows, which need not have been measured, leave the heads to all
/// windows. Without rows it is the paper's layer, on no device.
LayerMixRequest measured_layer(std::span<const ResultRow> rows, const NamedLayer& named = {},
                               std::span<const Pass> passes = kBothPasses);

}  // namespace triscope
