#include "views/model/charts/explore_chart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/convergence.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/print_caption.hpp"
#include "views/model/styles/series_style.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

/// Values further apart than this stand on a logarithmic axis: what was measured, and sizes that were asked for.
constexpr double kFarApart = 30, kFarApartSizes = 4;
constexpr std::size_t kMostTicks = 16;      ///< sizes that are named each
constexpr int kColumns = 200, kRows = 100;  ///< of the grid that points are thinned by

/// A point on its way to a mark.
struct Thinned {
  const ExplorePoint* point = nullptr;
  std::size_t others = 0;
};
using Points = std::vector<std::vector<Thinned>>;  ///< by line

/// 0 to 1 along the axis.
double along(const ExploreAxis& axis, double value) {
  if (!(axis.high > axis.low)) return 0.5;
  if (axis.logarithmic) return std::log(value / axis.low) / std::log(axis.high / axis.low);
  return (value - axis.low) / (axis.high - axis.low);
}

/// Of the points of a line that share a cell of the grid, the first, which stands for the others.
std::vector<Thinned> thin(const std::vector<Thinned>& points, const ExploreChart& chart, int coarser) {
  std::map<std::pair<int, int>, Thinned> cells;
  for (const Thinned& one : points) {
    const std::pair cell{static_cast<int>(along(chart.x, one.point->x) * kColumns / coarser),
                         static_cast<int>(along(chart.y, one.point->y) * kRows / coarser)};
    const auto [found, is_new] = cells.try_emplace(cell, one);
    if (!is_new) found->second.others += 1 + one.others;
  }
  std::vector<Thinned> kept;
  for (const auto& [cell, one] : cells) kept.push_back(one);
  return kept;
}

void thin_all(std::vector<Points>& plots, ExploreChart& chart) {
  const auto count = [&] {
    std::size_t sum = 0;
    for (const Points& lines : plots) {
      for (const auto& line : lines) sum += line.size();
    }
    return sum;
  };
  chart.points = count();
  for (int coarser = 1; count() > kMostMarks && coarser <= kRows; coarser *= 2) {
    for (Points& lines : plots) {
      for (auto& line : lines) line = thin(line, chart, coarser);
    }
  }
  chart.drawn = count();
}

const ResultRow& row_of(std::span<const ExploreSource> sources, const ExploreRepeat& repeat) {
  return sources[repeat.source].rows[repeat.row];
}

constexpr std::string_view kSweep = "sweep ";

/// "512 × 32" of "512x32", as everywhere in the window.
std::string spaced_windows(std::string name) {
  const std::size_t x = name.find('x');
  const auto is_digit = [&](std::size_t at) { return at < name.size() && name[at] >= '0' && name[at] <= '9'; };
  if (x == std::string::npos || x == 0 || !is_digit(x - 1) || !is_digit(x + 1)) return name;
  return name.replace(x, 1, " × ");
}

