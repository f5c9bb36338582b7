// Details for print: what is known of the selected measurement, or of A beside B where two are selected.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/statistics/training_step.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/latency_model.hpp"
#include "views/parts/widgets.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/table_page.hpp"

namespace triscope {
namespace {

constexpr float kBars = 90;

std::string name_of(const ResultRow& row) {
  return fmt::format("{} {} {}, {} tokens", line_label(row), row.card.label, to_string(row.pass),
                     format_count(row.problem.seq_len));
}

/// Of one measurement a bar behind its value, of two a bar for each.
class Facts {
 public:
  Facts(const Theme& theme, bool two) : theme_(theme), two_(two) {
    table_.columns = {{.title = "", .wraps = true}, {.title = two ? "A" : "", .wraps = true}};
    if (two) table_.columns.push_back({.title = "B", .wraps = true});
    if (two) table_.columns.push_back({.title = "A / B", .numeric = true, .least = 1});
    table_.columns.push_back({.title = "", .least = 2, .bar_width = kBars});
  }
  void heading(const std::string& words) { table_.rows.push_back({{{words, theme_.muted}}}); }
  void fact(const std::string& what, const std::string& a, const std::string& b = "", const std::string& factor = "") {
    PrintRow& row = table_.rows.emplace_back();
    row.cells = {{what}, {a}};
    if (two_) row.cells.push_back({b});
    if (two_) row.cells.push_back({factor});
    row.cells.emplace_back();
  }
  /// Behind the fact that was told last: a share of the column.
  void bar(double share, ImU32 colour, std::optional<Interval> whisker = {}) {
    PrintCell& cell = table_.rows.back().cells.back();
    cell.bar = share;
    cell.colour = colour;
    cell.whisker = whisker;
  }
  /// A second bar on a line of its own.
  void bar_below(double share, ImU32 colour, std::optional<Interval> whisker = {}) {
    fact("", "");
    bar(share, colour, whisker);
  }
  const Theme& theme() const { return theme_; }
  PrintTable take() { return std::move(table_); }

