#include "views/model/charts/print_caption.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/data/unbroken.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostToldSeries = 6, kMostToldSamples = 4;  ///< each in the caption of a picture
constexpr std::string_view kBetweenLimits = ", ";

/// "12 to 40", or "32" where both are the same.
std::string span_text(std::int64_t low, std::int64_t high) {
  return low == high ? format_count(low) : fmt::format("{} to {}", format_count(low), format_count(high));
}

/// "causal dot-product attention, 64/1 heads" of a reference; of ours the problem, as far as its rows share it.
std::string what_is_measured(std::span<const ResultRow* const> rows) {
  const ResultRow& first = *rows.front();
  if (!is_baseline(first)) return shared_conditions(rows);
  if (first.problem.form == Form::gemm) return "matrix product";
  const std::string windows = windows_text(first.problem);
  const bool shared =
      std::ranges::all_of(rows, [&](const ResultRow* row) { return windows_text(row->problem) == windows; });
  const auto heads = [](const ResultRow* row) { return std::pair(row->problem.q_heads, row->problem.kv_heads); };
  const bool same_heads = std::ranges::all_of(rows, [&](const ResultRow* row) { return heads(row) == heads(&first); });
  return (shared ? windows + " " : "") + "dot-product attention" +
         (same_heads ? fmt::format(", {}/{} heads", first.problem.q_heads, first.problem.kv_heads) : "");
}

/// "2-simplicial and dot-product attention, 512 × 32, backward. ": what a reader does not see in the chart's axes.
std::string subject(const ChartConditions& how) {
  const std::string what = how.triples && how.pairs ? "2-simplicial and dot-product attention"
                           : how.triples            ? "2-simplicial attention"
                           : how.pairs              ? "Dot-product attention"
                                                    : "";
  if (what.empty()) return what;
  const std::string pass = how.passes.size() > 1 ? "forward and backward" : *how.passes.begin();
  if (how.title.ends_with(pass)) return fmt::format("{}, {}. ", what, how.title);
  return fmt::format("{}{}{}, {}. ", what, how.title.empty() ? "" : ", ", how.title, pass);
}

/// "sweeps 3 and 6", where there are several databases "sweep 3 of a.db".
std::string sweeps_text(const std::set<SweepOf>& sweeps) {
  constexpr std::size_t kMost = 4;
  std::set<std::string> databases;
  for (const SweepOf& sweep : sweeps) databases.insert(sweep.database);
  if (databases.size() > 1) return fmt::format("{} in {} databases", counted(sweeps.size(), "sweep"), databases.size());
  const std::string& database = *databases.begin();
  const std::string of = database.empty() ? "" : " of " + database;
  if (sweeps.size() == 1) return fmt::format("sweep {}{}", sweeps.begin()->id, of);
  if (sweeps.size() > kMost) return counted(sweeps.size(), "sweep") + of;
  std::string text;
  for (const SweepOf& sweep : sweeps)
    text += (text.empty() ? "sweeps " : sweep == *sweeps.rbegin() ? " and " : ", ") + std::to_string(sweep.id);
  return text + of;
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
    facts.kernel = kernel_and_source(rows);
  } else if (one_kernel && one_instance && named && !first.instance.empty() && first.instance != "default") {
    facts.name.insert(first.card.label.size(), " " + first.instance);
  }
  std::set<std::string> limits, places;
  for (const DrawnRow& one : series.rows) {
    const ResultRow& row = *one.row;
    facts.samples.push_back(row.samples);
    facts.one_at_each_x &= places.insert(one.where).second;
    facts.sweeps.insert({one.database, row.sweep});
    if (row.sm_clock_mhz) {
      facts.least_mhz = std::min(facts.least_mhz.value_or(*row.sm_clock_mhz), *row.sm_clock_mhz);
      facts.most_mhz = std::max(facts.most_mhz.value_or(*row.sm_clock_mhz), *row.sm_clock_mhz);
    }
    if (!row.limiter.empty()) {
      ++facts.limited;
      limits.insert(flag_label(row.limiter));
    }
    if (!has_converged(row)) facts.unconverged.push_back(one.where);
  }
  facts.limit = fmt::format("{}", fmt::join(limits, kBetweenLimits));
  return facts;
}

