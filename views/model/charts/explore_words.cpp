// What is said of an exploration: titles, captions, what is wrong with it, and its numbers as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "kernels/base/error.hpp"
#include "profiler/explore/explore_filter.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/quantile.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/charts/print_caption.hpp"

namespace triscope {
namespace {

constexpr double kPrintedMark = 5.0 / 150;  ///< in heights of a plot that is as low as one becomes

/// Whether a mark of print is as high as its interval.
bool hides_interval(const ExploreAxis& axis, const ExploreMark& mark) {
  const auto limits = explore_limits(axis, true);
  return share_of_axis(axis, limits, mark.high) - share_of_axis(axis, limits, mark.low) < kPrintedMark;
}

/// With what kinds of marks are drawn.
CaptionParts parts_of(const ExploreChart& chart) {
  CaptionParts parts{chart.devices, chart.days};
  const bool may_be_hollow = has_intervals(chart);
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) {
        parts.intervals |= mark.known && mark.repeats == 1;
        if (mark.repeats > 1) {
          parts.fewest_repeats = parts.most_repeats == 0 ? mark.repeats : std::min(parts.fewest_repeats, mark.repeats);
          parts.most_repeats = std::max(parts.most_repeats, mark.repeats);
        }
        parts.hollow |= may_be_hollow && !mark.known;
        parts.hollow_unconverged |= may_be_hollow && mark.known && !mark.converged;
        parts.smaller |= mark.known && hides_interval(chart.y, mark);
      }
    }
  }
  return parts;
}

/// "14 measurements of sweeps 4 and 6 in 12 points."; empty where each is a point of one sweep.
std::string count_sentence(const ExploreChart& chart) {
  std::string text = measurements_text(chart.conditions);
  if (chart.conditions.sweeps.size() < 2 && chart.conditions.measurements == chart.drawn) return {};
  if (chart.conditions.measurements != chart.points) text += fmt::format(" in {}", counted(chart.points, "point"));
  if (chart.drawn < chart.points)
    text += fmt::format(", {} drawn: the others lie on these", format_count(static_cast<std::int64_t>(chart.drawn)));
  return text + ".";
}

/// What a rate counts; empty: none is shown.
std::string operations_sentence(const ExploreChart& chart) {
  const auto is_shown = [&](const char* id) { return chart.query.x == id || chart.query.y == id; };
  if (!is_shown("tflops") && !is_shown("per_tflop") && !is_shown("peak")) return {};
  return operations_sentence(chart.conditions);
}

/// "; drawn: version c47666be": what of the choice is in the picture, where that is little.
std::string drawn_best(const ExploreChart& chart) {
  constexpr std::size_t kMost = 3, kDigits = 8;
  std::vector<std::string> parts;
  for (std::size_t n = 0; n < chart.telling.size(); ++n) {
    std::set<std::string> values;
    for (const ExplorePlot& plot : chart.plots) {
      for (const ExploreLine& line : plot.lines) {
        for (const ExploreMark& mark : line.marks) {
          if (line.baseline || mark.told[n].empty()) continue;
          values.insert(chart.telling[n] == "version" ? mark.told[n].substr(0, kDigits) : mark.told[n]);
        }
      }
    }
    const ExploreField* field = find_explore_field(chart.telling[n]);
    if (values.empty() || values.size() > kMost || field == nullptr) continue;
    parts.push_back(fmt::format("{} {}", field->label, fmt::join(values, " and ")));
  }
  return parts.empty() ? "" : fmt::format("; drawn: {}", fmt::join(parts, ", "));
}

/// In data a sweep is its number, and windows are written as filters write them.
std::string plain(const std::string& field, std::string name) {
  if (field == "sweep" && name.starts_with("sweep ")) name.erase(0, 6);
  if (field == "form") std::ranges::replace(name, ' ', '_');
  if (const std::size_t at = name.find(" × "); field == "window" && at != std::string::npos)
    name.replace(at, std::string_view(" × ").size(), "x");
  return name;
}

}  // namespace

DrawnRepeats drawn_repeats(const ExploreMark& mark) {
  if (mark.values.size() <= kMostStrokes) return {mark.values, std::nullopt};
  return {{}, Interval{sorted_quantile(mark.values, 0.25), sorted_quantile(mark.values, 0.75)}};
}

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

