#include "views/parts/chart_tools.hpp"

#include <fmt/format.h>
#include <implot_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "views/data/axis_ticks.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/styles/series_style.hpp"
#include "views/parts/readout.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

ImU32 colour_of_style(const Theme& theme, int style) {
  return theme.series[static_cast<std::size_t>(style) % theme.series.size()];
}

namespace {

static_assert(std::tuple_size_v<decltype(Theme::series)> == kStyleColours);
constexpr int kMarks = 8;

/// How often the colours came round before this style.
int round_of(int style) { return style / kStyleColours; }

}  // namespace

int mark_of_style(int style, bool baseline) {
  // Where kernels are compared, ours are circles and diamonds mostly.
  static constexpr std::array kOfBaselines{5, 1, 3, 7, 4, 6, 2, 0};
  return baseline ? kOfBaselines[static_cast<std::size_t>(style) % kOfBaselines.size()]
                  : (style + round_of(style)) % kMarks;
}

std::vector<std::pair<float, float>> gaps_of_style(int style, float top, float foot, float unit) {
  static constexpr std::array<DashPattern, 4> kStripes{{{0, 0}, {3, 2}, {6, 3}, {2, 4}}};
  const DashPattern stripes = kStripes[static_cast<std::size_t>(round_of(style)) % kStripes.size()];
  std::vector<std::pair<float, float>> gaps;
  if (stripes.gap <= 0) return gaps;
  const float drawn = std::max(1.0F, stripes.drawn * unit), gap = std::max(1.0F, stripes.gap * unit);
  for (float y = foot - drawn; y > top; y -= drawn + gap) gaps.emplace_back(std::max(top, y - gap), y);
  return gaps;
}

ImU32 series_colour(const Theme& theme, const Series& series) {
  return series.baseline ? baseline_colour(theme, series.colour) : colour_of_style(theme, series.colour);
}

ImU32 explore_colour(const Theme& theme, const ExploreLine& line) {
  if (line.style == kOtherLines) return theme.muted;
  return line.quiet ? baseline_colour(theme, line.style) : colour_of_style(theme, line.style);
}

int explore_mark(const ExploreLine& line) {
  return line.style == kOtherLines ? 0 : mark_of_style(line.style, line.quiet);
}

const char* unit_of(MapMetric metric) {
  switch (metric) {
    case MapMetric::latency:
      return "ms";
    case MapMetric::tflops:
      return "TFLOP/s";
    case MapMetric::peak:
      return "% of peak";
  }
  return "";
}

float brightness(const WindowMap& map, MapMetric metric, double value) {
  if (!(map.high > map.low)) return 0.5F;
  const bool latency = metric == MapMetric::latency;
  const double t = latency && map.low > 0 ? std::log(value / map.low) / std::log(map.high / map.low)
                                          : (value - map.low) / (map.high - map.low);
  return static_cast<float>(latency ? 1 - t : t);
}

ChartFrame::ChartFrame(Context& context, Panel panel)
    : context_(context), panel_(panel), low_(ImGui::GetCursorScreenPos()), size_(ImGui::GetContentRegionAvail()) {
  // A drag with Shift selects, as one with Ctrl does: the plot must not pan. With the right button Shift is the plot's.
  const bool selects = ImGui::GetIO().KeyShift && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  ImPlot::GetInputMap().OverrideMod = selects ? ImGuiMod_Shift : ImGuiMod_Ctrl;
}

ChartFrame::~ChartFrame() {
  context_.ui.chart_areas[panel_] = {low_.x, low_.y, size_.x, size_.y};
  const bool inside = ImGui::IsMouseHoveringRect(low_, ImVec2(low_.x + size_.x, low_.y + size_.y)) &&
                      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  if (inside && (ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right)))
    context_.ui.front_chart = panel_;
}

namespace {

/// The same measurements where they can be filtered and drawn otherwise.
void explore_item(Context& context, Panel panel) {
  const std::vector<ChartSetting>& settings = context.models.settings(context.data);
  const std::int64_t sweep = context.ui.selection.shown_sweep;
  if (settings.empty() || sweep == 0) return;
  const ChartSetting& setting = settings[shown_setting(context)];
  const std::optional<ExploreQuery> query = explore_of(panel, sweep, setting.problem, settings.size() > 1);
  if (!query) return;
  ImGui::Separator();
  if (!ImGui::MenuItem("Open in Explore")) return;
  ExploreUi& ui = context.ui.explore;
  ui.query = *query;
  ui.filter = ui.query.where;
  context.ui.fit_charts = true;
  context.request(ask::ShowPanel{Panel::explore});
}

}  // namespace

