// Heads by the means of their figures over the queries that count: the same in the window and on the command line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/inspect/counted_queries.hpp"
#include "kernels/inspect/slice.hpp"
#include "profiler/export/text_table.hpp"

namespace triscope {

enum class OverviewFigure { entropy, largest_p, sink_p, distance1, distance2 };
inline constexpr std::array kOverviewFigures{OverviewFigure::entropy, OverviewFigure::largest_p, OverviewFigure::sink_p,
                                             OverviewFigure::distance1, OverviewFigure::distance2};
const std::vector<float>& values_of(const Overview& overview, OverviewFigure figure);
/// Of the entropy the smallest is the most striking: -1; of the others the largest: 1.
float sign_of(OverviewFigure figure);

/// By `OverviewFigure`; NaN: of no query.
using FigureMeans = std::array<double, kOverviewFigures.size()>;
/// A head, with the means of its figures over its queries, and beside them those of even weights over the very same
/// queries. Of the sink there are no even ones.
struct HeadMeans {
  std::int64_t head = 0;
  FigureMeans means{}, even{};
  double of(OverviewFigure figure) const { return means.at(static_cast<std::size_t>(figure)); }
  double even_of(OverviewFigure figure) const { return even.at(static_cast<std::size_t>(figure)); }
};
/// All heads, by number. The queries are those of the overview that count.
std::vector<HeadMeans> head_means(const Overview& overview, const Problem& problem, std::int64_t tokens);
/// Means of even weights over the queries of the overview that count.
FigureMeans even_means(const Overview& overview, const Problem& problem, std::int64_t tokens);
/// The most striking first by their mean of `figure`, those without one last. Of a distance that is the one farthest
/// from what even weights give: a head that looks everywhere looks far back, too.
void sort_heads(std::vector<HeadMeans>& heads, OverviewFigure figure);
/// Whether a figure says anything: of the sink where there is one, of the second key where there are two.
bool has_figure(OverviewFigure figure, bool sink, bool one_key);
/// What of these is copied and printed, `even` in the last row.
TextTable heads_text(const std::vector<HeadMeans>& heads, const FigureMeans& even, bool sink, bool one_key);

/// "Queries before 511 are left out: their windows are cut at the first token."; empty: all queries count. `all`: they
/// were asked for, though some do not count.
std::string left_out_sentence(const CountedQueries& counted, bool all = false);

}  // namespace triscope