std::string file_name_of(const std::string& title) {
  std::string name;
  constexpr std::string_view kTimes = "×";
  for (std::size_t at = 0; at < title.size(); ++at) {
    const char c = title[at];
    if (std::string_view(title).substr(at).starts_with(kTimes)) {
      while (name.ends_with('_')) name.pop_back();
      name += 'x';
      at += kTimes.size() - 1;
      while (at + 1 < title.size() && title[at + 1] == ' ') ++at;
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c != '/' && !name.empty() && !name.ends_with('_')) {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name.empty() ? "chart" : name;
}

bool stand_aside(const ExploreChart& chart, double near) {
  const auto limits = explore_limits(chart.y, true);
  std::vector<std::pair<double, double>> places;
  for (const ExplorePlot& plot : chart.plots) {
    places.clear();
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) places.emplace_back(mark.x, share_of_axis(chart.y, limits, mark.y));
    }
    std::ranges::sort(places);
    const auto hides = [near](const auto& one, const auto& next) {
      return one.first == next.first && next.second - one.second < near;
    };
    if (std::ranges::adjacent_find(places, hides) != places.end()) return true;
  }
  return false;
}

std::string kept_apart(const Exploration& made, std::span<const ExploreSource> sources) {
  std::set<std::string> passes, regimes, clocks, devices;
  for (const ExplorePanel& panel : made.panels) {
    for (const ExploreSeries& series : panel.series) {
      for (const ExplorePoint& point : series.points) {
        const ResultRow& row = sources[point.repeats.front().source].rows[point.repeats.front().row];
        passes.insert(std::string(to_string(row.pass)));
        regimes.insert(std::string(to_string(row.regime)));
        clocks.insert(std::string(timing_label(row.timing_source)));
        devices.insert(row.device);
      }
    }
  }
  const auto is_shown = [&](std::string_view id) {
    return std::ranges::any_of(std::array{made.x, made.color, made.panel, made.row},
                               [&](const ExploreField* field) { return field != nullptr && field->id == id; });
  };
  std::vector<std::string> kinds;
  const auto add = [&](std::string_view id, const std::set<std::string>& values) {
    if (values.size() > 1 && !is_shown(id)) kinds.push_back(fmt::format("{}", fmt::join(values, " and ")));
  };
  add("pass", passes);
  add("regime", regimes);
  add("timed_by", clocks);
  if (devices.size() > 1 && !is_shown("device")) kinds.push_back(counted(devices.size(), "device"));
  return kinds.empty() ? std::string() : fmt::format("; {} apart", fmt::join(kinds, ", "));
}

std::string explore_caption(const ExploreChart& chart) {
  CaptionParts parts = parts_of(chart);
  std::string& text = parts.rest = count_sentence(chart);
  if (!chart.chosen_over.empty())
    text +=
        fmt::format(" Each mark is of the {} over {}{}.", chart.query.best_by_rate() ? "highest rate" : "shortest time",
                    chart.chosen_over, drawn_best(chart));
  if (!chart.mixed.empty())
    text += fmt::format(" No line joins points that differ in {}.", fmt::join(chart.mixed, ", "));
  if (stand_aside(chart, kPrintedMark)) text += " Marks at one x stand side by side.";
  const std::string counted_by = operations_sentence(chart);
  if (!counted_by.empty()) text += " " + counted_by;
  if (!chart.databases.empty()) text += fmt::format(" Of {}.", fmt::join(chart.databases, ", "));
  if (text.starts_with(' ')) text.erase(0, 1);
  return print_caption(chart.conditions, parts);
}

