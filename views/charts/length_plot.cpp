#include "views/charts/length_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/columns.hpp"
#include "views/curves/counted_curves.hpp"
#include "views/curves/drawn_curves.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_beside.hpp"
#include "views/model/charts/length_words.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/readout.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

struct Range {
  double x_low = 1e300, x_high = 0, y_low = 1e300, y_high = 0;
  void add(double x, double y) {
    x_low = std::min(x_low, x), x_high = std::max(x_high, x);
    y_low = std::min(y_low, y), y_high = std::max(y_high, y);
  }
};

/// The pass that is shown; unset: both together.
std::optional<Pass> shown_pass(const Context& context) {
  return context.ui.length_step ? std::nullopt : std::optional(context.ui.length_pass);
}

/// Its name in the legend, set off from its mark as in the other charts.
std::string name_in_legend(const LengthCurve& curve) { return " " + curve.label; }

std::vector<DrawnLine> measured_curves(const Theme& theme, const LengthPass& pass, const LengthUnit& unit) {
  std::vector<DrawnLine> drawn;
  for (const DrawnCurve& curve : drawn_curves(theme, pass)) {
    DrawnLine one{curve};
    for (const LengthPoint& point : curve.curve->points) {
      one.x.push_back(static_cast<double>(point.seq_len));
      one.y.push_back(length_value(*curve.curve, one.x.back(), point.ms, unit));
    }
    drawn.push_back(std::move(one));
  }
  return drawn;
}

Range range_of(const std::vector<DrawnLine>& curves) {
  Range range;
  for (const DrawnLine& drawn : curves) {
    for (std::size_t n = 0; n < drawn.x.size(); ++n) range.add(drawn.x[n], drawn.y[n]);
  }
  return range;
}

/// Ticks at powers of two, in tokens or as an area, which is no number of tokens and has its digits.
void set_power_ticks(ImAxis axis, double low, double high, bool area = false) {
  std::vector<double> ticks;
  std::vector<std::string> names;
  const int first = static_cast<int>(std::floor(std::log2(low))), last = static_cast<int>(std::ceil(std::log2(high)));
  const int step = std::max(1, (last - first + 8) / 9);
  for (int power = first; power <= last; power += step) {
    ticks.push_back(std::exp2(power));
    names.push_back(area ? format_count(std::int64_t{1} << power) : format_tokens(std::int64_t{1} << power));
  }
  std::vector<const char*> labels;
  for (const std::string& name : names) labels.push_back(name.c_str());
  ImPlot::SetupAxisTicks(axis, ticks.data(), static_cast<int>(ticks.size()), labels.data());
}

/// Rates begin at zero; what spans decades is logarithmic.
void setup_axes(Context& context, const Range& range, bool rates) {
  ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoTickMarks, ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  if (!rates) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  fit_axes(
      context,
      {range.x_low / 1.25, range.x_high * 1.25, rates ? 0 : range.y_low / 1.6, range.y_high * (rates ? 1.08 : 1.6)},
      Panel::lengths);
  set_power_ticks(ImAxis_X1, range.x_low, range.x_high);
}

void plot_marks(const Look& look, const DrawnLine& drawn) {
  MarkedPoints points{drawn.x, drawn.y, {}};
  for (const LengthPoint& point : drawn.curve->points)
    points.hollow.push_back(is_hollow(interval_known(point), point.converged));
  plot_markers(look, name_in_legend(*drawn.curve).c_str(), points,
               mark_of_style(drawn.curve->style, drawn.curve->baseline), drawn.colour);
}

std::vector<ImVec2> in_pixels(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<ImVec2> line;
  for (std::size_t n = 0; n < x.size(); ++n) line.push_back(ImPlot::PlotToPixels(x[n], y[n]));
  return line;
}