/// "split64" of "d128_split64_keys128" beside "d128_pair64_keys128": the parts that not all of `others` have.
std::string own_parts(const std::string& instance, const std::vector<std::string>& others) {
  const auto has = [](const std::string& name, const std::string& part) {
    return ("_" + name + "_").find("_" + part + "_") != std::string::npos;
  };
  std::string own;
  for (std::size_t begin = 0; begin <= instance.size();) {
    const std::size_t end = std::min(instance.find('_', begin), instance.size());
    const std::string part = instance.substr(begin, end - begin);
    if (!std::ranges::all_of(others, [&](const std::string& other) { return has(other, part); }))
      own += (own.empty() ? "" : "_") + part;
    begin = end + 1;
  }
  return own.empty() ? instance : own;
}

/// "split64 at 2k, pair64 elsewhere": which variants of a kernel one line joins; empty: only one.
std::string variants_text(const DrawnSeries& series) {
  constexpr std::size_t kMostNamed = 3;
  std::map<std::string, std::vector<std::string>> places;
  std::set<std::string> all;
  for (const DrawnRow& one : series.rows) {
    places[one.row->instance].push_back(one.where);
    all.insert(one.where);
  }
  if (places.size() < 2) return {};
  std::vector<std::string> instances;
  for (const auto& [instance, where] : places) instances.push_back(instance);
  std::ranges::stable_sort(instances, {}, [&](const std::string& one) { return places[one].size(); });
  const bool told = all.size() == series.rows.size() && instances.size() <= kMostNamed &&
                    series.rows.size() - places[instances.back()].size() <= kMostNamed;
  if (!told) return counted(instances.size(), "variant");
  std::string text;
  for (const std::string& instance : instances) {
    const std::string part = own_parts(instance, instances);
    text += instance == instances.back() ? part + " elsewhere"
                                         : fmt::format("{} at {}, ", part, fmt::join(places[instance], ", "));
  }
  return text;
}

/// ", 1,493 to 1,740 MHz, at the power limit in 3 of 6": of all these series.
/// `said`: what held it down stands in the caption's head.
std::string clock_of(std::span<const SeriesFacts> series, bool said) {
  std::optional<double> least, most;
  std::size_t limited = 0, all = 0;
  std::set<std::string> limits;
  for (const SeriesFacts& one : series) {
    if (one.least_mhz) least = std::min(least.value_or(*one.least_mhz), *one.least_mhz);
    if (one.most_mhz) most = std::max(most.value_or(*one.most_mhz), *one.most_mhz);
    limited += one.limited, all += one.samples.size();
    for (std::size_t begin = 0; one.limited > 0 && begin < one.limit.size();) {
      const std::size_t end = std::min(one.limit.find(kBetweenLimits, begin), one.limit.size());
      limits.insert(one.limit.substr(begin, end - begin));
      begin = end + kBetweenLimits.size();
    }
  }
  std::string text;
  if (least) text += fmt::format(", {} MHz", span_text(std::llround(*least), std::llround(*most)));
  if (limited == 0 || said) return text;
  text += limits.size() == 1 && *limits.begin() == "power limit"
              ? ", at the power limit"
              : fmt::format(", throttled ({})", fmt::join(limits, ", "));
  return limited == all ? text : text + fmt::format(" in {} of {} points", limited, all);
}

/// Every measurement was at the power limit, and held down by nothing else.
bool all_at_power_limit(const ChartConditions& how) {
  return std::ranges::all_of(how.series, [](const SeriesFacts& one) {
    return one.limited == one.samples.size() && one.limit == "power limit";
  });
}

