// What a reader of a chart on paper has to know of its measurements: one function for every chart.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "views/data/chart_conditions.hpp"

namespace triscope {

/// A measurement that is drawn.
struct DrawnRow {
  const ResultRow* row = nullptr;
  std::string where;                     ///< along the axis: "64k", "512 × 32"
  std::optional<double> precision = {};  ///< that was asked for
  std::string database = {};             ///< `SweepOf::database`
};
struct DrawnSeries {
  std::string name;  ///< empty: there is only one
  std::vector<DrawnRow> rows;
};
/// Series of one name count as one.
ChartConditions conditions_of(std::span<const DrawnSeries> drawn);
/// "256 × 64, trilinear, ...": of a series whose points share their windows, which other series have not.
void name_windows(ChartConditions& conditions, std::span<const DrawnSeries> drawn);
/// Of gradients that were chosen from two kinds, where none is deterministic: those say so by themselves.
void name_any_order(ChartConditions& conditions, std::span<const DrawnSeries> drawn);

/// Of a caption what the measurements alone do not tell.
struct CaptionParts {
  std::set<std::string> devices, days;  ///< "NVIDIA H200"; "2026-11-21"
  const char* marks = "Points";         ///< what stands for a median
  const char* whiskers = "bars";        ///< what stands for its interval
  bool intervals = false, hollow = false;
  std::size_t fewest_repeats = 0, most_repeats = 0;  ///< of the points that are of several measurements; 0: none is
  bool hollow_unconverged = false;                   ///< points that did not converge are hollow too
  bool smaller = false;                              ///< some intervals may be smaller than their marks
  bool bare_baselines = false;                       ///< lines of baselines, without their intervals
  bool whole_baselines = false;                      ///< all of them have theirs
  bool rates = false;                                ///< rates are drawn
  bool steps = false;                                ///< training steps are: a point is of two measurements
  std::string rest = {};                             ///< sentences before the days
};
/// "2-simplicial attention, forward. NVIDIA H200, power limit 700 W, sustained, timed by CUPTI. Points are medians over
/// 2 runs, bars 95 % intervals from the spread between runs of a sweep. Hopper: cuda.hopper@7ca50e56 (split64 at 2k,
/// pair64 elsewhere), trilinear, 64/1 heads; n = 18, 12, 4 samples, 1,660 to 1,748 MHz, at the power limit. 12
/// measurements. 2026-11-21."
std::string print_caption(const ChartConditions& how, const CaptionParts& parts);
/// The same of rows that are drawn as they are, with their devices and days.
std::string print_caption(std::span<const DrawnSeries> drawn, CaptionParts parts = {});

/// "Operations: 4 d per attended triple (in the paper 6 d or more) or pair, d the head size.": what a rate counts.
std::string operations_sentence(const ChartConditions& how);
/// "12 measurements", "12 measurements of sweeps 4 and 6", "12 measurements of 10 sweeps in 3 databases".
std::string measurements_text(const ChartConditions& how);

}  // namespace triscope
