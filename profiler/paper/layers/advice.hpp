// Which windows cost what dot-product attention costs, from measured latencies.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layers/layer_rows.hpp"

namespace triscope {

struct AdviceRequest {
  LayerMixRequest layer;  ///< whose length, heads, form, regime and device; `dot_kernel` is what is matched
  std::vector<Pass> passes{Pass::forward, Pass::backward};  ///< whose times are added
};

/// One pair of windows with its time over all passes, each by the fastest kernel.
struct WindowAdvice {
  Windows windows;
  double ms = 0;
  double ratio = 0;       ///< ms / that of the match
  bool measured = false;  ///< at this length; else `basis` says from what it was derived
  std::string basis;      ///< "measured", "scaled from seq 8192", "between 256x32 and 512x32"
};

struct Advice {
  double match_ms = 0;
  std::string match_basis;
  std::vector<WindowAdvice> windows;  ///< nearest to the match first; of each second window one
  std::set<std::string> kernels;      ///< that the times are of, the match included
};

/// Costs come from rows of the request's layer (`is_row_of_heads`). A length that was not measured is scaled
/// by the exact count of triples from the nearest one that was, within `kMostReach` of it. Between two measured first
/// windows the cost grows with the number of whole tiles of `kAdviceTile` keys; only such windows are proposed, since a
/// part of a tile costs as much as all of it. Nothing is said beyond the measured windows. Throws `Error` (usage) when
/// the match or every pair of windows lacks a pass.
inline constexpr std::int64_t kAdviceTile = 128;
Advice advise_windows(std::span<const ResultRow> rows, const AdviceRequest& request);

/// How many proposals cost what the match costs, give or take this factor.
inline constexpr double kAdviceFit = 1.25;
std::size_t how_many_fit(const Advice& advice);

}  // namespace triscope