/// "n = 18, 12, 4 samples", point by point where they are few, else "n = 4 to 18 samples".
std::string samples_text(const SeriesFacts& one) {
  std::string n;
  if (one.one_at_each_x && one.samples.size() <= kMostToldSamples &&
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
  bool alone = false, with_samples = false, with_sweeps = false, with_kernel = false, limit_said = false;
};

/// Behind a kernel of ours: "trilinear, bf16, 64/1 heads; n = 18, 12, 4 samples, 1,660 to 1,748 MHz, at the power
/// limit. "
std::string series_sentence(const SeriesFacts& one, const SeriesWords& words, bool with_what) {
  std::string what = words.with_kernel ? one.kernel : std::string();
  if (with_what && !one.what.empty()) what += (what.empty() ? "" : ", ") + one.what;
  const std::string how = (words.with_samples ? ", " + samples_text(one) : "") + clock_of({&one, 1}, words.limit_said);
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

/// The kernel that all of ours are, with its source; empty: several.
std::string shared_kernel(const ChartConditions& how) {
  const auto ours = std::ranges::find_if(how.series, [](const SeriesFacts& one) { return !one.baseline; });
  if (ours == how.series.end()) return {};
  const bool shared = std::ranges::all_of(
      how.series, [&](const SeriesFacts& one) { return one.baseline || one.kernel == ours->kernel; });
  return shared ? ours->kernel : "";
}

/// "Our kernels: " with what was measured of all of them, "trilinear, 64/1 heads. "
std::string shared_sentence(const ChartConditions& how) {
  const std::string kernel = shared_kernel(how);
  if (kernel.empty()) return how.problem.empty() ? "" : "Our kernels: " + how.problem + ". ";
  return fmt::format("Our kernel: {}{}{}. ", kernel, how.problem.empty() ? "" : ", ", how.problem);
}

/// A sentence for each series; what all of ours share is said once.
std::string series_sentences(const ChartConditions& how) {
  const auto is_ours = [](const SeriesFacts& one) { return !one.baseline; };
  const auto shares = [&](const SeriesFacts& one) { return one.baseline || one.what == how.problem; };
  const bool all_share = std::ranges::all_of(how.series, shares), limit_said = all_at_power_limit(how);
  if (how.series.size() > kMostToldSeries) {
    const std::string clock = clock_of(how.series, limit_said);
    return (all_share || !how.problem.empty() ? shared_sentence(how) : "") +
           (clock.empty() ? "" : "All series: " + clock.substr(2) + ". ");
  }
  const bool once = std::ranges::count_if(how.series, is_ours) > 1 && !how.problem.empty() && all_share;
  const SeriesWords words{
      how.series.size() == 1, !tells_samples_once(how),
      std::ranges::any_of(how.series, [&](const SeriesFacts& one) { return one.sweeps != how.series.front().sweeps; }),
      !once || shared_kernel(how).empty(), limit_said};
  std::string text = once ? shared_sentence(how) : "";
  for (const SeriesFacts& one : how.series) text += series_sentence(one, words, one.baseline || !once);
  return text;
}

/// " from the spread between runs of a sweep": what `summarize` makes an interval of.
std::string way_of_intervals(const ChartConditions& how) {
  if (how.most_restarts < 1) return {};
  if (how.most_restarts == 1) return " from the spread within a run";
  return how.fewest_restarts > 1 ? " from the spread between runs of a sweep"
                                 : " from the spread between runs of a sweep or within one";
}

/// " of n = 2 to 18 samples in 2 runs": of a process each
std::string samples_of_points(const ChartConditions& how) {
  std::string text;
  if (tells_samples_once(how)) text = fmt::format(" of n = {} samples", span_text(how.fewest_samples, how.samples));
  if (how.most_restarts > 1)
    text += fmt::format(" {} {} runs", text.empty() ? "over" : "in",
                        span_text(std::max<std::int64_t>(1, how.fewest_restarts), how.most_restarts));
  return text;
}

/// Else it is a line, and nothing of it is hollow.
bool has_marks(const SeriesFacts& series, const CaptionParts& parts) {
  return !series.baseline || !parts.bare_baselines;
}

/// A number and its percent sign stay on one line.
std::string with_unbroken_percents(std::string text) {
  for (std::size_t at = text.find(" %"); at != std::string::npos; at = text.find(" %", at))
    text.replace(at, 1, unbroken(" "));
  return text;
}

/// "; hollow, 5 of 12 points: interval wider than 1.25 times the 1.0 % asked for, or too few samples": marks tell
/// which.
std::string hollow_words(const ChartConditions& how, const CaptionParts& parts) {
  std::size_t count = 0, all = 0;
  for (const SeriesFacts& one : how.series) {
    if (!has_marks(one, parts)) continue;
    count += one.unconverged.size(), all += one.samples.size();
  }
  // Of repeats and steps, or without the reasons, how many points that are is not known here.
  const bool unknown = parts.most_repeats > 0 || parts.steps || count == 0;
  const std::string points = unknown ? "points that" : fmt::format("{} of {} points", count, all);
  const char* have = count == 1 && !unknown ? "has" : "have";
  if (how.precisions.size() == 1 && !how.precision_unknown)
    return fmt::format("; hollow{}: interval wider than {}, or too few samples", unknown ? "" : ", " + points,
                       with_unbroken_percents(asked_text(*how.precisions.begin())));
  return fmt::format("; hollow: {} did not reach the precision asked for, or {} too few samples", points, have);
}

/// "The precision asked for was not reached, or samples are too few: Hopper at 64k. ": a point whose interval is less
/// sure than the others'.
std::string unconverged_sentence(std::span<const SeriesFacts> series, const CaptionParts& parts) {
  constexpr std::size_t kMost = 6;
  std::size_t count = 0;
  std::vector<std::string> named;
  for (const SeriesFacts& one : series) {
    if (parts.hollow_unconverged && has_marks(one, parts)) continue;  // which say so
    count += one.unconverged.size();
    if (!one.unconverged.empty())
      named.push_back(
          fmt::format("{} at {}", one.name.empty() ? "points" : one.name, fmt::join(one.unconverged, ", ")));
  }
  if (count == 0) return {};
  if (count > kMost)
    return fmt::format("{} did not reach the precision asked for, or have too few samples. ",
                       counted(count, "measurement"));
  return fmt::format("The precision asked for was not reached, or samples are too few: {}. ", fmt::join(named, "; "));
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
      conditions.sweeps.insert({one.database, row.sweep});
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
      conditions.pairs |= row.problem.form == Form::dot_product;
      conditions.triples |= !is_baseline(row);
    }
  }
  conditions.measurements = rows.size();
  if (conditions.triples) conditions.problem = shared_conditions(rows);
  for (const DrawnSeries& series : by_name) conditions.series.push_back(facts_of(series));
  // Beyond a few lines the caption would be all variants.
  constexpr std::size_t kMostWithVariants = 3;
  for (std::size_t n = 0; n < by_name.size() && by_name.size() <= kMostWithVariants; ++n) {
    SeriesFacts& one = conditions.series[n];
    std::string& where = one.baseline ? one.name : one.kernel;
    const std::string variants = where.empty() ? "" : variants_text(by_name[n]);  // of one kernel
    if (!variants.empty()) where += fmt::format(" ({})", variants);
  }
  return conditions;
}

