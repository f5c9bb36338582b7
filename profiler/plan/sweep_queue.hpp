// What a sweep measures, in order, and what of it is in work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// One that has grown is told anew; what was there before keeps its place.
struct SweepQueue {
  /// One restart of the rows of a part, which take turns.
  struct Group {
    std::size_t part = 0;
    std::int64_t restart = 0;
    double seconds = 0;  ///< estimated before anything was measured
  };
  std::vector<std::vector<MeasurementKey>> parts;
  std::vector<Group> groups;
};

/// The group of the queue that begins now.
struct SweepStage {
  std::size_t group = 0;
  std::vector<MeasurementKey> keys;  ///< of its part those that are missing
  std::vector<std::int64_t> rows;    ///< of the database, by key; 0: not stored yet
  double correction = 1;             ///< how many times longer than estimated the groups so far took
  double precision = 0;              ///< relative half-width of an interval that ends this restart of a row
};

/// Looks at rows that stay unclear: so many further restarts at most, each within the budget of those before it. How
/// often that ends in a wrong verdict is simulated in docs/method.md, "Unclear rows measured longer".
inline constexpr int kMostLooks = 3;

}  // namespace triscope
