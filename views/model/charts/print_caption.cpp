#include "views/model/charts/print_caption.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostToldSeries = 12, kMostToldSamples = 4;  ///< each in the caption of a picture

/// "12 to 40", or "32" where both are the same.
std::string span_text(std::int64_t low, std::int64_t high) {
  return low == high ? format_count(low) : fmt::format("{} to {}", format_count(low), format_count(high));
}

/// "causal dot-product attention" of a reference; of ours the problem, as far as its rows share it.
std::string what_is_measured(std::span<const ResultRow* const> rows) {
  const ResultRow& first = *rows.front();
  if (!is_baseline(first)) return shared_conditions(rows);
  if (first.card.kind == KernelKind::gemm) return "matrix product";
  const std::string windows = windows_text(first.problem);
  const bool shared =
      std::ranges::all_of(rows, [&](const ResultRow* row) { return windows_text(row->problem) == windows; });
  return (shared ? windows + " " : "") + "dot-product attention";
}

/// " of sweeps 3 and 6"
std::string sweeps_of(std::span<const ResultRow* const> rows) {
  constexpr std::size_t kMost = 4;
  std::set<std::int64_t> sweeps;
  for (const ResultRow* row : rows) sweeps.insert(row->sweep);
  if (sweeps.size() == 1) return fmt::format(" of sweep {}", *sweeps.begin());
  if (sweeps.size() > kMost) return fmt::format(" of {}", counted(sweeps.size(), "sweep"));
  std::string text;
  for (const std::int64_t sweep : sweeps)
    text += (text.empty() ? " of sweeps " : sweep == *sweeps.rbegin() ? " and " : ", ") + std::to_string(sweep);
  return text;
}

/// `of_sweeps`: the chart has several, so each says which.
SeriesFacts facts_of(const DrawnSeries& series, bool of_sweeps) {
  std::vector<const ResultRow*> rows;
  for (const DrawnRow& one : series.rows) rows.push_back(one.row);
  SeriesFacts facts{series.name, what_is_measured(rows), {}, {}, {}, 0, {}, {}};
  const ResultRow& first = *rows.front();
  facts.baseline = std::ranges::all_of(rows, [](const ResultRow* row) { return is_baseline(*row); });
  const bool one_version = facts.baseline && std::ranges::all_of(rows, [&](const ResultRow* row) {
                             return row->kernel == first.kernel && row->instance == first.instance;
                           });
  if (one_version && series.name.starts_with(first.card.label) && !first.instance.empty() &&
      first.instance != "default")
    facts.name.insert(first.card.label.size(), " " + first.instance);
  if (of_sweeps && !facts.name.empty()) facts.name += sweeps_of(rows);
  for (const DrawnRow& one : series.rows) {
    const ResultRow& row = *one.row;
    facts.samples.push_back(row.samples);
    if (row.sm_clock_mhz) {
      facts.least_mhz = std::min(facts.least_mhz.value_or(*row.sm_clock_mhz), *row.sm_clock_mhz);
      facts.most_mhz = std::max(facts.most_mhz.value_or(*row.sm_clock_mhz), *row.sm_clock_mhz);
    }
    if (!row.limiter.empty()) {
      ++facts.limited;
      facts.limit = flag_label(row.limiter);
    }
    if (row.reason.starts_with("not converged")) facts.unconverged.push_back(one.where);
  }
  return facts;
}

/// ", 1,493 to 1,740 MHz, at the power limit in 3 of 6": of all these series.
std::string clock_of(std::span<const SeriesFacts> series) {
  std::optional<double> least, most;
  std::size_t limited = 0, all = 0;
  std::set<std::string> limits;
  for (const SeriesFacts& one : series) {
    if (one.least_mhz) least = std::min(least.value_or(*one.least_mhz), *one.least_mhz);
    if (one.most_mhz) most = std::max(most.value_or(*one.most_mhz), *one.most_mhz);
    limited += one.limited, all += one.samples.size();
    if (one.limited > 0) limits.insert(one.limit);
  }
  std::string text;
  if (least) text += fmt::format(", {} MHz", span_text(std::llround(*least), std::llround(*most)));
  if (limited == 0) return text;
  text += limits.size() == 1 && *limits.begin() == "power limit"
              ? ", at the power limit"
              : fmt::format(", throttled ({})", fmt::join(limits, ", "));
  return limited == all ? text : text + fmt::format(" in {} of {} points", limited, all);
}

/// "Hopper: trilinear, bf16, 64/1 heads; n = 18, 12 and 4 samples, 1,660 to 1,748 MHz, at the power limit. "
std::string series_sentence(const SeriesFacts& one, bool alone, bool with_what) {
  std::string n;
  if (one.samples.size() <= kMostToldSamples &&
      std::ranges::adjacent_find(one.samples, std::not_equal_to()) != one.samples.end()) {
    std::vector<std::string> each;
    for (const std::int64_t samples : one.samples) each.push_back(format_count(samples));
    n = fmt::format("{}", fmt::join(each, ", "));
  } else {
    const auto [least, most] = std::ranges::minmax(one.samples);
    n = span_text(least, most);
  }
  const std::string name = one.name.empty() && alone ? "All points" : one.name;
  const std::string what = with_what && !one.what.empty() ? one.what + "; " : "";
  return fmt::format("{}: {}n = {} samples{}. ", name, what, n, clock_of({&one, 1}));
}