void chart_menu(Context& context, Panel panel) {
  const auto item = [&](const char* label, Request request) {
    if (!ImGui::MenuItem(label)) return;
    context.ui.front_chart = panel;
    context.request(std::move(request));
  };
  item("Copy image", ask::CopyChart{panel});
  item("Save PNG, PDF or SVG...", ask::SaveChart{panel, {}});
  item("Copy data", ask::CopyPanelData{panel});
  item("Save data as CSV...", ask::SaveChartData{panel, {}});
  explore_item(context, panel);
  if (panel == Panel::compare) return;
  ImGui::Separator();
  if (ImGui::MenuItem("Fit to data", "F")) context.ui.fit_charts = true;
}

void chart_button(Context& context, Panel panel) {
  if (context.ui.printing) return;
  align_right(button_width(kCopySave));
  if (ImGui::Button(fmt::format("{}###Copy", kCopySave).c_str())) ImGui::OpenPopup("chart");
  tooltip(context, "Copy the picture or its data, or save them: PNG, PDF, SVG, CSV");
  if (ImGui::BeginPopup("chart")) {
    chart_menu(context, panel);
    ImGui::EndPopup();
  }
}

void draw_level_labels(const Look& look, std::vector<LevelLabel> labels, float left, float top, float bottom) {
  const SmallFont font(look);
  std::sort(labels.begin(), labels.end(), [](const LevelLabel& a, const LevelLabel& b) { return a.y < b.y; });
  const float height = ImGui::GetTextLineHeight() * 1.08F;
  std::vector<float> at;
  float next = top;
  for (const LevelLabel& label : labels) {
    at.push_back(std::max(label.y - height / 2, next));
    next = at.back() + height;
  }
  float last = bottom;
  for (std::size_t i = at.size(); i-- > 0;) {
    at[i] = std::min(at[i], last - height);
    last = at[i];
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float middle = std::round(at[i] + height / 2);
    const float from = labels[i].x > 0 ? std::min(left, labels[i].x + look.px(3)) : left;
    if (from < left)
      list->AddLine(ImVec2(from, labels[i].y), ImVec2(left, labels[i].y), faded(labels[i].colour, 0.45F),
                    std::max(1.0F, look.px(1)));
    list->AddLine(ImVec2(left, labels[i].y), ImVec2(left + look.px(8), middle), labels[i].colour,
                  std::max(1.0F, look.px(1)));
    list->AddText(ImVec2(left + look.px(12), std::round(at[i])), labels[i].colour, labels[i].text.c_str());
  }
}

DashPattern dashes_of(int style) {
  static constexpr std::array<DashPattern, 4> kDashes{{{7, 4}, {2, 4}, {13, 5}, {4, 9}}};
  return kDashes[static_cast<std::size_t>(style) % kDashes.size()];
}

ImU32 baseline_colour(const Theme& theme, int style) {
  return theme.baselines[static_cast<std::size_t>(style) % theme.baselines.size()];
}

void plot_dashed_level(const Look& look, double y, const Series& level_of) {
  const ImU32 colour = series_colour(look.theme, level_of);
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  const ImVec2 left = ImPlot::PlotToPixels(limits.X.Min, y), right = ImPlot::PlotToPixels(limits.X.Max, y);
  if (!std::isfinite(left.y)) return;
  const DashPattern pattern = dashes_of(level_of.colour);
  const float dash = look.px(pattern.drawn), gap = look.px(pattern.gap), level = std::round(left.y) + 0.5F;
  ImPlot::PushPlotClipRect();
  for (float x = left.x; x < right.x; x += dash + gap) {
    ImPlot::GetPlotDrawList()->AddLine(ImVec2(x, level), ImVec2(std::min(x + dash, right.x), level), colour,
                                       std::max(1.0F, look.px(1.25F)));
  }
  ImPlot::PopPlotClipRect();
}

