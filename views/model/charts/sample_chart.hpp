// The samples of one measurement as a chart: over time, and as a histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// Points [begin, end) of a curve, all of one restart: nothing was measured between one part and the next.
struct CurvePart {
  std::size_t begin = 0, end = 0;
  bool operator==(const CurvePart&) const = default;
};
/// (5) samples of one measurement. `minimum` and `maximum` bound `bucket` neighbours, so that no spike is lost however
/// many samples there are; with few samples a bucket is one sample. No bucket holds samples of two restarts.
struct SampleBuckets {
  std::vector<double> seconds, minimum, maximum, centre;
  std::vector<CurvePart> parts;
  std::size_t per_bucket = 1;
};
struct Histogram {
  double first = 0, width = 0;                  ///< ms
  std::vector<double> counts, flagged;          ///< all samples, and the flagged ones among them
  std::size_t folded_low = 0, folded_high = 0;  ///< samples outside of the bars' range that the end bars count
  double lowest = 0, highest = 0;               ///< ms, of all samples
};
/// What was read of the device beside the samples, on their time axis.
struct ReadingLane {
  const char *name, *unit;              ///< "clock", "MHz"
  std::vector<double> seconds, values;  ///< decimated like the samples
  std::vector<CurvePart> parts{};
};
/// Of a lane: its values with a margin. Named are the lowest and, where that is far enough from it, the highest.
struct LaneAxis {
  double low = 0, high = 0;
  std::vector<std::pair<double, std::string>> ticks;
};
/// `one_line`: there is room for one name, which says both ends.
LaneAxis lane_axis(const ReadingLane& lane, bool one_line = false);
/// Neighbouring samples of one restart at which one thing slowed the device down, or nothing did.
struct LimitSpan {
  double first = 0, last = 0;  ///< seconds
  std::string limit;           ///< "throttled: power limit"; empty: nothing
  std::int64_t restart = 0;
};
struct SampleChart {
  SampleBuckets buckets;  ///< ms
  std::vector<double> flagged_seconds, flagged_ms;
  std::vector<ReadingLane> lanes;  ///< clock, power and temperature, as far as they were read
  std::vector<LimitSpan> limits;   ///< in order; empty: not read
  /// "Not read while this was measured: power, temperature."; empty: everything was.
  std::string not_read;
  Histogram histogram;
  std::size_t samples = 0, flagged = 0;
  std::vector<std::string> flags;  ///< "throttled: sw_power_cap (12)", by count
  std::vector<std::string>
      conditions;  ///< over the samples: "1,695 MHz", "688 W" (a mean), "61 °C"; what was not read is left out
  std::size_t invalid = 0;  ///< samples whose duration is not positive: shown as a count, never drawn
};
/// How far the time axis goes: to the last sample, and as far as the longest one takes.
double seconds_shown(const SampleChart& chart);
/// "2 samples up to 31.2 ms are counted in the last bar."; empty where every sample stands in its own place.
std::string folded_text(const Histogram& histogram);
/// What the readings of a burst do not say, where samples were slowed down by the power limit; else empty.
std::string burst_power_note(const SampleChart& chart, Regime regime);
SampleChart make_sample_chart(const std::vector<Sample>& samples, std::size_t max_buckets = 2000);
TextTable samples_text(const std::vector<Sample>& samples);

}  // namespace triscope
