#include "profiler/store/sample_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

// Sums of logarithms in another order, or by another processor, differ less.
constexpr double kRoundings = 1e-6;

std::string difference(const Summary& stored, const Summary& own) {
  if (std::isnan(stored.median_ms)) return fmt::format("no median, where its samples have {:.6g} ms", own.median_ms);
  if (!(std::abs(stored.median_ms - own.median_ms) <= kRoundings * own.median_ms))
    return fmt::format("a median of {:.6g} ms, where its samples have {:.6g}", stored.median_ms, own.median_ms);
  if (!interval_known(stored)) return "";
  const double room = kRoundings * own.median_ms;
  if (stored.ci_low_ms > own.median_ms + room || stored.ci_high_ms < own.median_ms - room)
    return "an interval that leaves its median out";
  const double width = stored.ci_high_ms - stored.ci_low_ms;
  const double own_width = own.ci_high_ms - own.ci_low_ms;
  if (std::isfinite(own_width) && width < 0.5 * own_width - room)
    return fmt::format("an interval of {:.3g} ms, where its samples give {:.3g}", width, own_width);
  return "";
}

bool say_a_time(std::span<const Sample> samples) {
  return !samples.empty() && std::ranges::all_of(samples, [](const Sample& one) { return one.duration_ns > 0; });
}

}  // namespace

std::string stored_times_fault(const Summary& stored, std::span<const Sample> samples, const Spread& pooled) {
  if (!(stored.median_ms > 0) || !std::isfinite(stored.median_ms) || !say_a_time(samples)) return "";
  const std::string what = difference(stored, summarize(samples, StoppingRule{}, pooled));
  return what.empty() ? "" : "its file says " + what;
}

std::string stored_times_fault(const ResultRow& row, std::span<const Sample> samples, const Spread& pooled) {
  Summary stored;
  stored.median_ms = row.median_ms.value_or(0);
  stored.ci_low_ms = row.ci_low_ms.value_or(0);
  stored.ci_high_ms = row.ci_high_ms.value_or(std::numeric_limits<double>::infinity());
  return stored_times_fault(stored, samples, pooled);
}

void add_remark(std::string& reason, const std::string& remark) {
  if (reason.find(remark) == std::string::npos) reason += (reason.empty() ? "" : "; ") + remark;
}

std::string correct_by_samples(Measurement& measurement, const Spread& pooled) {
  if (!say_a_time(measurement.samples)) return "";
  Summary own = summarize(measurement.samples, StoppingRule{}, pooled);
  const std::string what = difference(measurement.summary, own);
  if (what.empty()) return "";
  own.converged = own.converged && measurement.summary.converged;
  measurement.summary = own;
  std::string remark = fmt::format("its file said {}: computed again from the samples", what);
  add_remark(measurement.reason, remark);
  return remark;
}

}  // namespace triscope
