// An exploration as the window draws it: few enough points for a frame, each with its text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/explore_state.hpp"
#include "views/data/panel.hpp"

namespace triscope {

/// More points are thinned: those of one series that would touch become one. More panels are left out, and the series
/// beyond these are one together.
inline constexpr std::size_t kMostMarks = 4000, kMostPlots = 12, kMostLines = 9;

/// `databases`: the names of the sources' databases, the open one first; empty where there is only one.
ExploreChart explore_chart(const Exploration& by_id, const ExploreQuery& query, std::span<const ExploreSource> sources,
                           std::vector<std::string> databases = {});

/// How the range of a mark's repeats is drawn: each as a stroke right of it, or where they are many their quartiles.
struct DrawnRepeats {
  std::vector<double> strokes;
  std::optional<Interval> quartiles;
};
DrawnRepeats drawn_repeats(const ExploreMark& mark);

/// "Time by tokens, kernel~hopper": what was asked.
std::string explore_title(const ExploreQuery& query);
/// "Time by tokens, 512 × 32, forward": what is drawn, for a picture's title.
std::string explore_picture_title(const ExploreChart& chart);
/// "tflops_by_tokens_512x32_forward": a title as the name of a file.
std::string file_name_of(const std::string& title);
/// What a reader of the picture has to know: device, clock, regime, clock of the times, n, what the whiskers are, and
/// which measurements these are.
std::string explore_caption(const ExploreChart& chart);
/// Some marks of a plot stand at one x and so near each other, in heights of the plot, that one would hide another.
bool stand_aside(const ExploreChart& chart, double near);
/// What the best of each is chosen within, where `made` has several of it and does not show which: "; sustained and
/// burst, 2 devices apart".
std::string kept_apart(const Exploration& made, std::span<const ExploreSource> sources);
/// Why nothing is drawn although measurements match.
std::string explore_nothing(const ExploreChart& chart);
/// What is wrong with the filter in one sentence; empty: nothing.
std::string filter_problem(const std::string& where);
/// The term of a filter that is about sweeps, "sweep=4"; empty: none, or the filter is wrong.
std::string sweep_term(const std::string& where);
/// The filter with "sweep=12" in place of such terms, or with `sweep` 0 without any. It must be right.
std::string filter_of_sweep(const std::string& where, std::int64_t sweep);
/// "kernel=FA3", or with `only` false "kernel!=FA3": the term about a value that the chart names so. Empty: no filter
/// can say it, as of several that are drawn as one, of "none", or of what was measured.
std::string term_of(const std::string& field, const std::string& name, bool only);
/// The filter with that term: with `only` in place of others about the field. It must be right.
std::string filter_by(const std::string& where, const std::string& field, const std::string& name, bool only);
/// One row for each point.
TextTable explore_text(const ExploreChart& chart);

/// What the panel is set to: a question with a name. The first come with the program.
struct ExploreView {
  std::string name;
  ExploreQuery query;
};
std::span<const ExploreView> usual_views();
/// What a chart of a sweep shows, as a question: TFLOP/s, the map, By area and Lengths. `of`: the setting that it shows
/// of several, or the problem of Lengths, which is of all sweeps. Unset: Explore has no such form.
std::optional<ExploreQuery> explore_of(Panel panel, std::int64_t sweep, const Problem& of, bool of_several);

}  // namespace triscope
