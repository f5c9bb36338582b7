// Which layer a section of `triscope paper` is about.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/attention/problem.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "profiler/paper/layers/measured_layer.hpp"

namespace triscope {

/// Throws `Error` (usage) where `match` is no kernel of dot-product attention that `rows` have; nothing without rows.
inline void require_measured_match(std::span<const ResultRow> rows, const std::string& match) {
  const std::set<std::string> measured = dot_kernels(rows);
  if (rows.empty() || measured.contains(match)) return;
  const std::vector<std::string> names(measured.begin(), measured.end());
  throw Error(fmt::format("--match '{}'", match), "the database has no row of dot-product attention by that kernel",
              names.empty() ? "leave it out"
                            : fmt::format("{}choose from {}", nearest_name_hint(match, names), fmt::join(names, ", ")),
              ExitCode::usage);
}

/// The layer that stands for `rows`, with what is named. Throws `Error` (usage) where that is impossible, such as 64
/// query heads on 7.
inline LayerMixRequest asked_layer(std::span<const ResultRow> rows, const NamedLayer& named) {
  if (named.dot_kernel) require_measured_match(rows, *named.dot_kernel);
  const LayerMixRequest layer = measured_layer(rows, named);
  require_valid(layer_problem(layer));
  return layer;
}

}  // namespace triscope