/// A sentence for each series; what all of ours share is said once.
std::string series_sentences(const ChartConditions& how) {
  std::string text;
  if (how.series.size() > kMostToldSeries) {
    if (!how.problem.empty()) text += "Our kernels: " + how.problem + ". ";
    return text + fmt::format("n = {} samples a point", span_text(how.fewest_samples, how.samples)) +
           clock_of(how.series) + ". ";
  }
  const auto shares = [&](const SeriesFacts& one) { return one.baseline || one.what == how.problem; };
  const auto ours = std::ranges::count_if(how.series, [](const SeriesFacts& one) { return !one.baseline; });
  const bool once = ours > 1 && !how.problem.empty() && std::ranges::all_of(how.series, shares);
  if (once) text += "Our kernels: " + how.problem + ". ";
  for (const SeriesFacts& one : how.series) text += series_sentence(one, how.series.size() == 1, one.baseline || !once);
  return text;
}

/// "Not as narrow as asked, or of few samples: Hopper at 64k. ": a point whose interval is less sure than the others'.
std::string unconverged_sentence(std::span<const SeriesFacts> series) {
  constexpr std::size_t kMost = 6;
  std::size_t count = 0;
  std::vector<std::string> named;
  for (const SeriesFacts& one : series) {
    count += one.unconverged.size();
    if (!one.unconverged.empty())
      named.push_back(
          fmt::format("{} at {}", one.name.empty() ? "points" : one.name, fmt::join(one.unconverged, ", ")));
  }
  if (count == 0) return {};
  if (count > kMost) return fmt::format("{} did not converge. ", counted(count, "measurement"));
  return fmt::format("Not converged: {}. ", fmt::join(named, "; "));
}

}  // namespace

ChartConditions conditions_of(std::span<const DrawnSeries> drawn) {
  ChartConditions conditions;
  std::vector<const ResultRow*> rows;
  std::vector<DrawnSeries> by_name;
  for (const DrawnSeries& series : drawn) {
    if (series.rows.empty()) continue;
    const auto known = std::ranges::find(by_name, series.name, &DrawnSeries::name);
    DrawnSeries& same = known == by_name.end() ? by_name.emplace_back(DrawnSeries{series.name, {}}) : *known;
    same.rows.insert(same.rows.end(), series.rows.begin(), series.rows.end());
    for (const DrawnRow& one : series.rows) {
      const ResultRow& row = *one.row;
      rows.push_back(&row);
      conditions.sweeps.insert(row.sweep);
      if (one.precision) conditions.precisions.insert(*one.precision);
      conditions.precision_unknown |= !one.precision;
      conditions.regimes.emplace(to_string(row.regime));
      conditions.timed_by.insert(timing_label(row.timing_source));
      conditions.fewest_samples = rows.size() == 1 ? row.samples : std::min(conditions.fewest_samples, row.samples);
      conditions.samples = std::max(conditions.samples, row.samples);
      conditions.passes.emplace(to_string(row.pass));
      conditions.pairs |= row.card.kind == KernelKind::dot_product;
      conditions.triples |= !is_baseline(row);
    }
  }
  conditions.measurements = rows.size();
  if (conditions.triples) conditions.problem = shared_conditions(rows);
  for (const DrawnSeries& series : by_name) conditions.series.push_back(facts_of(series, conditions.sweeps.size() > 1));
  return conditions;
}

std::string measurements_text(const ChartConditions& how, bool with_sweeps) {
  std::string text = counted(how.measurements, "measurement");
  if (!with_sweeps) return text;
  return text + (how.sweeps.size() == 1 ? fmt::format(" of sweep {}", *how.sweeps.begin())
                                        : fmt::format(" of {}", counted(how.sweeps.size(), "sweep")));
}

std::string print_caption(const ChartConditions& how, const CaptionParts& parts) {
  std::string text = fmt::format("{}, {}, timed by {}. {} are medians", fmt::join(parts.devices, ", "),
                                 fmt::join(how.regimes, " and "), fmt::join(how.timed_by, " and "), parts.marks);
  if (parts.repeats) text += ", of several repeats their median and range";
  if (parts.intervals)
    text +=
        fmt::format(", {} 95 % intervals{}", parts.whiskers, parts.bare_baselines ? ", of baselines not drawn" : "");
  if (parts.intervals && how.precisions.size() == 1 && !how.precision_unknown)
    text += fmt::format("; measuring of a point ended when its interval was within ±{} %, or with its time",
                        significant_text(100 * widest_converged(*how.precisions.begin()), 3));
  if (parts.hollow) text += "; hollow where the interval is unknown";
  text += ". " + series_sentences(how) + unconverged_sentence(how.series) + parts.rest;
  if (parts.days.empty()) return text;
  return text + (parts.days.size() == 1 ? fmt::format(" {}.", *parts.days.begin())
                                        : fmt::format(" {} to {}.", *parts.days.begin(), *parts.days.rbegin()));
}

std::string print_caption(std::span<const DrawnSeries> drawn, CaptionParts parts) {
  const ChartConditions how = conditions_of(drawn);
  if (how.measurements == 0) return {};
  for (const DrawnSeries& series : drawn) {
    for (const DrawnRow& one : series.rows) {
      parts.devices.insert(one.row->device);
      parts.days.insert(one.row->started.substr(0, 10));
      const bool drawn_with_it = *parts.whiskers != '\0' && !is_baseline(*one.row);
      parts.intervals |= drawn_with_it && interval_known(*one.row);
      parts.hollow |= !is_baseline(*one.row) && !interval_known(*one.row);
      parts.bare_baselines |= is_baseline(*one.row);
    }
  }
  parts.rest += measurements_text(how, true) + ".";
  return print_caption(how, parts);
}

}  // namespace triscope
