// Which layer a section of `triscope paper` is about.
#pragma once

#include <span>

#include "kernels/attention/problem.hpp"
#include "profiler/paper/layers/measured_layer.hpp"

namespace triscope {

/// The layer that stands for `rows`, with what is named. Throws `Error` (usage) where that is impossible, such as 64
/// query heads on 7.
inline LayerMixRequest asked_layer(std::span<const ResultRow> rows, const NamedLayer& named) {
  const LayerMixRequest layer = measured_layer(rows, named);
  require_valid(layer_problem(layer));
  return layer;
}

}  // namespace triscope
