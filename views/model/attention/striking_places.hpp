// Where the figures of an overview of attention are most striking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// A query of a head.
struct AttentionPlace {
  std::int64_t head = 0, query = 0;
  float value = 0;  ///< of the figure that was asked for
};
/// Where a figure of an overview is most striking: the best query of each head, the best heads first, at most `most`.
/// Of the entropy the smallest is the best, of the others the largest. What is not a number
/// is left out, and so are queries before `first_query`.
std::vector<AttentionPlace> striking_places(const Overview& overview, OverviewFigure figure, std::size_t most,
                                            std::int64_t first_query = 0);
const std::vector<float>& values_of(const Overview& overview, OverviewFigure figure);

inline constexpr std::array kOverviewFigures{OverviewFigure::entropy, OverviewFigure::largest_p, OverviewFigure::sink_p,
                                             OverviewFigure::distance1, OverviewFigure::distance2};
/// A head, with the means of its figures over its queries.
struct HeadMeans {
  std::int64_t head = 0;
  std::array<double, kOverviewFigures.size()> means{};  ///< by `OverviewFigure`; NaN: of no query
  double of(OverviewFigure figure) const { return means.at(static_cast<std::size_t>(figure)); }
};
/// All heads, those first that `striking_places` would put first by their mean of `figure`, those without one last.
/// Queries before `first_query` are left out.
std::vector<HeadMeans> heads_by_mean(const Overview& overview, OverviewFigure figure, std::int64_t first_query);
/// What of these is copied; `sink`: also its share.
TextTable heads_text(const std::vector<HeadMeans>& heads, bool sink);

}  // namespace triscope