void plot_dashed_curve(const Look& look, const std::vector<double>& x, const std::vector<double>& y, ImU32 colour,
                       DashPattern dashes) {
  const float drawn = look.px(dashes.drawn), period = drawn + look.px(dashes.gap);
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize(), high(low.x + size.x, low.y + size.y);
  ImPlot::PushPlotClipRect();
  float along = 0;  // the pattern goes on across points
  for (std::size_t n = 0; n + 1 < x.size(); ++n) {
    const ImVec2 from = ImPlot::PlotToPixels(x[n], y[n]), to = ImPlot::PlotToPixels(x[n + 1], y[n + 1]);
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (!(length > 0)) continue;
    const auto at = [&](float distance) {
      return ImVec2(from.x + (to.x - from.x) * distance / length, from.y + (to.y - from.y) * distance / length);
    };
    const auto seen = seen_part(from, to, low, high);  // in a deep zoom a piece is many times as long
    const float begin = seen ? static_cast<float>(seen->first) * length : 0,
                end = seen ? static_cast<float>(seen->second) * length : 0;
    for (float start = begin - std::fmod(along + begin, period); start < end; start += period) {
      const float first = std::max(begin, start), last = std::min(end, start + drawn);
      if (last > first) list->AddLine(at(first), at(last), colour, std::max(1.0F, look.px(1.5F)));
    }
    along = std::fmod(along + length, period);
  }
  ImPlot::PopPlotClipRect();
}

std::optional<std::pair<double, double>> seen_part(ImVec2 from, ImVec2 to, ImVec2 low, ImVec2 high) {
  double first = 0, last = 1;  // of the way between the two
  for (const auto& [begin, end, least, most] :
       {std::array<double, 4>{from.x, to.x, low.x, high.x}, std::array<double, 4>{from.y, to.y, low.y, high.y}}) {
    const double way = end - begin;
    if (way == 0) {
      if (begin < least || begin > most) return std::nullopt;
      continue;
    }
    const auto [enters, leaves] = std::minmax({(least - begin) / way, (most - begin) / way});
    first = std::max(first, enters);
    last = std::min(last, leaves);
  }
  return first <= last ? std::optional(std::pair(first, last)) : std::nullopt;
}

std::string chart_id(const char* name, const Context& context, std::string_view part) {
  const SweepInfo& sweep = context.data.shown->info;
  return fmt::format("##{} {} {} {}", name, sweep.id, sweep.uuid,
                     part);  // the uuid: sweeps of every database count from 1
}

namespace {

/// Whether axes that reached to `left` in the last frame, or are new, are to take `limits` in this one.
bool fits(Context& context, unsigned int id, bool is_new, const ChartLimits& left, const ChartLimits& limits) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  ChartZoom& zoom = context.ui.chart_zooms[id];
  if (zoom.fit) zoom.fitted = left;
  zoom.fit = is_new || context.ui.fit_charts || zoom.asked || (left == zoom.fitted && limits != zoom.data);
  zoom.asked = plot.Hovered && ImGui::IsMouseDoubleClicked(0);  // ImPlot's own fit comes in this frame
  zoom.data = limits;
  return zoom.fit;
}

/// Whose axes those of the current plot are: where all plots of a grid share them, the grid's.
std::pair<ImGuiID, bool> owner_of_axes(const UiState& ui) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  const ImPlotSubplot* grid = ImPlot::GetCurrentContext()->CurrentSubplot;
  const bool shared = grid != nullptr && (grid->Flags & ImPlotSubplotFlags_LinkAllX) != 0;
  return shared ? std::pair(grid->ID, !ui.chart_zooms.contains(grid->ID)) : std::pair(plot.ID, plot.JustCreated);
}

}  // namespace

void fit_axes(Context& context, const ChartLimits& limits, std::optional<Panel> panel) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  const ImPlotRange &x = plot.Axes[ImAxis_X1].Range, &y = plot.Axes[ImAxis_Y1].Range;
  const ChartLimits left{x.Min, x.Max, y.Min, y.Max};
  const auto [id, is_new] = owner_of_axes(context.ui);
  const bool fit = fits(context, id, is_new, left, limits);
  if (panel) {
    context.ui.zoomed.erase(*panel);
    if (!fit && left != context.ui.chart_zooms[id].fitted) context.ui.zoomed[*panel] = left;
  }
  if (!fit) return;
  ImPlot::SetupAxisLimits(ImAxis_X1, limits[0], limits[1], ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, limits[2], limits[3], ImPlotCond_Always);
}

std::optional<ChartLimits> shown_limits(const UiState& ui, Panel panel) {
  const auto zoomed = ui.zoomed.find(panel);
  return zoomed == ui.zoomed.end() || !ui.chart_areas.contains(panel) ? std::nullopt : std::optional(zoomed->second);
}

