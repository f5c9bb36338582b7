// What is said of an exploration: titles, captions, what is wrong with it, and its numbers as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cmath>
#include <string>

#include "kernels/base/error.hpp"
#include "profiler/explore/explore_filter.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

/// "12 to 40", or "32" where both are the same.
std::string span_text(std::int64_t low, std::int64_t high) {
  return low == high ? format_count(low) : fmt::format("{} to {}", format_count(low), format_count(high));
}

}  // namespace

std::string explore_title(const ExploreQuery& query) {
  const auto label = [](const std::string& id) {
    const ExploreField* field = find_explore_field(id);
    return field == nullptr ? id : std::string(field->label);
  };
  std::string title = fmt::format("{} by {}", label(query.y), label(query.x));
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  if (query.best) title += ", best of each";
  if (!query.where.empty()) title += ", " + query.where;
  return title;
}

std::string explore_picture_title(const ExploreChart& chart) {
  ExploreQuery asked = chart.query;
  asked.where.clear();  // stands in the caption
  return explore_title(asked) + (chart.conditions.title.empty() ? "" : ", " + chart.conditions.title);
}

std::string explore_caption(const ExploreChart& chart) {
  const ExploreConditions& how = chart.conditions;
  bool intervals = false, repeats = false, hollow = false;
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) {
        intervals |= mark.known && mark.repeats == 1;
        repeats |= mark.repeats > 1;
        hollow |= !mark.known;
      }
    }
  }
  std::string text = fmt::format("{}", fmt::join(chart.devices, ", "));
  if (how.clock_mhz) text += fmt::format(", {} MHz", format_count(std::llround(*how.clock_mhz)));
  text += fmt::format(", {}, timed by {}; medians of n = {} samples", fmt::join(how.regimes, " and "),
                      fmt::join(how.timed_by, " and "), span_text(how.fewest_samples, how.samples));
  if (intervals) text += ", bars of 95 % intervals";
  if (repeats) text += ", of several repeats their median and range";
  if (hollow) text += ", hollow where the interval is unknown";
  text += ". ";
  if (!how.problem.empty()) text += "All of our kernels: " + how.problem + ". ";
  text += counted(how.measurements, "measurement");
  if (how.measurements != chart.points) text += fmt::format(" in {}", counted(chart.points, "point"));
  if (chart.drawn < chart.points)
    text += fmt::format(", {} drawn", format_count(static_cast<std::int64_t>(chart.drawn)));
  if (!chart.query.where.empty()) text += fmt::format(", of {}", chart.query.where);
  text += ".";
  if (!chart.chosen_over.empty()) text += fmt::format(" The best of each over {}.", chart.chosen_over);
  if (!chart.mixed.empty()) text += fmt::format(" Points at one x differ in {}.", fmt::join(chart.mixed, ", "));
  if (!chart.databases.empty()) text += fmt::format(" Of {}.", fmt::join(chart.databases, ", "));
  if (chart.days.empty()) return text;
  return text + (chart.days.size() == 1 ? fmt::format(" {}.", *chart.days.begin())
                                        : fmt::format(" {} to {}.", *chart.days.begin(), *chart.days.rbegin()));
}

std::string explore_nothing(const ExploreChart& chart) {
  const ExploreField *x = find_explore_field(chart.query.x), *y = find_explore_field(chart.query.y);
  if (x == nullptr || y == nullptr) return {};
  std::string text = x->measure ? fmt::format("None of these measurements has both {} and {}.", y->label, x->label)
                                : fmt::format("None of these measurements has {}.", y->label);
  if (!x->counter.empty() || !y->counter.empty())
    text +=
        " Hardware counters are read where a sweep is asked for them: \"counters\" in Sweep setup, --counters on the "
        "command line.";
  return text;
}

std::string filter_problem(const std::string& where) {
  try {
    const ExploreFilter parsed(where);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TextTable explore_text(const ExploreChart& chart) {
  TextTable table{
      {chart.query.rows.empty() ? "row" : chart.query.rows, chart.query.panels.empty() ? "panel" : chart.query.panels,
       chart.query.color.empty() ? "series" : chart.query.color, chart.query.x, chart.query.y, "low", "high", "repeats",
       "database", "sweep", "measurement", "others near it"},
      {false, false, false, chart.x.names.empty(), true, true, true, true, false, true, true, true},
      {}};
  if (chart.query.best) table.add_column("best of", true);
  for (const std::string& field : chart.telling) table.add_column(field, false);
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) {
        table.rows.push_back(
            {plot.row, plot.name, line.name,
             chart.x.names.empty() ? fmt::format("{:.10g}", mark.x) : chart.x.names[static_cast<std::size_t>(mark.x)],
             fmt::format("{:.10g}", mark.y), mark.known ? fmt::format("{:.10g}", mark.low) : "",
             mark.known ? fmt::format("{:.10g}", mark.high) : "", fmt::format("{}", mark.repeats), mark.database,
             fmt::format("{}", mark.sweep), fmt::format("{}", mark.measurement), fmt::format("{}", mark.others)});
        std::vector<std::string>& cells = table.rows.back();
        if (chart.query.best) cells.push_back(fmt::format("{}", mark.chosen_from));
        cells.insert(cells.end(), mark.told.begin(), mark.told.end());
      }
    }
  }
  return table;
}

std::span<const ExploreView> usual_views() {
  static const std::vector<ExploreView> views{
      {"Time by tokens", {}},
      {"TFLOP/s by tokens", {"seq", "tflops", "kernel", "pass", "", true}},
      {"TFLOP/s by windows", {"window", "tflops", "kernel", "pass", "", false}},
      {"Time beside the reference", {"seq", "ratio", "window", "pass", "kernel~hopper", false}},
      {"Energy by time", {"ms", "joules", "kernel", "pass", "", false}},
      {"Tensor cores busy by rate", {"tflops", "tensor_busy", "kernel", "pass", "", false}},
      {"Time by version", {"version", "ms", "window", "pass", "kernel~hopper", false}},
  };
  return views;
}

}  // namespace triscope