std::string mark_text(const Exploration& made, const ExplorePoint& point, const ExploreMark& mark,
                      const Explored& one) {
  const ResultRow& row = one.row;
  const bool by_rate = ExploreQuery{std::string(made.x->id), std::string(made.y->id)}.best_by_rate();
  std::string text = row.problem.form == Form::gemm
                         ? fmt::format("{}, {}, {}", row.card.label, line_label(row), to_string(row.pass))
                         : fmt::format("{}, {}, {} tokens, heads {}/{}, {}", row.card.label,
                                       spaced_windows(windows_text(row.problem)), format_tokens(row.problem.seq_len),
                                       row.problem.q_heads, row.problem.kv_heads, to_string(row.pass));
  if (!row.instance.empty() && row.instance != "default") text += ", " + row.instance;
  const std::string_view unit = made.y->unit == made.y->label ? std::string_view() : made.y->unit;
  text += fmt::format("\n{}: {}{}{}", made.y->label, significant_text(mark.y, 4), unit.empty() ? "" : " ", unit);
  if (mark.repeats > 1) {
    text +=
        fmt::format(", median of {} measurements, {} to {}; selected by a click: the newest, {}", mark.repeats,
                    significant_text(mark.low, 4), significant_text(mark.high, 4), significant_text(mark.newest, 4));
  } else if (mark.known) {
    text += fmt::format(", 95 %: {} to {}", significant_text(mark.low, 4), significant_text(mark.high, 4));
  } else if (made.y->interval != nullptr) {
    text += ", interval unknown";
  }
  if (made.y->interval != nullptr && mark.known && !mark.converged) text += ", not converged";
  std::set<std::string_view> said{"kernel", "window", "seq",   "heads",    "pass",    "instance",
                                  "device", "date",   "sweep", "database", made.y->id};
  for (const ExploreField* field : {made.x, made.color, made.panel, made.row}) {
    if (field == nullptr || !said.insert(field->id).second) continue;
    if (const std::string value = field->text(one); !value.empty())
      text += fmt::format("\n{}: {}", field->label, value);
  }
  text += fmt::format("\n{}, sweep {}, m{}, {}", row.device, row.sweep, row.measurement, row.started.substr(0, 10));
  if (mark.chosen_from > 1)
    text += fmt::format("\nthe {} of {}, which differ in {}", by_rate ? "highest rate" : "shortest time",
                        counted(mark.chosen_from, "configuration"), fmt::join(point.chosen_over, ", "));
  if (!mark.database.empty())
    text += fmt::format(", in {}{}", mark.database, mark.elsewhere ? ": open it to select this" : "");
  if (mark.others > 0)
    text += fmt::format("\nstands for {} near it: zoom does not show them, a filter does",
                        counted(mark.others, "more point"));
  return text;
}

ExploreMark mark_of(const Exploration& made, const Thinned& thinned, std::span<const ExploreSource> sources,
                    const std::vector<std::string>& databases, std::span<const ExploreField* const> telling) {
  const ExplorePoint& point = *thinned.point;
  ExploreMark mark{.x = point.x, .y = point.y, .others = thinned.others};
  mark.low = mark.high = point.repeats.front().y;
  const ExploreRepeat* named = nullptr;
  for (const ExploreRepeat& repeat : point.repeats) {
    mark.low = std::min(mark.low, repeat.y), mark.high = std::max(mark.high, repeat.y);
    // Another database gives its numbers to other measurements.
    const bool own = databases.empty() || sources[repeat.source].name == databases.front();
    if (own) mark.measurements.push_back(row_of(sources, repeat).measurement);
    if (own || mark.measurements.empty()) named = &repeat;
  }
  mark.newest = named->y;
  mark.converged = std::ranges::any_of(
      point.repeats, [&](const ExploreRepeat& repeat) { return has_converged(row_of(sources, repeat)); });
  mark.repeats = point.repeats.size();
  mark.elsewhere = mark.measurements.empty();
  const std::string& named_of = sources[named->source].name;
  if (databases.size() > 1) mark.database = named_of;
  if (point.repeats.size() > 1) {
    mark.known = true;
    for (const ExploreRepeat& repeat : point.repeats) mark.values.push_back(repeat.y);
    std::ranges::sort(mark.values);
  } else if (const auto& interval = point.repeats.front().interval) {
    mark.low = interval->low, mark.high = interval->high, mark.known = true;
  }
  const ResultRow& row = row_of(sources, *named);
  mark.samples = row.samples, mark.restarts = row.restarts, mark.clock_mhz = row.sm_clock_mhz;
  mark.heads = fmt::format("{}/{}", row.problem.q_heads, row.problem.kv_heads);
  mark.limit = flag_label(row.limiter);
  mark.remark = row.reason;
  mark.sweep = row.sweep;
  mark.measurement = row.measurement;
  const Explored one = explored(sources[named->source], named->row);
  mark.chosen_from = point.chosen_from;
  mark.text = mark_text(made, point, mark, one);
  for (const ExploreField* field : telling) mark.told.push_back(field->text(one));
  return mark;
}