void fit_axis(Context& context, int axis, double low, double high) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  const ImPlotRange& range = plot.Axes[axis].Range;
  const unsigned int id = plot.ID + 1 + static_cast<unsigned int>(axis);
  if (!fits(context, id, plot.JustCreated, {range.Min, range.Max}, {low, high})) return;
  ImPlot::SetupAxisLimits(axis, low, high, ImPlotCond_Always);
}

std::size_t shown_setting(Context& context) {
  SettingChoice& choice = context.ui.chart_setting;
  const std::vector<ChartSetting>& settings = context.models.settings(context.data);
  const std::int64_t pinned = context.ui.selection.pinned();
  const LatencyModel* model = context.models.latency(context.data);
  if (pinned != choice.followed && model) {
    choice.followed = pinned;
    for (const LatencyLine& line : model->lines) {
      const bool selected = std::any_of(line.cells.begin(), line.cells.end(),
                                        [&](const auto& cell) { return cell && cell->row.measurement == pinned; });
      if (!selected) continue;
      const auto of =
          std::find_if(settings.begin(), settings.end(), [&](const ChartSetting& one) { return belongs(one, line); });
      if (of != settings.end()) choice.text = of->text;
    }
  }
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const ChartSetting& one) { return one.text == choice.text; });
  return found == settings.end() ? 0 : static_cast<std::size_t>(found - settings.begin());
}

float setting_combo_width(Context& context, float room) {
  const std::vector<ChartSetting>& settings = context.models.settings(context.data);
  if (settings.size() < 2) return 0;
  return std::min(room, button_width(settings[shown_setting(context)].text.c_str()) + ImGui::GetFrameHeight());
}

void setting_combo(Context& context, float room) {
  const std::vector<ChartSetting>& settings = context.models.settings(context.data);
  if (settings.size() < 2) return;
  const std::size_t shown = shown_setting(context);
  ImGui::SetNextItemWidth(setting_combo_width(context, room));
  if (ImGui::BeginCombo("##setting", settings[shown].text.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      if (ImGui::Selectable(settings[i].text.c_str(), i == shown)) context.ui.chart_setting.text = settings[i].text;
    }
    ImGui::EndCombo();
  } else {
    tooltip(context, fmt::format("This chart shows {}, one of {} settings of this sweep.", settings[shown].text,
                                 settings.size()));
  }
}

/// "of 24 Nov 10:12, Table 1 at 32k; ", where it stands beside a comparison of several; else nothing.
std::string shown_sweep_text(Context& context) {
  const WindowData& data = context.data;
  if (!data.shown || (data.compared.size() < 2 && data.versions.kernel.empty())) return {};
  return fmt::format("of {}, {}; ", format_started(data.shown->info.started, context.now),
                     context.models.name(data.shown->info).brief);
}

namespace {

bool have_room_beside(const Context& context, const std::string& title, const std::string& words, float room) {
  room -= ImGui::CalcTextSize(title.c_str()).x + 2 * ImGui::GetStyle().ItemSpacing.x;
  const SmallFont font(context.look);
  return ImGui::CalcTextSize(words.c_str()).x <= room;
}

}  // namespace

void chart_heading(Context& context, Panel panel, const std::string& title, const std::string& subtitle) {
  if (context.ui.printing) {
    const std::string& setting = context.models.settings(context.data)[shown_setting(context)].text;
    return panel_heading(context, setting.empty() ? title : title + ", " + setting, subtitle, 0);
  }
  const float combo = setting_combo_width(context, ImGui::GetContentRegionAvail().x * 0.45F);
  const float buttons = button_width(kCopySave) + (combo > 0 ? combo + ImGui::GetStyle().ItemSpacing.x : 0);
  const std::string sweep = shown_sweep_text(context);
  // Behind the name of a sweep what explains the signs would be cut: then it has a line of its own.
  const bool below =
      !sweep.empty() && !have_room_beside(context, title, sweep + subtitle, ImGui::GetContentRegionAvail().x - buttons);
  panel_heading(context, title, below ? sweep.substr(0, sweep.rfind(';')) : sweep + subtitle, buttons);
  if (combo > 0) {
    align_right(buttons);
    setting_combo(context, combo);
  }
  chart_button(context, panel);
  if (!below) return;
  const SmallFont font(context.look);
  text_in_whole_words(context, context.look.theme.muted, subtitle, ImGui::GetContentRegionAvail().x);
}

