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

/// "sweeps 3 and 6"
std::string sweeps_text(const std::set<std::int64_t>& sweeps) {
  constexpr std::size_t kMost = 4;
  if (sweeps.size() == 1) return fmt::format("sweep {}", *sweeps.begin());
  if (sweeps.size() > kMost) return counted(sweeps.size(), "sweep");
  std::string text;
  for (const std::int64_t sweep : sweeps)
    text += (text.empty() ? "sweeps " : sweep == *sweeps.rbegin() ? " and " : ", ") + std::to_string(sweep);
  return text;
}

/// An id and "@7ca50e56": a kernel of ours, and what it was compiled from where the rows have one such source.
std::string kernel_and_source(std::span<const ResultRow* const> rows) {
  constexpr std::size_t kDigits = 8;
  const ResultRow& first = *rows.front();
  const bool one_source =
      std::ranges::all_of(rows, [&](const ResultRow* row) { return row->source_hash == first.source_hash; });
  return first.kernel + (one_source && !first.source_hash.empty() ? "@" + first.source_hash.substr(0, kDigits) : "");
}

SeriesFacts facts_of(const DrawnSeries& series) {
  std::vector<const ResultRow*> rows;
  for (const DrawnRow& one : series.rows) rows.push_back(one.row);
  SeriesFacts facts;
  facts.name = series.name;
  facts.what = what_is_measured(rows);
  const ResultRow& first = *rows.front();
  facts.baseline = std::ranges::all_of(rows, [](const ResultRow* row) { return is_baseline(*row); });
  const bool one_kernel = std::ranges::all_of(rows, [&](const ResultRow* row) { return row->kernel == first.kernel; });
  const bool one_instance =
      std::ranges::all_of(rows, [&](const ResultRow* row) { return row->instance == first.instance; });
  const bool named = series.name.starts_with(first.card.label);
  if (one_kernel && !facts.baseline) {
    const std::string kernel = kernel_and_source(rows);
    facts.name = printed_name(series.name, first.card.label, kernel);
    if (!named) facts.kernel = kernel;
  } else if (one_kernel && one_instance && named && !first.instance.empty() && first.instance != "default") {
    facts.name.insert(first.card.label.size(), " " + first.instance);
  }
  for (const DrawnRow& one : series.rows) {
    const ResultRow& row = *one.row;
    facts.samples.push_back(row.samples);
    facts.sweeps.insert(row.sweep);
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

/// "n = 18, 12, 4 samples"
std::string samples_text(const SeriesFacts& one) {
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
  return fmt::format("n = {} samples", n);
}

/// What stands in every sentence of a series, and what all of them share.
struct SeriesWords {
  bool alone = false, with_samples = false, with_sweeps = false;
};

/// Behind a kernel of ours: "trilinear, bf16, 64/1 heads; n = 18, 12, 4 samples, 1,660 to 1,748 MHz, at the power
/// limit. "
std::string series_sentence(const SeriesFacts& one, const SeriesWords& words, bool with_what) {
  std::string what = with_what ? one.kernel : std::string();
  if (with_what && !one.what.empty()) what += (what.empty() ? "" : ", ") + one.what;
  const std::string how = (words.with_samples ? ", " + samples_text(one) : "") + clock_of({&one, 1});
  if (!how.empty()) what += (what.empty() ? "" : "; ") + how.substr(2);
  if (what.empty()) return {};
  std::string name = one.name.empty() && words.alone ? "All points" : one.name;
  if (words.with_sweeps && !name.empty()) name += " of " + sweeps_text(one.sweeps);
  return fmt::format("{}: {}. ", name, what);
}

/// The fewest and the most samples of its points are those of every other series.
bool share_samples(std::span<const SeriesFacts> series) {
  return std::ranges::all_of(series, [&](const SeriesFacts& one) {
    const auto [least, most] = std::ranges::minmax(one.samples);
    const auto [first_least, first_most] = std::ranges::minmax(series.front().samples);
    return least == first_least && most == first_most;
  });
}
/// The head of the caption says it once.
bool tells_samples_once(const ChartConditions& how) {
  return how.series.size() > 1 && (how.series.size() > kMostToldSeries || share_samples(how.series));
}

/// "Our kernels: " with what was measured of all of them, "trilinear, 64/1 heads. "
std::string shared_sentence(const ChartConditions& how) {
  const auto ours = std::ranges::find_if(how.series, [](const SeriesFacts& one) { return !one.baseline; });
  const std::string kernel = ours == how.series.end() ? "" : ours->kernel;
  if (kernel.empty()) return how.problem.empty() ? "" : "Our kernels: " + how.problem + ". ";
  return fmt::format("Our kernel: {}{}{}. ", kernel, how.problem.empty() ? "" : ", ", how.problem);
}

/// A sentence for each series; what all of ours share is said once.
std::string series_sentences(const ChartConditions& how) {
  const auto is_ours = [](const SeriesFacts& one) { return !one.baseline; };
  const auto first = std::ranges::find_if(how.series, is_ours);
  const auto shares = [&](const SeriesFacts& one) {
    return one.baseline || (one.what == how.problem && one.kernel == first->kernel);
  };
  const bool all_share = std::ranges::all_of(how.series, shares);
  if (how.series.size() > kMostToldSeries) {
    const std::string clock = clock_of(how.series);
    return (all_share || !how.problem.empty() ? shared_sentence(how) : "") +
           (clock.empty() ? "" : "All series: " + clock.substr(2) + ". ");
  }
  const bool once = std::ranges::count_if(how.series, is_ours) > 1 && !how.problem.empty() && all_share;
  const SeriesWords words{
      how.series.size() == 1, !tells_samples_once(how),
      std::ranges::any_of(how.series, [&](const SeriesFacts& one) { return one.sweeps != how.series.front().sweeps; })};
  std::string text = once ? shared_sentence(how) : "";
  for (const SeriesFacts& one : how.series) text += series_sentence(one, words, one.baseline || !once);
  return text;
}

/// ", from the spread of restarts, pooled in each sweep": what `summarize` makes an interval of.
std::string way_of_intervals(const ChartConditions& how) {
  if (how.most_restarts < 1) return {};
  if (how.most_restarts == 1) return " from the spread of blocks of samples";
  return how.fewest_restarts > 1 ? " from the spread of restarts, pooled in each sweep"
                                 : " from the spread of restarts, pooled in each sweep, or of one restart's blocks";
}

/// " of n = 2 to 18 samples in 2 restarts"
std::string samples_of_points(const ChartConditions& how) {
  std::string text;
  if (tells_samples_once(how)) text = fmt::format(" of n = {} samples", span_text(how.fewest_samples, how.samples));
  if (how.most_restarts > 1)
    text += fmt::format(" {} {} restarts", text.empty() ? "over" : "in",
                        span_text(std::max<std::int64_t>(1, how.fewest_restarts), how.most_restarts));
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
      conditions.fewest_restarts = rows.size() == 1 ? row.restarts : std::min(conditions.fewest_restarts, row.restarts);
      conditions.most_restarts = std::max(conditions.most_restarts, row.restarts);
      conditions.power_limits.insert(row.power_limit_w ? std::lround(*row.power_limit_w) : 0);
      conditions.passes.emplace(to_string(row.pass));
      conditions.pairs |= row.card.kind == KernelKind::dot_product;
      conditions.triples |= !is_baseline(row);
    }
  }
  conditions.measurements = rows.size();
  if (conditions.triples) conditions.problem = shared_conditions(rows);
  for (const DrawnSeries& series : by_name) conditions.series.push_back(facts_of(series));
  return conditions;
}