std::string operations_sentence(const ChartConditions& how) {
  if (!how.pairs && !how.triples) return {};
  std::vector<std::string> factors, of_the_paper;
  if (how.passes.contains("forward")) {
    factors.emplace_back(how.passes.size() > 1 ? "4 d (forward)" : "4 d");
    of_the_paper.emplace_back("6 d");
  }
  if (how.passes.contains("backward")) {
    factors.emplace_back(how.passes.size() > 1 ? "10 d (backward)" : "10 d");
    of_the_paper.emplace_back("15 d");
  }
  std::string what =
      how.triples ? fmt::format("triple (in the paper {} or more)", fmt::join(of_the_paper, " and ")) : "";
  if (how.pairs) what += what.empty() ? "pair" : " or pair";
  return fmt::format("Operations: {} per attended {}, d the head size.", fmt::join(factors, " or "), what);
}

std::string measurements_text(const ChartConditions& how) {
  const std::string text = counted(how.measurements, "measurement");
  return how.sweeps.size() > 1 ? text + " of " + sweeps_text(how.sweeps) : text;
}

std::string print_caption(const ChartConditions& how, const CaptionParts& parts) {
  std::string text = subject(how) + fmt::format("{}", fmt::join(parts.devices, ", "));
  const bool one_limit = how.power_limits.size() == 1 && *how.power_limits.begin() > 0;
  if (all_at_power_limit(how)) {
    text += one_limit ? fmt::format(" at its {} W power limit", *how.power_limits.begin()) : " at its power limit";
  } else if (one_limit) {
    text += fmt::format(", power limit {} W", *how.power_limits.begin());
  }
  text += fmt::format(", {}, timed by {}. {} are medians{}", fmt::join(how.regimes, " and "),
                      fmt::join(how.timed_by, " and "), parts.marks, samples_of_points(how));
  if (parts.intervals)
    text += fmt::format(", {} 95 % intervals{}{}", parts.whiskers, way_of_intervals(how),
                        parts.bare_baselines ? ", of baselines not drawn" : "");
  if (parts.intervals && parts.smaller) text += "; one smaller than its mark has no bar";
  if (parts.hollow_unconverged) text += hollow_words(how, parts);
  if (parts.hollow)
    text += parts.hollow_unconverged ? "; hollow without a bar: interval unknown"
                                     : "; hollow where the interval is unknown";
  if (parts.most_repeats > 0)
    text += fmt::format(
        "; a bar without ends is the range of {} measurements, {}, its point their median",
        span_text(static_cast<std::int64_t>(parts.fewest_repeats), static_cast<std::int64_t>(parts.most_repeats)),
        repeats_words(parts.fewest_repeats, parts.most_repeats));
  text += ". " + series_sentences(how);
  text += unconverged_sentence(how.series, parts);
  text += parts.rest;
  if (text.ends_with(' ')) text.pop_back();
  if (parts.days.empty()) return text;
  return text + (parts.days.size() == 1 ? fmt::format(" {}.", *parts.days.begin())
                                        : fmt::format(" {} to {}.", *parts.days.begin(), *parts.days.rbegin()));
}