void plot_curve(const Look& look, const DrawnLine& drawn, bool markers) {
  if (drawn.curve->baseline) {
    plot_dashed_curve(look, drawn.x, drawn.y, drawn.colour, drawn.dashes);
  } else if (drawn.dashes.drawn > 0) {
    plot_strokes(drawn.x, drawn.y, drawn.dashes, look.px(1), drawn.colour, look.px(1.75F));
  } else {
    ImPlotSpec line;
    line.LineColor = to_vec4(drawn.colour);
    line.LineWeight = look.px(1.75F);
    ImPlot::PlotLine(name_in_legend(*drawn.curve).c_str(), drawn.x.data(), drawn.y.data(),
                     static_cast<int>(drawn.x.size()), line);
  }
  if (markers) plot_marks(look, drawn);  // above the line: hollow ones would show it
}

/// A ring at (x, y) and a hairline down to the axis.
void mark_crossing(const Look& look, double x, double y, ImU32 colour) {
  const ImVec2 at = ImPlot::PlotToPixels(x, y), low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  const float middle = std::round(at.x) + 0.5F;
  list->AddLine(ImVec2(middle, at.y + look.px(6)), ImVec2(middle, low.y + size.y), faded(colour, 0.7F),
                std::max(1.0F, look.px(1)));
  list->AddCircle(at, look.px(6), look.theme.text, 0, look.px(1.75F));
  ImPlot::PopPlotClipRect();
}

void mark_crossings(const Look& look, const LengthPass& pass, LengthView view, std::optional<Pass> which) {
  for (const LengthCrossing& crossing : pass.crossings) {
    const LengthCurve& ours = pass.curves[crossing.windows];
    const ImU32 colour = colour_of_style(look.theme, ours.style);
    if (view == LengthView::counted) {
      const double x = static_cast<double>(crossing.exact_count);
      mark_crossing(look, x, counted_tflop(ours, which, x), colour);
    } else if (view == LengthView::latency && crossing.measured.kind == LatencyCrossing::Kind::crosses) {
      mark_crossing(look, crossing.measured.seq_len, crossing.measured.ms, colour);
    }
  }
}

/// "576.1 TFLOP/s, 571.2 to 581.0".
std::string rate_text(const LengthCurve& curve, const LengthPoint& point, std::optional<Pass> pass) {
  const auto rate = [&](double ms) {
    return significant_text(length_value(curve, static_cast<double>(point.seq_len), ms, {true, pass}), 4);
  };
  std::string text = rate(point.ms) + " TFLOP/s";
  if (interval_known(point)) text += fmt::format(", {} to {}", rate(point.high_ms), rate(point.low_ms));
  return text;
}

/// The nearest measured point is named, hovered and, on a click, selected.
void select_points(Context& context, const LengthPass& pass, const LengthUnit& unit) {
  PointPicker picker(context);
  const LengthPoint* nearest = nullptr;
  std::size_t of = 0;
  for (std::size_t n = 0; n < pass.curves.size(); ++n) {
    const LengthCurve& curve = pass.curves[n];
    for (const LengthPoint& point : curve.points) {
      const double x = static_cast<double>(point.seq_len);
      if (picker.offer(x, length_value(curve, x, point.ms, unit), point.measurement, n)) nearest = &point, of = n;
    }
  }
  if (nearest != nullptr) {
    std::string text = point_text(pass.curves[of], *nearest) + "; " + rate_text(pass.curves[of], *nearest, unit.pass);
    const std::string beside = beside_reference_text(pass, of, *nearest);
    if (!beside.empty()) text += "\n" + beside;
    picker.choose_in_words(nearest->measurement, (context.ui.length_step ? "Training step of " : "") + text);
    select_step(context, nearest->measurement, nearest->backward);
  }
  picker.finish();
}

std::string dot_text(const SameBudget& budget) {
  return fmt::format("{}\nArea {}{}.\nA click selects what it stands on.", budget.headline, area_text(*budget.windows),
                     budget.windows->extrapolated() ? ", extrapolated" : "");
}

