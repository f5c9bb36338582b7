// The Explore panel's question over all measurements of the database, and its answer as it is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explore/exploration.hpp"
#include "views/data/chart_conditions.hpp"

namespace triscope {

/// One configuration of one kernel, however often it was measured.
struct ExploreMark {
  double x = 0, y = 0;
  double low = 0, high = 0;                ///< of its interval, or of its repeats; only where `known`
  bool known = false;                      ///< the interval, or more than one repeat
  bool converged = true;                   ///< one of its repeats did
  bool elsewhere = false;                  ///< none of its repeats is of the open database
  std::vector<std::int64_t> measurements;  ///< its repeats of the open database, the newest last
  std::int64_t measurement = 0;            ///< of them the newest, or else of all: the one that `text` names
  std::int64_t sweep = 0;                  ///< of that one
  std::string database;                    ///< the same; empty: there is only one
  std::size_t repeats = 0;                 ///< of all databases
  std::vector<double> values;              ///< of several repeats, the lowest first; of one alone none
  double newest = 0;                       ///< the value of `measurement`; `y` is the median of all repeats
  std::size_t others = 0;                  ///< that stand so near that this one stands for them
  std::string text;                        ///< what it is, for a tooltip
  std::int64_t samples = 0;                ///< of `measurement`, as the four below
  std::int64_t restarts = 0;
  std::optional<double> clock_mhz;
  std::string heads, limit, remark;  ///< "64/1", "power limit", "not converged: ..."
  std::vector<std::string> told;     ///< the values of `ExploreChart::telling`
  std::size_t chosen_from = 1;       ///< of the best of each: configurations it was chosen from
  bool hollow() const { return !known || !converged; }
};
inline constexpr int kOtherLines = -1;  ///< the style of what is too much to be told apart
struct ExploreLine {
  std::string name;       ///< empty: there is only one
  int style = 0;          ///< which colour and mark
  bool baseline = false;  ///< of dot-product attention or matrix products alone
  bool quiet = false;     ///< `style` is one of baselines, as its lines are kernels
  bool joined = false;    ///< by a line
  std::vector<ExploreMark> marks;
};
struct ExplorePlot {
  std::string name, row;           ///< empty: there is only one
  std::vector<ExploreLine> lines;  ///< none: no measurement is in this row and column
};
struct ExploreAxis {
  std::string label;               ///< "time, ms"
  std::vector<std::string> names;  ///< where it holds words: at 0, 1, 2 ...
  std::vector<double> ticks;       ///< where it holds few sizes: these
  /// Where the window names its values, and how; none: at round ones.
  std::vector<std::pair<double, std::string>> named = {};
  bool logarithmic = false;
  double low = 0, high = 1;  ///< of what is drawn
};
struct ExploreChart {
  ExploreQuery query;
  ChartConditions conditions;
  ExploreAxis x, y;
  std::vector<ExplorePlot> plots;
  std::size_t columns = 0;            ///< of the plots, which then stand row by row; 0: as they have room
  std::size_t rows = 0, matched = 0;  ///< measurements
  std::size_t points = 0, drawn = 0;  ///< before and after thinning
  std::size_t plots_left_out = 0;
  std::vector<std::string> mixed;       ///< in what the points of a series differ that x does not say
  std::string chosen_over;              ///< "7 windows, 2 versions": by the best of each; empty: nothing was left out
  std::vector<std::string> telling;     ///< fields that tell the points of a series, or the best from the others
  std::set<std::string> devices, days;  ///< of what is drawn
  std::vector<std::string> databases;   ///< their names, the open one first
  std::vector<ExploreHint> hints;       ///< what the filter leaves out that may have been meant
  std::vector<ExploreBlame> blamed;     ///< terms of a filter that matches nothing
  std::vector<std::string> left_out;    ///< databases that cannot be read, one sentence each
};

struct ExploreQuestion {
  std::string database;
  std::vector<std::string> others;  ///< databases beside it
  ExploreQuery query;
  std::string reference;       ///< kernel that `ratio` is beside, or auto
  std::int64_t hidden = 0;     ///< sweep that was deleted and can still come back
  std::uint64_t revision = 0;  ///< of the database, as the window has read it
  bool operator==(const ExploreQuestion&) const = default;
};

/// The last good answer stays until the next arrives.
struct ExploreData {
  std::shared_ptr<const ExploreChart> chart;
  std::optional<ExploreQuestion> asked;  ///< that `chart` or `problem` answers, or that waits
  bool waiting = false;
  std::string problem;  ///< why there is no answer; empty: fine
};

}  // namespace triscope
