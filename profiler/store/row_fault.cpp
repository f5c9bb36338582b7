#include "profiler/store/row_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/attention/flops.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;  // as of a valid problem

// A skipped row holds a problem that is impossible as a whole; but each of its sizes is one.
std::string problem_fault(const Problem& problem, Status status) {
  const std::pair<std::string_view, std::int64_t> sizes[] = {
      {"batch", problem.batch},       {"seq_len", problem.seq_len},   {"q_heads", problem.q_heads},
      {"kv_heads", problem.kv_heads}, {"head_dim", problem.head_dim}, {"window1", problem.window1},
      {"window2", problem.window2}};
  for (const auto& [name, size] : sizes) {
    if (size < 1 || size > kLargestSize) return fmt::format("{} is {}", name, size);
  }
  const std::pair<std::string_view, double> numbers[] = {{"scale", problem.scale.value_or(0)},
                                                         {"k2_bias", problem.k2_bias},
                                                         {"v2_bias", problem.v2_bias},
                                                         {"sink", problem.sink.value_or(0)}};
  for (const auto& [name, number] : numbers) {
    if (!std::isfinite(number)) return fmt::format("{} is {}", name, number);
  }
  if (status != Status::ok) return "";
  const std::vector<std::string> reasons = validate(problem);
  return reasons.empty() ? "" : reasons.front();
}

// Of numbers that are not negative and, in any machine, not larger than `most`.
std::string number_fault(std::string_view name, const std::optional<double>& number, double most) {
  return number && !(*number >= 0 && *number <= most) ? fmt::format("{} is {}", name, *number) : "";
}

constexpr double kMostError = std::numeric_limits<double>::max();
constexpr double kMostWatts = 1e6, kMostMegahertz = 1e6, kMostTflops = 1e7, kMostPeaks = 1000;

std::string first_of(std::initializer_list<std::string> faults) {
  const auto found = std::ranges::find_if(faults, [](const std::string& fault) { return !fault.empty(); });
  return found == faults.end() ? "" : *found;
}

// A date as `utc_date` writes it: before 1970 and after 2200 nothing was measured.
std::string date_fault(std::string_view name, const std::string& date) {
  constexpr std::string_view kFirst = "1970", kLast = "2200";
  return date < kFirst || date > kLast ? fmt::format("{} is {}", name, date.empty() ? "no date" : date) : "";
}

std::string counts_fault(std::int64_t samples, std::int64_t flagged) {
  if (samples < 0) return fmt::format("samples is {}", samples);
  if (flagged < 0 || flagged > samples) return fmt::format("flagged is {}", flagged);
  return "";
}

// How often a row was measured: in a process with a sample each, at least.
std::string restarts_fault(std::int64_t restarts, std::int64_t samples) {
  return restarts < 0 || restarts > std::max<std::int64_t>(samples, 1) ? fmt::format("restarts is {}", restarts) : "";
}

std::string interval_fault(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high && *low > *high ? fmt::format("ci_low_ms is {}, above ci_high_ms", *low) : "";
}

// Whether a rate that a file states is `own`. Both are made of sums of integers, rounded in another order.
bool is_same(const std::optional<double>& stated, double own) {
  constexpr double kRoundings = 1e-9;
  return stated && std::abs(*stated - own) <= kRoundings * own;
}

void make_possible(std::int64_t& size) {
  if (size < 1 || size > kLargestSize) size = 1;
}

}  // namespace

std::string no_time_fault(Status status, const std::optional<double>& median_ms) {
  if (status != Status::ok) return "";
  if (!median_ms || std::isnan(*median_ms)) return "median_ms is missing, although it is called ok";
  return *median_ms >= kLeastMs ? "" : fmt::format("median_ms is {}, although it is called ok", *median_ms);
}

std::string row_fault(const ResultRow& row) {
  return first_of(
      {problem_fault(row.problem, row.status), counts_fault(row.samples, row.flagged),
       restarts_fault(row.restarts, row.samples), number_fault("error", row.error, kMostError),
       no_time_fault(row.status, row.median_ms), number_fault("median_ms", row.median_ms, kMostMs),
       interval_fault(row.ci_low_ms, row.ci_high_ms), number_fault("tflops", row.tflops, kMostTflops),
       number_fault("tflops_paper_count", row.tflops_paper_count, kMostTflops),
       number_fault("power_w", row.power_w, kMostWatts), number_fault("power_limit_w", row.power_limit_w, kMostWatts),
       number_fault("sm_clock_mhz", row.sm_clock_mhz, kMostMegahertz),
       number_fault("max_sm_clock_mhz", row.max_sm_clock_mhz, kMostMegahertz), date_fault("started", row.started)});
}

void compute_rates(ResultRow& row) {
  if (!row.median_ms || !std::isfinite(*row.median_ms) || *row.median_ms <= 0 || !validate(row.problem).empty()) return;
  const double useful = useful_flops(row.problem, row.pass), per_ms = 1e-9 / *row.median_ms;
  const double paper_rate = paper_flops(row.problem, row.pass) * per_ms;
  if (!is_same(row.tflops_paper_count, paper_rate)) row.tflops_paper_count = paper_rate;
  const double rate = useful * per_ms;
  if (is_same(row.tflops, rate)) return;
  const bool has_rate = row.tflops && std::isfinite(*row.tflops) && *row.tflops > 0;
  if (row.peak_fraction)
    row.peak_fraction = has_rate ? std::optional(*row.peak_fraction * (rate / *row.tflops)) : std::nullopt;
  if (row.power_w) row.joules_per_tflop = *row.power_w * *row.median_ms * 1e9 / useful;
  row.tflops = rate;
}

