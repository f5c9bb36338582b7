// What was asked of all measurements: which of them, along which axes, in which series and panels. Pure functions over
// rows; the command `triscope explore` and the window's panel Explore show the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/explore/explore_fields.hpp"
#include "profiler/explore/explore_source.hpp"
#include "profiler/explore/filter_hints.hpp"

namespace triscope {

/// Fields by their ids; an empty one of `color`, `panels` and `rows` is none.
struct ExploreQuery {
  std::string x = "seq", y = "ms", color = "kernel", panels = "pass";
  std::string where;  ///< `ExploreFilter`
  /// Of each x and series only what took the shortest time, or where y is a rate has the highest, within one pass,
  /// regime, device and clock of the times.
  bool best = false;
  std::string rows;  ///< tells the rows of panels apart
  bool best_by_rate() const { return y == "tflops" || y == "peak"; }
  bool operator==(const ExploreQuery&) const = default;
};

/// One measurement in a point.
struct ExploreRepeat {
  std::size_t source = 0, row = 0;  ///< its place in the sources
  double y = 0;
  std::optional<Interval> interval;  ///< of y, 95 %; unset: not known
};

/// One configuration of one kernel, however often it was measured.
struct ExplorePoint {
  double x = 0;  ///< where x is a word: its place in `Exploration::x_names`
  double y = 0;  ///< median of its repeats
  double ms = 0;
  std::vector<ExploreRepeat> repeats;  ///< as they were taken
  /// Of the best of each: how many configurations it was chosen from, and in what they differ.
  std::size_t chosen_from = 1;
  std::vector<std::string> chosen_over;
};

/// What the best of each was chosen over: 7 windows.
struct ExploreChoice {
  std::string what;        ///< a name of `kIdentityParts`
  std::size_t values = 0;  ///< that were met
  bool operator==(const ExploreChoice&) const = default;
};

struct ExploreSeries {
  std::string name;                  ///< value of the field that colours; empty: there is none
  bool baseline = false;             ///< of dot-product attention or matrix products alone
  bool mixed = false;                ///< its points differ in more than x: no line joins them
  std::vector<ExplorePoint> points;  ///< by x
};

struct ExplorePanel {
  std::string name;  ///< as that of a series
  std::vector<ExploreSeries> series;
  std::string row;  ///< as the name; panels stand row by row
};

struct Exploration {
  /// The last three may be null.
  const ExploreField *x = nullptr, *y = nullptr, *color = nullptr, *panel = nullptr, *row = nullptr;
  std::vector<std::string> x_names;  ///< in order; empty: x is a number
  std::vector<ExplorePanel> panels;
  std::vector<std::string> panel_names, row_names;  ///< in order; one empty name where there is no such field
  std::size_t rows = 0;                             ///< of all sources
  std::size_t matched = 0;                          ///< by the filter
  std::size_t drawn = 0;  ///< of these, with an x and a y; others failed, or have no such value
  /// In what the points of a series differ that x does not say: "windows", "version".
  std::vector<std::string> mixed;
  std::vector<ExploreHint> hints;          ///< about a filter that matches something, and what is not drawn of that
  std::vector<ExploreTerm> terms;          ///< of the filter, where it matches nothing; else none
  std::vector<ExploreChoice> chosen_over;  ///< of the best of each; empty: nothing was left out
};

/// "No measurement matches seq>=8m.", where a filter matches nothing: what to blame, one sentence for each term that
/// is.
struct ExploreBlame {
  std::string sentence, term, others;  ///< the filter without the term
};
std::vector<ExploreBlame> blamed_terms(const Exploration& made);
/// "7 windows, 2 versions": what the best of each was chosen over; empty: nothing.
std::string choice_text(const Exploration& made);
/// The fields that tell the points of a series from each other, and from what the best was chosen over, but for those
/// that were asked for.
std::vector<const ExploreField*> telling_fields(const Exploration& made);

/// Throws `Error` (usage) when a field or the filter is wrong, or y is no number.
Exploration explore(std::span<const ExploreSource> sources, const ExploreQuery& query);

/// The query needs `ExploreSource::beside`. Throws as `explore`.
bool needs_reference(const ExploreQuery& query);
/// Names of the hardware counters that the query needs in `ExploreSource::counters`. Throws as `explore`.
std::vector<std::string> needed_counters(const ExploreQuery& query);

}  // namespace triscope
