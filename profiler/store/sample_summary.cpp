#include "profiler/store/sample_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

// Sums of logarithms in another order, or by another processor, differ less.
constexpr double kRoundings = 1e-6;

std::string difference(const Summary& stored, const Summary& own) {
  if (!(std::abs(stored.median_ms - own.median_ms) <= kRoundings * own.median_ms))
    return fmt::format("a median of {:.6g} ms, where its samples have {:.6g}", stored.median_ms, own.median_ms);
  const double room = kRoundings * own.median_ms;
  if (stored.ci_low_ms > own.median_ms + room || stored.ci_high_ms < own.median_ms - room)
    return "an interval that leaves its median out";
  const double width = stored.ci_high_ms - stored.ci_low_ms;
  const double own_width = own.ci_high_ms - own.ci_low_ms;
  if (std::isfinite(own_width) && width < 0.5 * own_width - room)
    return fmt::format("an interval of {:.3g} ms, where its samples give {:.3g}", width, own_width);
  return "";
}

}  // namespace

void correct_by_samples(Measurement& measurement, const Spread& pooled) {
  const auto lasts = [](const Sample& sample) { return sample.duration_ns > 0; };
  if (measurement.samples.empty() || !std::ranges::all_of(measurement.samples, lasts)) return;
  Summary own = summarize(measurement.samples, StoppingRule{}, pooled);
  const std::string what = difference(measurement.summary, own);
  if (what.empty()) return;
  own.converged = own.converged && measurement.summary.converged;
  measurement.summary = own;
  measurement.reason +=
      fmt::format("{}its file said {}: computed again from the samples", measurement.reason.empty() ? "" : "; ", what);
}

}  // namespace triscope
