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

namespace triscope {

/// Fields by their ids; an empty one of `color`, `panels` and `rows` is none.
struct ExploreQuery {
  std::string x = "seq", y = "ms", color = "kernel", panels = "pass";
  std::string where;  ///< `ExploreFilter`
  bool best = false;  ///< of each x and series only what took the shortest time
  std::string rows;   ///< tells the rows of panels apart
  bool operator==(const ExploreQuery&) const = default;
};

/// The measurements of one database.
struct ExploreSource {
  std::string name;
  std::span<const ResultRow> rows;
  /// Rows beside the reference of their sweep, by measurement; null: they are not compared.
  const std::map<std::int64_t, Comparison>* beside = nullptr;
  const std::map<std::int64_t, std::string>* notes = nullptr;  ///< by sweep; null: none is known
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
};

struct ExploreSeries {
  std::string name;                  ///< value of the field that colours; empty: there is none
  bool baseline = false;             ///< of dot-product attention or matrix products alone
  bool mixed = false;                ///< several configurations stand at one x: no line joins them
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
  /// In what else the points at one x of a series differ: "windows", "instance".
  std::vector<std::string> mixed;
};

/// Throws `Error` (usage) when a field or the filter is wrong, or y is no number.
Exploration explore(std::span<const ExploreSource> sources, const ExploreQuery& query);

/// The query needs `ExploreSource::beside`. Throws as `explore`.
bool needs_reference(const ExploreQuery& query);

}  // namespace triscope