 private:
  const Theme& theme_;
  bool two_;
  PrintTable table_;
};

std::string time_of(const ResultRow& row) {
  if (row.status != Status::ok || !row.median_ms) return std::string(to_string(row.status));
  return format_ms(*row.median_ms, half_width(value_of(row)));
}

std::string interval_of(const ResultRow& row) {
  return interval_known(row) ? format_ms_interval(*row.ci_low_ms, *row.ci_high_ms, *row.median_ms) : "unknown";
}

std::string rate_of(const ResultRow& row) {
  return row.tflops ? fmt::format("{} TFLOP/s", format_fixed(*row.tflops, rate_decimals(row))) : "–";
}

std::string sampled(const SelectedMeasurement& one) {
  const Summary& summary = one.measurement.summary;
  std::string text = counted(static_cast<std::size_t>(summary.samples), "sample");
  if (summary.restarts > 1) text += fmt::format(" in {} restarts", summary.restarts);
  return summary.converged ? text : text + ", not converged";
}

/// "of 120" where the longest is that.
std::optional<Interval> whisker_of(const ResultRow& row, double longest) {
  if (!interval_known(row)) return std::nullopt;
  return Interval{*row.ci_low_ms / longest, *row.ci_high_ms / longest};
}

void tell_counters(Facts& facts, const Measurement& measurement) {
  if (measurement.counters.empty()) return;
  facts.heading("Hardware counters");
  for (const Counter& counter : measurement.counters) {
    const CounterMetric* metric = find_counter_metric(counter.name);
    facts.fact(std::string(metric == nullptr ? std::string_view(counter.name) : metric->label), counter_text(counter));
    if (counter.unit == "%") facts.bar(counter.value / 100, facts.theme().series[0]);
  }
}

PrintTable one_alone(const SelectedMeasurement& one, const Theme& theme) {
  Facts facts(theme, false);
  const ResultRow& row = one.row;
  facts.fact("median", time_of(row));
  facts.fact("95 % interval", interval_of(row));
  facts.fact("rate", rate_of(row));
  facts.fact("samples", sampled(one));
  if (row.peak_fraction) {
    facts.fact("share of the peak", fmt::format("{:.1f} %", *row.peak_fraction * 100));
    facts.bar(*row.peak_fraction, theme.series[0]);
  }
  facts.fact("error to fp64", row.error ? format_error(*row.error) : std::string("not checked"));
  if (!row.reason.empty()) facts.fact("reason", row.reason);
  tell_counters(facts, one.measurement);
  return facts.take();
}

/// What A and B say of their times, a bar for each.
void tell_times(Facts& facts, const SelectedMeasurement& a, const SelectedMeasurement& b, const Comparison& time) {
  const Theme& theme = facts.theme();
  const double longest = 1.02 * std::max({a.row.median_ms.value_or(0), b.row.median_ms.value_or(0),
                                          a.row.ci_high_ms.value_or(0), b.row.ci_high_ms.value_or(0)});
  facts.fact("median", time_of(a.row), time_of(b.row), time.ratio > 0 ? format_fixed(time.ratio, 3) : "");
  if (longest > 0 && a.row.median_ms && b.row.median_ms) {
    facts.bar(*a.row.median_ms / longest, theme.series[0], whisker_of(a.row, longest));
    facts.fact("95 % interval", interval_of(a.row), interval_of(b.row),
               interval_known(time)
                   ? fmt::format("{} to {}", format_fixed(time.interval.low, 3), format_fixed(time.interval.high, 3))
                   : "");
    facts.bar(*b.row.median_ms / longest, theme.series[1], whisker_of(b.row, longest));
  }
  facts.fact("rate", rate_of(a.row), rate_of(b.row));
  facts.fact("samples", sampled(a), sampled(b));
}

void tell_lines(Facts& facts, const std::vector<BesideLine>& lines, const std::string& heading) {
  if (lines.empty()) return;
  facts.heading(heading);
  const Theme& theme = facts.theme();
  for (const BesideLine& line : lines) {
    facts.fact(line.label, line.a, line.b, line.factor);
    const double whole = line.share ? 100 : std::max(line.value_a, line.value_b);
    if (!(whole > 0)) continue;
    facts.bar(line.value_a / whole, theme.series[0]);
    facts.bar_below(line.value_b / whole, theme.series[1]);
  }
}

PrintTable a_beside_b(const SelectedMeasurement& a, const MeasurementBeside& beside, const Theme& theme) {
  Facts facts(theme, true);
  const SelectedMeasurement& b = *beside.of;
  facts.fact("measurement", name_of(a.row), name_of(b.row));
  tell_times(facts, a, b, beside.time);
  const std::vector<BesideFact> differing = differing_facts(a, b);
  if (!differing.empty()) facts.heading("What differs");
  for (const BesideFact& fact : differing)
    facts.fact(fact.what, fact.a.empty() ? "unknown" : fact.a, fact.b.empty() ? "unknown" : fact.b);
  const std::string cold = first_launch_words(a.measurement, b.measurement);
  tell_lines(facts, beside_kernels(a.measurement, b.measurement),
             cold.empty() ? "Kernels of one launch" : "Kernels of the first launch, cold");
  std::vector<BesideLine> lines = beside_lines(a.measurement, b.measurement);
  std::erase_if(lines, [](const BesideLine& line) { return line.alike || line.only_one; });
  const auto results =
      std::ranges::stable_partition(lines, [](const BesideLine& line) { return line.role == CounterRole::work; });
  tell_lines(facts, {lines.begin(), results.begin()}, "What the kernels did");
  tell_lines(facts, {results.begin(), results.end()}, "What came of it");
  return facts.take();
}

std::string verdict_sentence(const MeasurementBeside& beside) {
  const Comparison& time = beside.time;
  if (time.verdict == Verdict::not_comparable) return "";
  std::string words = sentence(time_sentence(time, "B"));
  return " A is " + words + (time.paired ? " Measured in turns." : " Not measured in turns.");
}

}  // namespace

std::string details_picture(Context& context, VectorFormat format, PrintChoice& choice) {
  const SelectedMeasurement* one = context.data.selected.get();
  const SampleChart* chart = context.models.samples(context.data);
  if (one == nullptr || chart == nullptr)
    throw Error("Details was not saved as SVG or PDF", "no measurement is selected", "select one", ExitCode::usage);
  const PrintStyle style{format, choice.size};
  const MeasurementBeside* beside = context.data.beside.get();
  const std::string caption = measurement_caption(*one, *chart);
  if (beside == nullptr || beside->of == nullptr) {
    fill_in(choice, name_of(one->row), caption);
    return table_picture(one_alone(*one, theme_of(style)), "what Details says", *choice.title, *choice.caption, style);
  }
  const SampleChart chart_b = make_sample_chart(beside->of->measurement.samples);
  fill_in(choice, "A beside B",
          fmt::format("A: {} B: {}{} Bars: A above B, whiskers 95 % intervals.", caption,
                      measurement_caption(*beside->of, chart_b), verdict_sentence(*beside)));
  return table_picture(a_beside_b(*one, *beside, theme_of(style)), "what Details says", *choice.title, *choice.caption,
                       style);
}

}  // namespace triscope