const char* hollow_note(bool unknown, bool unconverged) {
  if (!unconverged) return unknown ? "hollow: interval unknown" : "";
  return unknown ? "hollow: not converged or interval unknown" : "hollow: not converged";
}

std::string subtitle_from(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!part.empty()) text.append(text.empty() ? "" : "; ").append(part);
  }
  return text;
}

namespace {

constexpr int kFlat = 7;  ///< the shape that ImPlot lacks: its last ones have no inside that could be filled or hollow

ImPlotMarker marker_of(int shape) {
  static constexpr std::array kMarkers{ImPlotMarker_Circle, ImPlotMarker_Square, ImPlotMarker_Diamond, ImPlotMarker_Up,
                                       ImPlotMarker_Down,   ImPlotMarker_Left,   ImPlotMarker_Right};
  return kMarkers[static_cast<std::size_t>(shape) % kMarkers.size()];
}

}  // namespace

void plot_markers(const Look& look, const char* label, const MarkedPoints& points, int shape, ImU32 colour) {
  for (const bool hollow : {true, false}) {
    std::vector<double> x, y;
    for (std::size_t n = 0; n < points.x.size(); ++n) {
      if (points.hollow[n] != hollow) continue;
      x.push_back(points.x[n]);
      y.push_back(points.y[n]);
    }
    if (x.empty()) continue;
    ImPlotSpec spec;
    spec.LineColor = to_vec4(colour);
    spec.Marker = marker_of(shape);
    spec.MarkerSize = look.px(4);
    spec.MarkerFillColor = to_vec4(hollow ? look.theme.panel : colour);
    spec.MarkerLineColor = to_vec4(hollow ? colour : look.theme.panel);
    if (hollow) spec.LineWeight = std::max(1.0F, look.px(1.5F));
    if (shape != kFlat) {
      ImPlot::PlotScatter(label, x.data(), y.data(), static_cast<int>(x.size()), spec);
      continue;
    }
    ImPlot::PlotDummy(label, spec);  // a click on its name hides it, too
    if (is_hidden(label)) continue;
    ImPlot::PushPlotClipRect();
    for (std::size_t n = 0; n < x.size(); ++n)
      draw_mark(ImPlot::GetPlotDrawList(), ImPlot::PlotToPixels(x[n], y[n]), shape, spec.MarkerSize, colour,
                hollow ? std::optional(look.theme.panel) : std::nullopt, spec.LineWeight);
    ImPlot::PopPlotClipRect();
  }
}

void end_plot(const Look& look) {
  const SmallFont font(look);
  show_alone_on_double_click();
  ImPlot::EndPlot();
}

void set_decade_ticks(ImAxis axis, double low, double high, float length) {
  std::vector<double> ticks = log_ticks(low, high);
  for (const double around : log_ticks(low / 100, high * 100)) {
    if (around < low || around > high) ticks.push_back(around);
  }
  std::sort(ticks.begin(), ticks.end());
  constexpr double kMargins = 0.5;  // of the range that is shown, in decades
  const double shown = std::log10(high / low) + kMargins;
  ticks = ticks_apart(ticks, shown * static_cast<double>(ImGui::GetTextLineHeight() / std::max(length, 1.0F)));
  std::vector<std::string> names;
  for (const double tick : ticks) names.push_back(fmt::format("{:.6g}", tick));
  std::vector<const char*> labels;
  for (const std::string& name : names) labels.push_back(name.c_str());
  ImPlot::SetupAxisTicks(axis, ticks.data(), static_cast<int>(ticks.size()), labels.data());
}

int format_axis_number(double value, char* buffer, int size, void*) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1e12) return std::snprintf(buffer, static_cast<std::size_t>(size), "%gT", value / 1e12);
  if (magnitude >= 1e9) return std::snprintf(buffer, static_cast<std::size_t>(size), "%gG", value / 1e9);
  if (magnitude >= 1e6) return std::snprintf(buffer, static_cast<std::size_t>(size), "%gM", value / 1e6);
  if (magnitude >= 1e4) return std::snprintf(buffer, static_cast<std::size_t>(size), "%gk", value / 1e3);
  return std::snprintf(buffer, static_cast<std::size_t>(size), "%g", value);
}

}  // namespace triscope
