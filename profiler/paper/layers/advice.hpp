// Which windows cost what dot-product attention costs, from measured latencies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layers/layer_mix.hpp"
#include "profiler/statistics/training_step.hpp"

namespace triscope {

struct AdviceRequest {
  LayerMixRequest layer;  ///< whose length, heads, form, regime and device; `dot_kernel` is what is matched
  std::vector<Pass> passes{Pass::forward, Pass::backward};  ///< whose times are added
};

/// One pair of windows with its time over all passes.
struct WindowAdvice {
  Windows windows;
  LayerTime time;    ///< sums of the passes' times and of the ends of their intervals; its `kind` is the least sure one
  double ratio = 0;  ///< time / that of the match
  MsRange ratios;    ///< its 95 % interval
  /// What both took in the turns that `ratio` is of; 0: it is `time` / that of the match.
  double in_turns_ms = 0, match_in_turns_ms = 0;
  bool has_number() const;  ///< else only the interval of the ratio says something
};

/// Windows of which nothing is told.
struct UnknownWindows {
  Windows windows;
  std::string reason;  ///< "its forward: an estimate from cuda.hopper would be off by up to 47 %"
};

struct Advice {
  LayerTime match;
  std::vector<WindowAdvice> windows;    ///< nearest to the match first; of each second window one
  std::vector<UnknownWindows> unknown;  ///< of each second window without a proposal the pair nearest to the layer's
  std::set<std::string> kernels;        ///< that the times are of, the match included
};

/// The time of measured windows / that of the match, by the turns that both took in every pass; nullopt: they took
/// none. Of each pass the row of the windows.
using RatioInTurns = std::function<std::optional<StepRatio>(std::span<const ResultRow* const> passes)>;

/// Every time is what the layer calculator says of such a layer (`LayerTimes`), with its interval
/// and its refusals; `table` has the tiles of `advice_problems`. Pairs of windows are those that the request's heads
/// were measured with, and between two measured first windows whole tiles of `kAdviceTile` keys, since a part of a tile
/// costs as much as all of it; where they lie far apart, some of these. Nothing is said beyond the measured windows.
/// What was measured in turns with the match is beside it as `in_turns` says.
/// Throws `Error` (usage) when the match or every pair of windows is not known in a pass.
inline constexpr std::int64_t kAdviceTile = 128;
Advice advise_windows(std::span<const ResultRow> rows, const AdviceRequest& request, const WorkTable& table = {},
                      const RatioInTurns& in_turns = {});
std::vector<Problem> advice_problems(std::span<const ResultRow> rows, const AdviceRequest& request);

/// How many proposals surely cost what the match costs, give or take this factor.
inline constexpr double kAdviceFit = 1.25;
std::size_t how_many_fit(const Advice& advice);

}  // namespace triscope