/// A kernel goes by the name that it has everywhere in the window.
class KernelNames {
 public:
  explicit KernelNames(std::span<const ExploreSource> sources) {
    std::map<std::string, std::set<std::string>> named;  // ids by label
    for (const ExploreSource& source : sources) {
      for (const ResultRow& row : source.rows) {
        if (labels_.try_emplace(row.kernel, row.card.label).second) named[row.card.label].insert(row.kernel);
        if (!row.instance.empty() &&
            row.instance != "default") {  // of a library a version: the number alone says little
          std::string& library = libraries_[row.instance];
          library = is_baseline(row) && (library.empty() || library == row.card.label) ? row.card.label : kSeveral;
        }
      }
    }
    for (auto& [id, label] : labels_) {
      if (label.empty()) label = id;
      if (named[label].size() > 1) label += " (" + id + ")";
    }
    std::erase_if(libraries_, [](const auto& one) { return one.second == kSeveral; });
  }
  void rename(const ExploreField* field, std::string& name) const {
    if (field == nullptr) return;
    if (field->id == "sweep" && field->number != nullptr) name.insert(0, kSweep);
    if (field->id == "window") name = spaced_windows(std::move(name));
    if (field->id == "form") std::ranges::replace(name, '_', ' ');  // dot product
    if (field->id == "instance") {
      if (const auto library = libraries_.find(name); library != libraries_.end())
        name.insert(0, library->second + " ");
    }
    if (field->id != "kernel") return;
    if (const auto found = labels_.find(name); found != labels_.end()) name = found->second;
  }

 private:
  static constexpr const char* kSeveral = "several";
  std::map<std::string, std::string> labels_, libraries_;
};

/// The kernels of what was made by their names.
Exploration with_names(const Exploration& made, const KernelNames& names) {
  Exploration named = made;
  for (std::string& name : named.x_names) names.rename(made.x, name);
  for (std::string& name : named.panel_names) names.rename(made.panel, name);
  for (std::string& name : named.row_names) names.rename(made.row, name);
  for (ExplorePanel& panel : named.panels) {
    names.rename(made.panel, panel.name);
    names.rename(made.row, panel.row);
    for (ExploreSeries& series : panel.series) names.rename(made.color, series.name);
  }
  return named;
}

/// "64k"
std::string x_in_words(const Exploration& made, double x) {
  if (!made.x_names.empty()) return made.x_names[static_cast<std::size_t>(x)];
  return counts_tokens(std::string(made.x->id)) ? format_tokens(static_cast<std::int64_t>(x)) : significant_text(x, 4);
}

/// How all measurements that are drawn were taken, and what they share.
ChartConditions conditions_of(const Exploration& made, std::span<const ExploreSource> sources) {
  std::vector<DrawnSeries> drawn;
  std::set<std::string> windows;
  for (const ExplorePanel& panel : made.panels) {
    for (const ExploreSeries& series : panel.series) {
      DrawnSeries& one = drawn.emplace_back(DrawnSeries{series.name, {}});
      for (const ExplorePoint& point : series.points) {
        for (const ExploreRepeat& repeat : point.repeats) {
          const ResultRow& row = row_of(sources, repeat);
          const auto* precisions = sources[repeat.source].precisions;
          const bool told = precisions != nullptr && precisions->contains(row.sweep);
          one.rows.push_back({&row, x_in_words(made, point.x),
                              told ? std::optional(precisions->at(row.sweep)) : std::nullopt,
                              sources.size() > 1 ? sources[repeat.source].name : std::string()});
          if (!is_baseline(row)) windows.insert(line_label(row));
        }
      }
    }
  }
  ChartConditions conditions = triscope::conditions_of(drawn);
  const bool by_window = made.color != nullptr && made.color->id == "window";  // then a series is named by them
  if (windows.size() > 1 && !by_window) name_windows(conditions, drawn);
  if (std::ranges::find(made.chosen_over, "gradients", &ExploreChoice::what) != made.chosen_over.end())
    name_any_order(conditions, drawn);
  if (made.color != nullptr) {
    for (SeriesFacts& series : conditions.series) series.name = drawn_name(std::string(made.color->id), series.name);
  }
  const auto on_axis = [&](std::string_view id) {
    const auto is = [&](const ExploreField* field) { return field != nullptr && field->id == id; };
    return is(made.x) || is(made.color) || is(made.panel) || is(made.row);
  };
  if (windows.size() == 1 && !on_axis("window")) conditions.title = *windows.begin();
  if (conditions.passes.size() == 1 && !on_axis("pass"))
    conditions.title += (conditions.title.empty() ? "" : ", ") + *conditions.passes.begin();
  return conditions;
}