std::string explore_nothing(const ExploreChart& chart) {
  const ExploreField *x = find_explore_field(chart.query.x), *y = find_explore_field(chart.query.y);
  if (x == nullptr || y == nullptr) return {};
  std::string text = x->number ? fmt::format("None of these measurements has both {} and {}.", y->label, x->label)
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

std::string sweep_term(const std::string& where) {
  if (!filter_problem(where).empty()) return {};
  const ExploreFilter filter(where);
  for (std::size_t n = 0; n < filter.terms(); ++n) {
    if (filter.field(n) != nullptr && filter.field(n)->id == "sweep") return filter.term(n);
  }
  return {};
}

std::string filter_of_sweep(const std::string& where, std::int64_t sweep) {
  const ExploreFilter filter(where);
  std::string kept;
  for (std::size_t n = 0; n < filter.terms(); ++n) {
    if (filter.field(n) == nullptr || filter.field(n)->id != "sweep")
      kept += (kept.empty() ? "" : " ") + filter.term(n);
  }
  return sweep == 0 ? kept : kept + (kept.empty() ? "" : " ") + fmt::format("sweep={}", sweep);
}

std::string term_of(const std::string& field, const std::string& name, bool only) {
  const ExploreField* known = find_explore_field(field);
  const bool has_words = !name.empty() && name != "none" && name.find('"') == std::string::npos;
  if (known == nullptr || known->measure || !has_words) return {};
  std::string value = plain(field, name);
  if (field == "instance" || (field == "kernel" && value.ends_with(')'))) {  // "FA3 2.8", "Mine (lib.mine)"
    value = value.substr(value.find_last_of(" (") + 1);
    if (value.ends_with(')')) value.pop_back();
  }
  const bool quoted = value.find_first_of(" \t\n,") != std::string::npos;
  return fmt::format("{}{}{}{}{}", field, only ? "=" : "!=", quoted ? "\"" : "", value, quoted ? "\"" : "");
}

std::string filter_by(const std::string& where, const std::string& field, const std::string& name, bool only) {
  const ExploreFilter filter(where);
  std::string kept;
  for (std::size_t n = 0; n < filter.terms(); ++n) {
    const bool about = filter.field(n) != nullptr && filter.field(n)->id == field;
    if (!only || !about) kept += (kept.empty() ? "" : " ") + filter.term(n);
  }
  const std::string term = term_of(field, name, only);
  return term.empty() ? where : kept + (kept.empty() ? "" : " ") + term;
}

TextTable explore_text(const ExploreChart& chart) {
  TextTable table{
      {chart.query.rows.empty() ? "row" : chart.query.rows, chart.query.panels.empty() ? "panel" : chart.query.panels,
       chart.query.color.empty() ? "series" : chart.query.color, chart.query.x, chart.query.y, "low", "high", "repeats",
       "database", "sweep", "measurement", "others near it", "samples", "restarts", "clock MHz", "held down by",
       "heads", "remark"},
      {false, false, false, chart.x.names.empty(), true, true, true, true, false, true, true, true, true, true, true,
       false, false, false},
      {}};
  if (chart.query.best) table.add_column("best of", true);
  for (const std::string& field : chart.telling) table.add_column(field, false);
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) {
        table.rows.push_back(
            {plain(chart.query.rows, plot.row), plain(chart.query.panels, plot.name),
             plain(chart.query.color, line.name),
             chart.x.names.empty() ? fmt::format("{:.10g}", mark.x)
                                   : plain(chart.query.x, chart.x.names[static_cast<std::size_t>(mark.x)]),
             fmt::format("{:.10g}", mark.y), mark.known ? fmt::format("{:.10g}", mark.low) : "",
             mark.known ? fmt::format("{:.10g}", mark.high) : "", fmt::format("{}", mark.repeats), mark.database,
             fmt::format("{}", mark.sweep), fmt::format("{}", mark.measurement), fmt::format("{}", mark.others),
             fmt::format("{}", mark.samples), fmt::format("{}", mark.restarts),
             mark.clock_mhz ? fmt::format("{:.10g}", *mark.clock_mhz) : "", mark.limit, mark.heads, mark.remark});
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
      {"Time by w1 × w2", {"area", "ms", "kernel", "pass", "", false}},
      {"TFLOP/s by w2 and w1", {"w2", "tflops", "w1", "pass", "form!=dot_product,gemm", true}},
  };
  return views;
}

std::optional<ExploreQuery> explore_of(Panel panel, std::int64_t sweep, const Problem& of, bool of_several) {
  const std::string shape = fmt::format("heads={} head_dim={}", of.q_heads, of.head_dim);
  const std::string form = std::string(to_string(of.form));
  std::string where = fmt::format("sweep={}", sweep);
  if (of_several) where += fmt::format(" seq={} batch={} {} form={},dot_product", of.seq_len, of.batch, shape, form);
  if (panel == Panel::tflops) return ExploreQuery{"window", "tflops", "kernel", "pass", where, false};
  if (panel == Panel::scaling) return ExploreQuery{"area", "ms", "kernel", "pass", where, false};
  if (panel == Panel::map) return ExploreQuery{"w2", "tflops", "w1", "pass", where, true};
  if (panel != Panel::lengths) return std::nullopt;
  return ExploreQuery{"seq", "ms", "window", "pass", fmt::format("{} form={},dot_product", shape, form), true};
}

}  // namespace triscope