/// The dot under the pointer in words; a click chooses its length.
void name_budget(Context& context, const LengthPass& pass) {
  const float half = context.look.px(8);
  const SameBudget* under = nullptr;
  std::vector<ImRect> others;
  const ImVec2 mouse = ImGui::GetMousePos();
  for (const SameBudget& budget : pass.budgets) {
    if (!budget.windows) continue;
    const ImVec2 at = ImPlot::PlotToPixels(static_cast<double>(budget.seq_len), budget.windows->area);
    if (is_chosen(context, budget)) {
      ImPlot::PushPlotClipRect();
      draw_corners(ImPlot::GetPlotDrawList(), at, half, {context.look.theme.text, context.look.px(2.5F)});
      ImPlot::PopPlotClipRect();
    }
    others.emplace_back(at.x - half, at.y - half, at.x + half, at.y + half);
    if (!ImPlot::IsPlotHovered() || std::hypot(at.x - mouse.x, at.y - mouse.y) > context.look.px(10)) continue;
    under = &budget;
    std::swap(others.front(), others.back());
  }
  if (under == nullptr) return;
  // Inside the axes: their labels and the legend are read beside a dot.
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const ImRect room(low, ImVec2(low.x + size.x, low.y + size.y));
  readout(context, others.front(), dot_text(*under), std::span(others).subspan(1), &room);
  if (clicked_without_drag()) choose_length(context, *under);
}

/// From one end of an area's range to the other, as far as it is known.
void plot_area_ranges(const Look& look, const char* label, const LengthPass& pass) {
  std::vector<double> x, y, below, above;
  for (const SameBudget& budget : pass.budgets) {
    if (!budget.windows || budget.windows->low <= 0) continue;
    x.push_back(static_cast<double>(budget.seq_len));
    y.push_back(budget.windows->area);
    below.push_back(budget.windows->area - budget.windows->low);
    above.push_back(budget.windows->high - budget.windows->area);
  }
  ImPlotSpec whiskers;
  whiskers.LineColor = to_vec4(look.theme.text);
  whiskers.LineWeight = std::max(1.0F, look.px(1));
  whiskers.Size = look.px(10);
  ImPlot::PlotErrorBars(label, x.data(), y.data(), below.data(), above.data(), static_cast<int>(x.size()), whiskers);
}

/// Lengths that have no tick of their own stand beside their dots.
void name_odd_lengths(const Look& look, const LengthPass& pass) {
  ImPlot::PushPlotClipRect();
  for (const SameBudget& budget : pass.budgets) {
    const bool has_tick = std::has_single_bit(static_cast<std::uint64_t>(budget.seq_len));
    if (!budget.windows || has_tick) continue;
    const ImVec2 at = ImPlot::PlotToPixels(static_cast<double>(budget.seq_len), budget.windows->area);
    ImPlot::GetPlotDrawList()->AddText(ImVec2(at.x + look.px(6), at.y + look.px(4)), look.theme.muted,
                                       format_tokens(budget.seq_len).c_str());
  }
  ImPlot::PopPlotClipRect();
}

/// Names of the dashed curves beside their right ends.
std::vector<LevelLabel> baseline_labels(const Look& look, const std::vector<DrawnLine>& curves, bool counted,
                                        bool whole, float& width) {
  std::vector<LevelLabel> labels;
  for (const DrawnLine& drawn : curves) {
    if (!drawn.curve->baseline) continue;
    std::string text = drawn.curve->label;
    const std::string& full = drawn.curve->card.label;
    if (counted) {
      text = counted_name(*drawn.curve);
    } else if (!whole && text.starts_with(full)) {
      text = drawn.curve->card.short_label + text.substr(full.size());
    }
    width = std::max(width, ImGui::CalcTextSize(text.c_str()).x + look.px(20));
    labels.push_back({0, std::move(text), drawn.colour});
  }
  return labels;
}