std::string environment_fault(const Environment& environment) {
  return first_of({number_fault("power_limit_w", environment.power_limit_w, kMostWatts),
                   number_fault("max_sm_clock_mhz", environment.max_sm_clock_mhz, kMostMegahertz),
                   number_fault("max_memory_clock_mhz", environment.max_memory_clock_mhz, kMostMegahertz),
                   number_fault("peak_tflops", environment.peak_tflops, kMostTflops)});
}

std::string sweep_fault(const SweepInfo& sweep) {
  return first_of({sweep.planned < 0 ? fmt::format("planned is {}", sweep.planned) : "",
                   environment_fault(sweep.environment), date_fault("started", sweep.started),
                   sweep.finished.empty() ? "" : date_fault("finished", sweep.finished)});
}

std::string sample_fault(const Sample& sample) {
  if (sample.duration_ns < 0) return fmt::format("duration_ns of a sample is {}", sample.duration_ns);
  return sample.launches < 1 ? fmt::format("launches of a sample is {}", sample.launches) : "";
}

std::string cross_check_fault(const CrossCheck& check) {
  const std::optional<double>& ms = check.median_ms;
  return first_of({ms && !(*ms >= kLeastMs && *ms <= kMostMs) ? fmt::format("median_ms is {}", *ms) : "",
                   check.samples < 0 ? fmt::format("samples is {}", check.samples) : "",
                   interval_fault(check.ci_low_ms, check.ci_high_ms)});
}

std::string counter_fault(std::string_view name, double value) {
  return std::isnan(value) ? "" : number_fault(name, value, std::numeric_limits<double>::max());
}

std::string drop_impossible_counts(ResultRow& row) {
  const auto drop = [](std::string_view name, std::optional<double>& number, double most) {
    std::string fault = number_fault(name, number, most);
    if (!fault.empty()) number.reset();
    return fault;
  };
  const std::string share = drop("peak_fraction", row.peak_fraction, kMostPeaks);
  const std::string clock = drop("counted_clock_mhz", row.counted_clock_mhz, kMostMegahertz);
  return first_of({share, clock});
}

std::string without_part(std::string_view part, std::string_view fault) {
  return fmt::format("its {} cannot be used: {}", part, fault);
}

std::string row_fault(const Measurement& measurement) {
  const Summary& summary = measurement.summary;
  constexpr std::int64_t kYear2200 = 7'258'118'400'000'000'000;
  const std::int64_t started = measurement.started_unix_ns;
  const std::string fault = first_of(
      {problem_fault(measurement.key.problem, measurement.status), counts_fault(summary.samples, summary.flagged),
       restarts_fault(summary.restarts, summary.samples), number_fault("error", measurement.error, kMostError),
       std::isnan(summary.median_ms) ? "" : number_fault("median_ms", summary.median_ms, kMostMs),
       interval_fault(summary.ci_low_ms, summary.ci_high_ms), number_fault("power_w", summary.power_w, kMostWatts),
       number_fault("sm_clock_mhz", summary.sm_clock_mhz, kMostMegahertz),
       started < 0 || started > kYear2200 ? fmt::format("started_unix_ns is {}", started) : ""});
  if (!fault.empty()) return fault;
  for (const Sample& sample : measurement.samples) {
    if (std::string of_sample = sample_fault(sample); !of_sample.empty()) return of_sample;
  }
  return "";
}

Problem unknown_problem() {
  Problem problem;
  problem.batch = problem.seq_len = problem.q_heads = problem.kv_heads = problem.head_dim = 1;
  problem.window1 = problem.window2 = 1;
  return problem;
}

ResultRow unusable_row(const ResultRow& row, const std::string& fault) {
  ResultRow shown;
  shown.measurement = row.measurement;
  shown.sweep = row.sweep;
  shown.started = row.started;
  shown.device = row.device;
  shown.kernel = row.kernel.empty() ? "?" : row.kernel;
  shown.instance = row.instance;
  shown.source_hash = row.source_hash;
  shown.pass = row.pass;
  shown.timing_source = row.timing_source;
  shown.regime = row.regime;
  shown.problem = row.problem;
  Problem& p = shown.problem;
  for (std::int64_t* size : {&p.batch, &p.seq_len, &p.q_heads, &p.kv_heads, &p.head_dim, &p.window1, &p.window2})
    make_possible(*size);
  for (double* bias : {&p.k2_bias, &p.v2_bias})
    if (!std::isfinite(*bias)) *bias = 0;
  for (std::optional<double>* number : {&p.scale, &p.sink})
    if (*number && !std::isfinite(**number)) number->reset();
  shown.status = Status::failed;
  shown.reason = "this row of the database cannot be used: " + fault;
  shown.card = row.card;
  return shown;
}

}  // namespace triscope