std::string print_caption(std::span<const DrawnSeries> drawn, CaptionParts parts) {
  const ChartConditions how = conditions_of(drawn);
  if (how.measurements == 0) return parts.rest.substr(0, parts.rest.find_last_not_of(' ') + 1);
  for (const DrawnSeries& series : drawn) {
    for (const DrawnRow& one : series.rows) {
      parts.devices.insert(one.row->device);
      parts.days.insert(one.row->started.substr(0, 10));
      const bool bare = is_baseline(*one.row) && !parts.whole_baselines;
      const bool drawn_with_it = *parts.whiskers != '\0' && !bare;
      parts.intervals |= drawn_with_it && interval_known(*one.row);
      parts.hollow |= !bare && !interval_known(*one.row);
      parts.hollow_unconverged |= drawn_with_it && interval_known(*one.row) && !has_converged(*one.row);
      parts.bare_baselines |= bare;
    }
  }
  if (const std::string counts = parts.rates ? operations_sentence(how) : ""; !counts.empty())
    parts.rest += counts + " ";
  if (parts.steps)
    parts.rest +=
        "The time of a training step is the sum of the medians of its passes, its rate that of the work of both. ";
  parts.rest += measurements_text(how) + ".";
  return print_caption(how, parts);
}

void name_windows(ChartConditions& conditions, std::span<const DrawnSeries> drawn) {
  std::map<std::string, std::set<std::string>> windows;  // by the name of a series
  for (const DrawnSeries& series : drawn) {
    for (const DrawnRow& one : series.rows) {
      if (!is_baseline(*one.row)) windows[series.name].insert(line_label(*one.row));
    }
  }
  for (SeriesFacts& facts : conditions.series) {
    const std::set<std::string>& own = windows[facts.name];
    if (own.size() == 1) facts.what = *own.begin() + (facts.what.empty() ? "" : ", ") + facts.what;
  }
}

void name_any_order(ChartConditions& conditions, std::span<const DrawnSeries> drawn) {
  for (const DrawnSeries& series : drawn) {
    if (std::ranges::any_of(series.rows, [](const DrawnRow& one) { return one.row->problem.deterministic; })) return;
  }
  std::set<std::string> of_gradients;  // names of series with a backward
  bool all = true;
  for (const DrawnSeries& series : drawn) {
    for (const DrawnRow& one : series.rows) {
      if (one.row->pass == Pass::backward) of_gradients.insert(series.name);
      all &= one.row->pass == Pass::backward;
    }
  }
  constexpr const char* kAnyOrder = ", gradients in any order";
  if (!conditions.problem.empty() && all) conditions.problem += kAnyOrder;
  for (SeriesFacts& facts : conditions.series) {
    if (!facts.baseline && !facts.what.empty() && of_gradients.contains(facts.name)) facts.what += kAnyOrder;
  }
}

}  // namespace triscope
