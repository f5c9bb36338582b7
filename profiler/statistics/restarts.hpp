// What changes from one restart of a measurement to the next. Three restarts alone say little (t = 4.3), so that what
// the rows of one sweep show is pooled. Method: profiler/statistics/restarts.cpp; measured coverage: docs/method.md.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/centre.hpp"

namespace triscope {

/// Its threads waited for a CPU: another program had it (docs/method.md).
inline bool is_preempted(const Sample& sample) { return sample.flag == "preempted"; }

/// Of each restart that counts the median of its undisturbed blocks (see `RunBlocks`), as the logarithm of
/// nanoseconds. Throws `Error` on a time of 0.
std::map<std::int64_t, double> restart_centres(std::span<const Sample> samples);

/// Logarithms of block medians, by restart and block.
using RestartBlocks = std::map<std::int64_t, std::map<std::int64_t, double>>;

/// Of one restart, in the order of its blocks.
std::vector<double> values_of(const std::map<std::int64_t, double>& blocks);

struct RunBlocks {
  RestartBlocks all;
  /// Without preempted samples, and so without the restarts that have no others: what another program took away says
  /// nothing of the kernel. All samples where fewer than two restarts would be left.
  RestartBlocks undisturbed;
};

/// Of duration (ns) or, with `cycles`, of duration x clock for the samples whose clock is known.
RunBlocks log_blocks(std::span<const Sample> samples, bool cycles);

/// Of each restart the median of its blocks.
std::vector<double> centres_of(const RestartBlocks& blocks);

/// log(A / B) of the blocks that both have, of each restart in which both took turns.
std::vector<std::vector<double>> paired_blocks(const RestartBlocks& a, const RestartBlocks& b);

/// log(A / B) of each such restart: the mean over those blocks, outliers cut back. A turn is a whole swing of the
/// clock, and their median would be that of one moment in it.
std::vector<double> paired_ratios(const RestartBlocks& a, const RestartBlocks& b);

/// A row of a sweep: its blocks, and what it took turns with (`Measurement::group`).
struct RestartedRow {
  std::int64_t group = -1;
  RestartBlocks blocks;         ///< all of them: for ratios
  std::vector<double> centres;  ///< of its restarts, undisturbed: for times
  bool reference = false;       ///< it took turns with the group and is a row of another: only ratios count
};
RestartedRow restarted_row(std::int64_t group, std::span<const Sample> samples, bool reference = false);

/// What `rows` show together; rows with one restart say nothing.
SweepSpread spread_over(std::span<const RestartedRow> rows);

/// The centre of one value for each restart (at least two): their median. Its standard error comes from their variance,
/// to which `pooled` adds its degrees of freedom.
Centre centre_over_restarts(std::span<const double> values, const Spread& pooled);

}  // namespace triscope