/// Where what is seen of its line ends; without its name where nothing is.
void place_label(LevelLabel& label, const std::vector<double>& x, const std::vector<double>& y) {
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const std::optional<ImVec2> end = last_seen(in_pixels(x, y), low, ImVec2(low.x + size.x, low.y + size.y));
  if (!end) return label.text.clear();
  label.x = end->x;
  label.y = end->y;
}

}  // namespace

std::string length_part_name(const Context& context) {
  return context.ui.length_step ? "training step" : std::string(to_string(context.ui.length_pass));
}

std::vector<LegendName> legend_of(const Context& context, const LengthPass& pass) {
  using Mark = LegendName::Mark;
  const UiState& ui = context.ui;
  const Theme& theme = context.look.theme;
  const bool counted = ui.length_view == LengthView::counted;
  const bool draws_curves = ui.length_view != LengthView::budget;
  std::vector<LegendName> names;
  const auto add = [&](const DrawnCurve& one, bool shown) {
    const LengthCurve& curve = *one.curve;
    names.push_back({name_in_legend(curve), one.colour, curve.style, counted ? Mark::line : Mark::joined, shown,
                     one.dashes, curve.baseline});
  };
  const auto curves = [&](const std::set<std::string>& left_out) {
    return counted ? curves_of_counts(theme, pass, left_out) : drawn_curves(theme, pass, left_out);
  };
  const std::vector<DrawnCurve> shown = curves(ui.lengths_left_out);
  for (const DrawnCurve& one : curves({})) {
    const auto found = std::ranges::find(shown, one.curve, &DrawnCurve::curve);
    if (found != shown.end()) {
      if (draws_curves) add(*found, true);
    } else if (!ui.printing) {
      add(one, false);
    }
  }
  return names;
}

void draw_length_legend(Context& context, const LengthPass& pass) {
  std::set<std::string>& left_out = context.ui.lengths_left_out;
  const std::vector<LegendName> names = legend_of(context, pass);
  if (names.empty()) return;
  const std::optional<std::size_t> clicked = draw_legend(context, names, "windows");
  if (!clicked) return;
  const auto label_of = [](const LegendName& name) { return name.name.substr(name_in_legend({}).size()); };
  const std::string label = label_of(names[*clicked]);
  if (!double_clicked()) {
    if (left_out.erase(label) == 0) left_out.insert(label);
    return;
  }
  const bool alone =
      std::ranges::all_of(names, [&](const LegendName& name) { return !name.shown || label_of(name) == label; });
  for (const LegendName& name : names) {
    const std::string one = label_of(name);
    if (alone || one == label) {
      left_out.erase(one);
    } else {
      left_out.insert(one);
    }
  }
}

bool is_chosen(const Context& context, const SameBudget& budget) {
  return budget.measurements == context.ui.length_chosen;
}

void choose_length(Context& context, const SameBudget& budget) {
  context.ui.length_chosen = budget.measurements;
  context.request(ask::SelectMeasurements{budget.measurements});
  for (const ChartSetting& setting : context.models.settings(context.data)) {
    if (setting.problem.seq_len != budget.seq_len) continue;
    context.ui.chart_setting.text = setting.text;
    break;
  }
}