std::string printed_name(std::string name, const std::string& label, const std::string& kernel) {
  if (!label.empty() && name.starts_with(label)) name.replace(0, label.size(), kernel);
  return name;
}

std::string measurements_text(const ChartConditions& how, bool with_sweeps) {
  const std::string text = counted(how.measurements, "measurement");
  return with_sweeps ? text + " of " + sweeps_text(how.sweeps) : text;
}

std::string print_caption(const ChartConditions& how, const CaptionParts& parts) {
  std::string text = fmt::format("{}", fmt::join(parts.devices, ", "));
  if (how.power_limits.size() == 1 && *how.power_limits.begin() > 0)
    text += fmt::format(", power limit {} W", *how.power_limits.begin());
  text += fmt::format(", {}, timed by {}. {} are medians{}", fmt::join(how.regimes, " and "),
                      fmt::join(how.timed_by, " and "), parts.marks, samples_of_points(how));
  if (parts.intervals)
    text += fmt::format(", {} 95 % intervals{}{}", parts.whiskers, way_of_intervals(how),
                        parts.bare_baselines ? ", of baselines not drawn" : "");
  if (parts.intervals && how.precisions.size() == 1 && !how.precision_unknown)
    text += fmt::format("; ±{} % was asked for (±{} % ends it)", significant_text(100 * *how.precisions.begin(), 2),
                        significant_text(100 * widest_converged(*how.precisions.begin()), 3));
  if (parts.hollow_unconverged) text += "; hollow: not converged (wider, or of too few blocks)";
  if (parts.hollow)
    text += parts.hollow_unconverged ? "; hollow without a bar: interval unknown"
                                     : "; hollow where the interval is unknown";
  if (parts.repeats) text += "; a bar without ends is the range of several measurements, its point their median";
  text += ". " + series_sentences(how);
  if (!parts.hollow_unconverged) text += unconverged_sentence(how.series);
  text += parts.rest;
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
