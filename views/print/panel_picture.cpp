// The choice of what a panel's vector picture is of.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/latency_model.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/drawn_series.hpp"

namespace triscope {
namespace {

/// "TFLOP/s by window, 32,768 tokens".
std::string titled(Context& context, std::string title) {
  const std::string& setting = context.models.settings(context.data)[shown_setting(context)].text;
  return setting.empty() ? title : title + ", " + setting;
}

/// `fix` is true in the window and where a picture is taken on a command line, which has another option for a PNG.
[[noreturn]] void refuse(Panel panel, const std::string& why,
                         const char* fix = "save it as .png, which is --screenshot on a command line") {
  throw Error(fmt::format("{} was not saved as SVG or PDF", panel_info(panel).title), why, fix, ExitCode::usage);
}

/// What a picture of the chart is to show; unset: all.
std::optional<ChartLimits> limits_of(const Context& context, Panel panel, const PrintChoice& choice) {
  return choice.size.whole ? std::nullopt : shown_limits(context.ui, panel);
}

/// Where something of a chart stands; of a level only y.
struct DrawnPoint {
  std::optional<double> x;
  double y = 0;
};
using DrawnPoints = std::vector<DrawnPoint>;

DrawnPoints points_of(const ExploreChart& chart) {
  DrawnPoints points;
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) points.push_back({mark.x, mark.y});
    }
  }
  return points;
}

DrawnPoints points_of(const LengthPass& pass, const LengthUnit& unit) {
  DrawnPoints points;
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& point : curve.points) {
      const auto x = static_cast<double>(point.seq_len);
      points.push_back({x, length_value(curve, x, point.ms, unit)});
    }
  }
  return points;
}

/// `wide`: of a bar from its middle to its edge.
DrawnPoints points_of(const std::vector<SeriesPoints>& series, const std::vector<SeriesPoints>& levels,
                      double wide = 0) {
  DrawnPoints points;
  for (const SeriesPoints& one : series) {
    for (const ChartPoint& point : one.points) {
      for (const double edge : {point.x - wide, point.x + wide}) points.push_back({edge, point.y});
    }
    for (const SeriesPoints::Missing& missing : one.missing) {
      for (const double edge : {missing.x - wide, missing.x + wide}) points.push_back({edge, 0});
    }
  }
  for (const SeriesPoints& level : levels) points.push_back({{}, level.points.front().y});
  return points;
}

/// The measurements of the caption are those of all of the chart, which it says where the part lacks some of them.
std::string caption_of(std::string whole, const std::optional<ChartLimits>& part, const DrawnPoints& points) {
  if (!part || whole.empty()) return whole;
  const ChartLimits& limits = *part;  // x from and to, y from and to
  const auto is_beside = [&](const DrawnPoint& one) { return one.x && (*one.x < limits[0] || *one.x > limits[1]); };
  const auto is_beyond = [&](const DrawnPoint& one) { return one.y < limits[2] || one.y > limits[3]; };
  if (std::ranges::any_of(points, is_beside))
    return whole + " The figure shows a part of the chart; the caption is of all of it.";
  if (std::ranges::any_of(points, is_beyond))
    return whole + " Some values lie beyond the figure's axis; the caption is of all of them.";
  return whole;
}

std::string samples_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const SampleChart* chart = context.models.samples(context.data);
  if (!chart || chart->buckets.seconds.empty()) refuse(Panel::samples, "no measurement with samples is selected");
  const SelectedMeasurement& selected = *context.data.selected;
  fill_in(choice,
          fmt::format("{} {}, {}", line_label(selected.row), to_string(selected.row.pass),
                      is_baseline(selected.row) ? selected.row.card.label : selected.row.kernel),
          measurement_caption(selected, *chart));
  return samples_picture(*chart, selected.measurement.summary, *choice.title, *choice.caption, {format, choice.size});
}

/// In one sentence without a full stop.
std::string why_empty(const ExploreChart& chart) {
  std::string why = explore_nothing(chart);
  if (chart.rows == 0) why = "the database holds no measurement";
  if (chart.rows > 0 && chart.matched == 0)
    why = chart.blamed.empty() ? "no measurement matches the filter" : chart.blamed.front().sentence;
  if (why.ends_with('.')) why.pop_back();
  return why;
}

std::string explore_now(const Context& context, VectorFormat format, PrintChoice& choice) {
  const ExploreData& data = context.data.explore;
  if (!data.problem.empty()) refuse(Panel::explore, data.problem, "correct what it asks for");
  if (!data.chart) refuse(Panel::explore, "it has not read all measurements yet", "try again");
  if (data.chart->plots.empty()) {
    constexpr const char* kOthers = "ask for measurements that there are";  // a PNG would be as empty
    refuse(Panel::explore, "it shows no points: " + why_empty(*data.chart), kOthers);
  }
  const std::optional<ChartLimits> part = limits_of(context, Panel::explore, choice);
  fill_in(choice, explore_picture_title(*data.chart),
          caption_of(explore_caption(*data.chart), part, points_of(*data.chart)));
  return explore_picture(*data.chart, *choice.title, *choice.caption, {format, choice.size, part});
}