/// A line from one value to the next says something: a size, a date, one version after another. What was measured of
/// one configuration several times is no way from one to the next.
bool can_be_joined(const ExploreField& x) {
  return !x.measure && (x.number != nullptr || x.ordered || x.id == "version");
}

void set_range(ExploreAxis& axis, const std::vector<double>& values, bool words, double far_apart) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (low == values.end()) return;
  axis.low = *low, axis.high = *high;
  axis.logarithmic = !words && *low > 0 && *high / *low > far_apart;
}

/// The lines of a chart have the same name and style in all of its plots, and no two have one colour: what is left over
/// is one line, the others. A kernel, a baseline and a pair of windows have the style that is theirs in every chart.
class Styles {
 public:
  Styles(const Exploration& made, std::span<const ExploreSource> sources) {
    const std::string_view of = made.color == nullptr ? std::string_view() : made.color->id;
    std::vector<Line> lines;
    std::map<std::string, std::size_t> met;
    for (const ExplorePanel& panel : made.panels) {
      for (const ExploreSeries& series : panel.series) {
        const auto [known, fresh] = met.emplace(series.name, lines.size());
        if (fresh) lines.push_back(line_of(of, series, sources));
        for (const ExplorePoint& point : series.points) lines[known->second].measurements += point.repeats.size();
      }
    }
    give_styles(named_of(lines));
    std::erase_if(lines, [](const Line& line) { return !line.style; });
    if (lines.size() < met.size()) others_ = fmt::format("{} others", met.size() - lines.size());
    named_ = std::move(lines);
    for (std::size_t n = 0; n < named_.size(); ++n) places_[named_[n].name] = n;
  }
  std::size_t of(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? named_.size() : found->second;
  }
  std::size_t count() const { return named_.size() + (others_.empty() ? 0 : 1); }
  /// Without marks.
  ExploreLine line(std::size_t place, bool joined) const {
    if (place == named_.size()) return {others_, kOtherLines, true, false, joined, {}};
    const Line& line = named_[place];
    return {line.name, *line.style, true, line.quiet, joined, {}};
  }

 private:
  struct Line {
    std::string name;
    std::string kernel = {};        ///< where each line is a kernel
    std::optional<int> wish = {};   ///< the style that it has in every chart
    bool quiet = false;             ///< it is one of baselines
    std::size_t measurements = 0;   ///< that stand behind its points
    std::optional<int> style = {};  ///< unset: one of the others
  };