void draw_length_curves(Context& context, const LengthPass& pass, ImVec2 room) {
  const Look& look = context.look;
  const std::optional<Pass> which = shown_pass(context);
  const bool counted = context.ui.length_view == LengthView::counted;
  const LengthUnit unit{context.ui.length_view == LengthView::rate, which};
  const std::vector<DrawnLine> curves =
      counted ? counted_lines(look.theme, pass, which) : measured_curves(look.theme, pass, unit);
  float label_width = 0;
  std::vector<LevelLabel> labels = baseline_labels(look, curves, counted, has_whole_names(look, room.x), label_width);
  const Range range = range_of(curves);
  // Of each pass its own zoom: their times lie a factor of ten apart.
  const char* shown = counted ? "counted" : unit.rate ? "rate" : "latency";
  const std::string id = chart_id(shown, context, length_part_name(context));
  if (!ImPlot::BeginPlot(id.c_str(), ImVec2(room.x - label_width, room.y), kPlotFlags)) return;
  setup_axes(context, range, unit.rate);
  if (!unit.rate) set_decade_ticks(ImAxis_Y1, range.y_low, range.y_high, room.y - look.px(50));
  draw_strokes_last(curves, [&](const DrawnLine& drawn) { plot_curve(look, drawn, !counted); });
  mark_crossings(look, pass, context.ui.length_view, which);
  if (!counted) select_points(context, pass, unit);
  std::size_t label = 0;
  for (const DrawnLine& drawn : curves) {
    if (drawn.curve->baseline) place_label(labels[label++], drawn.x, drawn.y);
  }
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  end_plot(look);
  std::erase_if(labels, [](const LevelLabel& one) { return one.text.empty(); });
  draw_level_labels(look, std::move(labels), low.x + size.x, low.y, low.y + size.y);
}

void draw_length_budget(Context& context, const LengthPass& pass, ImVec2 room) {
  const Look& look = context.look;
  Range range;
  std::vector<double> x, y;
  MarkedPoints dots;  // hollow where the area lies beyond those that were measured
  for (const SameBudget& budget : pass.budgets) {
    if (!budget.windows) continue;
    x.push_back(static_cast<double>(budget.seq_len));
    y.push_back(budget.windows->area);
    dots.hollow.push_back(budget.windows->extrapolated());
    range.add(x.back(), y.back());
    range.add(x.back(), x.back() / 3);
    range.add(x.back(), x.back() / 2);
  }
  float label_width = 0;
  std::vector<LevelLabel> labels{{0, "exact count, n/2", look.theme.baseline},
                                 {0, "paper's count, n/3", look.theme.baseline}};
  for (const LevelLabel& label : labels)
    label_width = std::max(label_width, ImGui::CalcTextSize(label.text.c_str()).x + look.px(20));
  const char* const label = " equal area by latency, with its range";
  const std::string id = chart_id("budget", context, length_part_name(context));
  const float top = ImGui::GetCursorPosY();
  draw_legend(context, id, {{label, look.theme.accent, 0, LegendName::Mark::joined}});
  room.y -= ImGui::GetCursorPosY() - top;
  if (!ImPlot::BeginPlot(id.c_str(), ImVec2(room.x - label_width, room.y), kPlotFlags)) return;
  setup_axes(context, range, false);
  ImPlot::SetupAxis(ImAxis_Y1, "area w1 × w2", ImPlotAxisFlags_NoTickMarks);
  set_power_ticks(ImAxis_Y1, range.y_low, range.y_high, true);
  const std::vector<double> ends{range.x_low, range.x_high};
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const double share = n == 0 ? 2 : 3;
    const std::vector<double> areas{ends[0] / share, ends[1] / share};
    plot_dashed_curve(look, ends, areas, look.theme.baseline, dashes_of(static_cast<int>(n)));
    place_label(labels[n], ends, areas);
  }
  std::erase_if(labels, [](const LevelLabel& one) { return one.text.empty(); });
  ImPlotSpec line;
  line.LineColor = to_vec4(look.theme.accent);
  line.LineWeight = look.px(1.75F);
  dots.x = x;
  dots.y = y;
  plot_area_ranges(look, label, pass);
  plot_markers(look, label, dots, 0, look.theme.accent);
  ImPlot::PlotLine(label, x.data(), y.data(), static_cast<int>(x.size()), line);
  name_odd_lengths(look, pass);
  name_budget(context, pass);
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  end_plot(look);
  draw_level_labels(look, std::move(labels), low.x + size.x, low.y, low.y + size.y);
}

}  // namespace triscope