std::string compare_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const CompareModel* model = context.models.compare(context.data, context.now);
  if (!model || model->sweeps.size() < 2) refuse(Panel::compare, "fewer than two sweeps are compared");
  const bool any = std::ranges::any_of(model->lines, [](const CompareLine& line) {
    return std::ranges::any_of(line.cells, [](const auto& cell) { return cell && cell->comparison; });
  });
  if (!any) refuse(Panel::compare, "these sweeps have no row in common");
  std::string caption;
  for (std::size_t s = 0; s < model->sweeps.size(); ++s)
    caption +=
        fmt::format("{}{}: {}", s ? " " : "", model->sweeps[s],
                    print_caption(drawn_series(*model, context.data.compared[s]), {.marks = "Times", .whiskers = ""}));
  fill_in(choice, compare_summary(*model), caption);
  return compare_picture(*model, *choice.title, *choice.caption, {format, choice.size});
}

std::string latency_now(Context& context, const LatencyModel& model, VectorFormat format, PrintChoice& choice) {
  const UiState& ui = context.ui;
  const std::vector<std::size_t>& order =
      context.models.order(context.data, ui.table_filter, ui.sort_column, ui.sort_descending);
  if (order.empty()) refuse(Panel::latency, "no row matches the filter", "clear it");
  const bool turns = std::ranges::any_of(model.groups, &LatencyGroup::turns);
  std::string rest = "± is half of the 95 % interval. ";
  if (turns) rest += "Times beside another's are of blocks in turns. ";
  fill_in(choice, model.conditions.empty() ? "Latency" : "Latency, " + model.conditions,
          print_caption(drawn_series(model, order, *context.data.shown, context.data.same_device),
                        {.marks = "Times", .whiskers = "", .rest = rest}));
  return latency_picture(model, order, shown_columns(model, ui.visible_columns), *choice.title, *choice.caption,
                         {format, choice.size});
}

}  // namespace

void fill_in(PrintChoice& choice, std::string title, std::string caption) {
  if (!choice.title) choice.title = std::move(title);
  if (!choice.caption) choice.caption = std::move(caption);
}

bool has_step(const SeriesPoints& one) { return one.series.step; }

namespace {

/// "Trilinear, 64/1 heads, head size 128. "
std::string question_sentence(const LengthPass& pass) {
  std::string text = pass.question;
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ". ";
}

/// What the areas are of, and by which rows they are judged.
std::string budget_caption(const Context& context, const LengthPass& pass) {
  const OtherSweeps& others = context.data.same_device;
  std::vector<std::int64_t> behind;
  for (const SameBudget& budget : pass.budgets)
    behind.insert(behind.end(), budget.measurements.begin(), budget.measurements.end());
  const std::string measured = print_caption(drawn_series(behind, *context.data.shown, others),
                                             {.marks = "Times behind the areas", .whiskers = ""});
  return fmt::format(
      "{}Dots are areas w1 × w2 that would take as long, bars their ranges, hollow ones extrapolated. {}",
      question_sentence(pass), measured);
}

}  // namespace

std::string lengths_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const LatencyModel* model = context.models.latency(context.data);
  if (!model || model->lines.empty()) refuse(Panel::lengths, "nothing was measured yet");
  const UiState& ui = context.ui;
  const LengthChart& chart = *context.models.lengths_without(context.data, ui.lengths_left_out);
  const LengthChart& whole = *context.models.lengths(context.data);
  const bool step = ui.length_step && whole.has_step();
  const LengthPass& pass = step ? chart.step : chart.of(ui.length_pass);
  if (pass.curves.empty())
    refuse(Panel::lengths, (step ? whole.step : whole.of(ui.length_pass)).curves.empty()
                               ? "nothing was measured at two sequence lengths"
                               : "every curve is left out");
  const bool rate = ui.length_view == LengthView::rate;
  const std::optional<ChartLimits> part = limits_of(context, Panel::lengths, choice);
  const std::string which = step ? "training step" : std::string(to_string(ui.length_pass));
  if (ui.length_view == LengthView::counted) {
    fill_in(choice, "Work by sequence length, " + which,
            "FLOPs of one launch, by the exact count: what the windows and masks let through, and nothing of "
            "padding.");
    return work_picture(pass, step ? std::nullopt : std::optional(ui.length_pass), *choice.title, *choice.caption,
                        {format, choice.size, part});
  }
  if (ui.length_view == LengthView::budget) {
    const auto is_answer = [](const SameBudget& budget) { return budget.windows.has_value(); };
    if (std::ranges::none_of(pass.budgets, is_answer)) refuse(Panel::lengths, "no length has an area of equal cost");
    fill_in(choice, "Windows that cost as much as dot-product attention, " + which, budget_caption(context, pass));
    return budget_picture(pass, *choice.title, *choice.caption, {format, choice.size, part});
  }
  const LengthUnit unit{rate, step ? std::nullopt : std::optional(ui.length_pass)};
  fill_in(choice, fmt::format("{} by sequence length, {}", rate ? "TFLOP/s" : "Latency", which),
          caption_of(print_caption(drawn_series(pass, *context.data.shown, context.data.same_device),
                                   {.smaller = true, .whole_baselines = true, .rates = rate, .steps = step}),
                     part, points_of(pass, unit)));
  return lengths_picture(pass, unit, *choice.title, *choice.caption, {format, choice.size, part});
}