  /// `of`: the field whose values the lines are.
  static Line line_of(std::string_view of, const ExploreSeries& series, std::span<const ExploreSource> sources) {
    Line line{series.name};
    if (series.points.empty()) return line;
    const ResultRow& row = row_of(sources, series.points.front().repeats.front());
    if (of == "kernel") {
      line.quiet = series.baseline;
      line.wish = series.baseline ? baseline_style(row.card) : style_of_kernel(row.card);
      line.kernel = row.kernel;
    } else if (of == "window" && !series.baseline) {
      line.wish = style_of_windows(row.problem.window1, row.problem.window2);
    } else if (of == "pass") {
      line.wish = row.pass == Pass::forward ? 0 : 1;
    }
    return line;
  }
  /// Those that are named, in the order of `lines`: of more than there are colours those with most measurements.
  static std::vector<Line*> named_of(std::vector<Line>& lines) {
    std::vector<Line*> all;
    for (Line& line : lines) all.push_back(&line);
    std::vector<Line*> by_measurements = all;
    std::ranges::stable_sort(by_measurements, std::greater{}, &Line::measurements);
    std::size_t coloured = 0;
    std::set<int> baselines;
    for (Line* line : by_measurements) {
      const bool has_colour = line->quiet ? baselines.insert(*line->wish).second : coloured++ < kStyleColours;
      if (!has_colour) std::erase(all, line);
    }
    return all;
  }
  /// Two kernels of one name, or two pairs of windows, may wish for one: it goes to what was measured more often.
  static void give_styles(std::vector<Line*> lines) {
    std::ranges::stable_sort(lines, std::greater{}, &Line::measurements);
    std::vector<std::optional<int>> wishes;
    std::map<std::string, int> kernels;
    for (const Line* line : lines) {
      if (line->quiet) continue;
      if (line->kernel.empty()) wishes.push_back(line->wish);
      if (!line->kernel.empty()) kernels.emplace(line->kernel, *line->wish);
    }
    const std::vector<std::optional<int>> shared = share_styles(wishes);
    const std::map<std::string, int> of_kernels = styles_of_kernels(kernels);
    auto next = shared.begin();
    for (Line* line : lines)
      line->style = line->quiet ? line->wish : line->kernel.empty() ? *next++ : of_kernels.at(line->kernel);
  }

  std::vector<Line> named_;
  std::map<std::string, std::size_t> places_;
  std::string others_;
};

ExplorePlot plot_of(const ExplorePanel& panel, const Exploration& made, const Styles& styles, Points& points) {
  ExplorePlot plot{panel.name, panel.row, {}};
  points.resize(styles.count());
  for (std::size_t style = 0; style < styles.count(); ++style) {
    ExploreLine& line = plot.lines.emplace_back(styles.line(style, can_be_joined(*made.x)));
    for (const ExploreSeries& series : panel.series) {
      if (styles.of(series.name) != style) continue;
      line.baseline = line.baseline && series.baseline;
      line.joined = line.joined && !series.mixed && points[style].empty();
      for (const ExplorePoint& point : series.points) points[style].push_back({&point, 0});
    }
  }
  return plot;
}

/// As many as are drawn. With rows there is one for each row and column, also where no measurement is.
std::vector<ExplorePanel> drawn_panels(const Exploration& made, ExploreChart& chart) {
  std::vector<ExplorePanel> drawn;
  if (made.row == nullptr) {
    drawn.assign(made.panels.begin(),
                 made.panels.begin() + static_cast<std::ptrdiff_t>(std::min(made.panels.size(), kMostPlots)));
  } else if (!made.panels.empty()) {
    chart.columns = std::min(made.panel_names.size(), kMostPlots);
    const std::size_t rows = std::min(made.row_names.size(), kMostPlots / chart.columns);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < chart.columns; ++column) {
        const ExplorePanel panel{made.panel_names[column], {}, made.row_names[row]};
        const auto found = std::find_if(made.panels.begin(), made.panels.end(), [&](const ExplorePanel& one) {
          return one.name == panel.name && one.row == panel.row;
        });
        drawn.push_back(found == made.panels.end() ? panel : *found);
      }
    }
  }
  const auto filled = std::count_if(drawn.begin(), drawn.end(), [](const auto& one) { return !one.series.empty(); });
  chart.plots_left_out = made.panels.size() - static_cast<std::size_t>(filled);
  return drawn;
}

/// How far an interval may stretch the axis, beyond the value itself: the rest of a very wide one is cut off.
constexpr double kMostStretch = 0.5;

