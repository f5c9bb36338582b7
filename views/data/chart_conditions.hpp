// How what a chart shows was measured, for its caption.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// A sweep; each database gives its sweeps numbers of its own.
struct SweepOf {
  std::string database;  ///< empty: there is only one
  std::int64_t id = 0;
  auto operator<=>(const SweepOf&) const = default;
};

/// How the measurements of one series were taken.
struct SeriesFacts {
  std::string name;                   ///< a kernel's id with "@7ca50e56 forward", "FlashAttention-3 0.3.6", "512 × 32"
  std::string kernel;                 ///< id with "@7ca50e56", of ours where the name has none
  std::string what;                   ///< "causal dot-product attention", or the problem of a kernel of ours
  std::vector<std::int64_t> samples;  ///< of each measurement, by x
  bool one_at_each_x = true;          ///< else they cannot be told point by point
  std::optional<double> least_mhz, most_mhz;
  std::size_t limited = 0;               ///< measurements whose clock was held down
  std::string limit;                     ///< by what: "power limit"
  std::vector<std::string> unconverged;  ///< where the interval did not become as narrow as asked: "64k"
  bool baseline = false;                 ///< of dot-product attention or matrix products alone
  std::set<SweepOf> sweeps;
};
/// How what is drawn was measured.
struct ChartConditions {
  std::set<std::string> regimes, timed_by;       ///< "sustained"; "CUPTI"
  std::int64_t fewest_samples = 0, samples = 0;  ///< of a measurement: the fewest and the most
  std::int64_t fewest_restarts = 0, most_restarts = 0;
  std::set<long> power_limits;   ///< W; 0: not known
  std::size_t measurements = 0;  ///< in the points
  std::vector<SeriesFacts> series;
  std::set<double> precisions;     ///< relative half-widths that were asked for
  bool precision_unknown = false;  ///< of some measurement
  std::set<SweepOf> sweeps;
  std::set<std::string> passes;
  bool pairs = false, triples = false;  ///< dot-product attention and ours: what their operations are counted by
  std::string problem;                  ///< what all of our kernels' share: "trilinear, 64/1 heads, head size 128"
  std::string title;                    ///< of this the windows and the pass: "512 × 32, forward"
};

/// The relative half-width that a sweep was asked for; unset where its request cannot be read.
std::optional<double> precision_asked(const SweepInfo& sweep);

/// So many repeats of a point are drawn as strokes, of more their quartiles.
inline constexpr std::size_t kMostStrokes = 12;
/// "each a stroke right of it": how those of `fewest` to `most` repeats are drawn.
std::string repeats_words(std::size_t fewest, std::size_t most);

}  // namespace triscope