namespace {

std::string picture_now(Context& context, Panel panel, VectorFormat format, PrintChoice& choice) {
  if (panel == Panel::explore) return explore_now(context, format, choice);
  if (panel == Panel::samples) return samples_now(context, format, choice);
  if (panel == Panel::compare) return compare_now(context, format, choice);
  if (panel == Panel::paper) return paper_picture(context, format, choice);
  if (panel == Panel::lengths) return lengths_now(context, format, choice);
  if (panel == Panel::mean) return mean_picture(context, format, choice);
  if (panel == Panel::attention) return attention_picture(context, format, choice);
  if (panel == Panel::details) return details_picture(context, format, choice);
  const LatencyModel* model = context.models.latency(context.data);
  if (!model || model->lines.empty()) refuse(panel, "nothing was measured yet");
  if (panel == Panel::latency) return latency_now(context, *model, format, choice);
  const SweepResults& sweep = *context.data.shown;
  const OtherSweeps& others = context.data.same_device;
  const std::size_t setting = shown_setting(context);
  const UiState& ui = context.ui;
  const PrintStyle style{format, choice.size, limits_of(context, panel, choice)};
  switch (panel) {
    case Panel::tflops: {
      const BarChart& chart = *context.models.bars(context.data, setting);
      fill_in(
          choice, titled(context, "TFLOP/s by window"),
          caption_of(
              print_caption(drawn_series(chart.series, chart.levels, sweep, others),
                            {.marks = "Bars", .whiskers = "whiskers", .rates = true, .rest = missing_sentences(chart)}),
              style.limits, points_of(chart.series, chart.levels, 0.38)));
      return bars_picture(chart, *choice.title, *choice.caption, style);
    }
    case Panel::scaling: {
      const ScalingChart& chart = *context.models.scaling(context.data, setting);
      if (chart.series.empty()) refuse(panel, "no pair of windows has a latency");
      fill_in(choice, titled(context, "Latency by window area"),
              caption_of(print_caption(drawn_series(chart.series, chart.levels, sweep, others),
                                       {.smaller = true, .steps = std::ranges::any_of(chart.series, has_step)}),
                         style.limits, points_of(chart.series, chart.levels)));
      return scaling_picture(chart, *choice.title, *choice.caption, style);
    }
    case Panel::map: {
      const WindowMap* map = context.models.map(context.data, setting, ui.map_series, ui.map_metric);
      if (!map || map->cells.empty()) refuse(panel, "this sweep has no windows");
      const Series& series = *chosen_series(context.models.map_choices(context.data), ui.map_series);
      fill_in(choice, titled(context, fmt::format("{} by window, {}", unit_of(ui.map_metric), series.label)),
              print_caption(drawn_series(*map, series, sweep, others), {.marks = "Numbers",
                                                                        .whiskers = "",
                                                                        .rates = ui.map_metric != MapMetric::latency,
                                                                        .steps = series.step}));
      return map_picture(*map, ui.map_metric, *choice.title, *choice.caption, style);
    }
    default:
      refuse(panel, "it has no vector picture");
  }
}

}  // namespace

std::string panel_picture(Context& context, Panel panel, VectorFormat format, PrintChoice choice) {
  return picture_now(context, panel, format, choice);
}

PrintChoice panel_words(Context& context, Panel panel, bool whole) {
  if (panel == Panel::attention)  // its picture has words of its own, which stay as they are
    return {{}, "", map_caption_text(context.models.attention(), context.ui.attention, context.data.attention)};
  PrintChoice words;
  words.size.whole = whole;
  try {
    picture_now(context, panel, VectorFormat::svg, words);
  } catch (const Error&) {
    return {{}, "", ""};
  }
  return words;
}

}  // namespace triscope