/// With intervals: the axis holds their ends.
void hold_intervals(ExploreAxis& axis, const std::vector<Points>& plots) {
  const double least = axis.low > 0 ? axis.low * kMostStretch : axis.low,
               most = axis.high > 0 ? axis.high * (1 + kMostStretch) : axis.high;
  for (const Points& lines : plots) {
    for (const auto& line : lines) {
      for (const Thinned& one : line) {
        for (const ExploreRepeat& repeat : one.point->repeats) {
          const bool alone = one.point->repeats.size() == 1;
          if (alone && !repeat.interval) continue;
          axis.low = std::min(axis.low, std::max(alone ? repeat.interval->low : repeat.y, least));
          axis.high = std::max(axis.high, std::min(alone ? repeat.interval->high : repeat.y, most));
        }
      }
    }
  }
}

void set_axes(const Exploration& made, const std::vector<Points>& plots, ExploreChart& chart) {
  std::vector<double> x, y;
  for (const Points& lines : plots) {
    for (const auto& line : lines) {
      for (const Thinned& one : line) x.push_back(one.point->x), y.push_back(one.point->y);
    }
  }
  chart.x.label = header_of(*made.x), chart.y.label = header_of(*made.y);
  chart.x.names = made.x_names;
  set_range(chart.x, x, !made.x_names.empty(), made.x->measure ? kFarApart : kFarApartSizes);
  set_range(chart.y, y, false, kFarApart);
  if (!y.empty()) hold_intervals(chart.y, plots);
  const std::set<double> sizes(x.begin(), x.end());
  if (made.x_names.empty() && !made.x->measure && sizes.size() <= kMostTicks)
    chart.x.ticks.assign(sizes.begin(), sizes.end());
  chart.x.named = explore_ticks(chart.x, counts_tokens(std::string(made.x->id)));
}

}  // namespace

ExploreChart explore_chart(const Exploration& by_id, const ExploreQuery& query, std::span<const ExploreSource> sources,
                           std::vector<std::string> databases) {
  const KernelNames names(sources);
  const Exploration made = with_names(by_id, names);
  ExploreChart chart;
  chart.conditions = conditions_of(made, sources);
  chart.databases = std::move(databases);
  chart.query = query;
  chart.rows = made.rows;
  chart.matched = made.matched;
  chart.blamed = blamed_terms(made);
  chart.hints = made.hints;
  chart.mixed = made.mixed;
  chart.chosen_over = choice_text(made);
  if (!chart.chosen_over.empty()) chart.chosen_over += kept_apart(made, sources);
  const std::vector<const ExploreField*> telling = telling_fields(made);
  for (const ExploreField* field : telling) chart.telling.emplace_back(field->id);
  const Styles styles(made, sources);
  const std::vector<ExplorePanel> panels = drawn_panels(made, chart);  // points refer to what is in it
  std::vector<Points> points(panels.size());
  for (std::size_t n = 0; n < panels.size(); ++n) chart.plots.push_back(plot_of(panels[n], made, styles, points[n]));
  set_axes(made, points, chart);
  thin_all(points, chart);
  for (std::size_t n = 0; n < panels.size(); ++n) {
    for (std::size_t style = 0; style < styles.count(); ++style) {
      ExploreLine& line = chart.plots[n].lines[style];
      for (const Thinned& one : points[n][style]) {
        const ResultRow& newest = row_of(sources, one.point->repeats.back());
        chart.devices.insert(newest.device);
        chart.days.insert(newest.started.substr(0, 10));
        line.marks.push_back(mark_of(made, one, sources, chart.databases, telling));
        line.joined = line.joined && one.others == 0;
      }
    }
    std::erase_if(chart.plots[n].lines, [](const ExploreLine& line) { return line.marks.empty(); });
    for (ExploreLine& line : chart.plots[n].lines) line.joined = line.joined && line.marks.size() > 1;
  }
  return chart;
}

}  // namespace triscope
