// Which attention layer a database can say most of.
#pragma once

#include <span>

#include "profiler/paper/layers/layer_rows.hpp"

namespace triscope {

/// The paper's layer (`LayerMixRequest{}`) where any length of its windows and heads was measured in the forward. Else
/// the trilinear windows and heads that were measured at most lengths beside causal dot-product attention of the same
/// heads; of equals the windows nearest to the paper's. Its length is the longest of them. Without dot-product
/// attention likewise, alone; without any windows the paper's layer.
LayerMixRequest measured_layer(std::span<const ResultRow> rows);

}  // namespace triscope
