// Chart (2): w1 across, w2 up; colour and number say latency, rate or share of the peak. A click selects.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/record/columns.hpp"
#include "views/charts/charts_panels.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Chips while they are few, else a list.
void draw_series_choice(Context& context, const std::vector<Series>& choices, const Series& shown) {
  std::optional<Series>& chosen = context.ui.map_series;
  const float beside = button_width(kCopySave) + ImGui::GetStyle().ItemSpacing.x,
              room = ImGui::GetContentRegionAvail().x - beside;
  float wanted = 0;
  for (const Series& series : choices) wanted += button_width(series.label.c_str()) + ImGui::GetStyle().ItemSpacing.x;
  if (wanted > room) {
    ImGui::SetNextItemWidth(std::min(room, button_width(shown.label.c_str()) + ImGui::GetFrameHeight()));
    if (!ImGui::BeginCombo("##series", shown.label.c_str(), ImGuiComboFlags_HeightLarge)) return;
    for (const Series& series : choices) {
      if (ImGui::Selectable(series.label.c_str(), &series == &shown)) chosen = series;
    }
    ImGui::EndCombo();
    return;
  }
  for (const Series& series : choices) {
    if (&series != &choices.front()) ImGui::SameLine();
    if (chip(context, series.label.c_str(), &series == &shown)) chosen = series;
  }
}

void draw_choices(Context& context, const std::vector<Series>& choices) {
  UiState& ui = context.ui;
  const Series& shown = *chosen_series(choices, ui.map_series);
  if (ui.printing) {
    const std::string& setting = context.models.settings(context.data)[shown_setting(context)].text;
    const std::string title = fmt::format("{} by window, {}", unit_of(ui.map_metric), shown.label);
    return panel_heading(context, title, setting, 0);
  }
  const auto metric = [&](const char* label, MapMetric value) {
    if (chip(context, label, ui.map_metric == value)) ui.map_metric = value;
    ImGui::SameLine();
  };
  metric("TFLOP/s", MapMetric::tflops);
  metric("Latency", MapMetric::latency);
  metric("% of peak", MapMetric::peak);
  setting_combo(context, context.look.px(240));
  ImGui::SameLine();
  ImGui::Dummy(ImVec2(context.look.px(8), 0));
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < button_width(kCopySave) + context.look.px(140)) ImGui::NewLine();
  draw_series_choice(context, choices, shown);
  chart_button(context, Panel::map);
}

void draw_cell(const Context& context, const MapCell& cell, const WindowMap& map, ImVec2 low, ImVec2 high) {
  const Look& look = context.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  std::string text;
  ImU32 fill = look.theme.missing;
  switch (cell.state) {
    case MapCell::State::ok:
      fill = viridis(brightness(map, context.ui.map_metric, cell.value));
      text = format_fixed(cell.value, cell.decimals) + (cell.known ? "" : " ?");
      break;
    case MapCell::State::nan:
      fill = look.theme.not_a_number;
      text = "NaN";
      break;
    case MapCell::State::failed:
      text = "failed";
      break;
    case MapCell::State::skipped:
      text = "skipped";
      break;
    case MapCell::State::absent:
      list->AddRectFilled(low, high, faded(look.theme.raised, 0.35F), look.px(2));
      return;
  }
  list->AddRectFilled(low, high, fill, look.px(2));
  const bool plain = cell.state != MapCell::State::ok && cell.state != MapCell::State::nan;
  if (!plain && !cell.known) {  // hollow: only its edge has the colour of its value
    const float edge = look.px(3);
    list->AddRectFilled(ImVec2(low.x + edge, low.y + edge), ImVec2(high.x - edge, high.y - edge), look.theme.panel,
                        look.px(2));
  }
  if (plain) hatch(list, low, high, faded(look.theme.faint, 0.35F), look.px(6));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  if (size.x > high.x - low.x - look.px(4) || size.y > high.y - low.y) return;
  const ImU32 ink = cell.state == MapCell::State::failed ? look.theme.slower
                    : plain                              ? look.theme.muted
                    : !cell.known                        ? look.theme.text
                                                         : readable_on(fill);
  list->AddText(ImVec2(std::round((low.x + high.x - size.x) / 2), std::round((low.y + high.y - size.y) / 2)), ink,
                text.c_str());
}

std::string describe_cell(Context& context, ChartSelection& chosen, const WindowMap& map, std::size_t i1,
                          std::size_t i2) {
  const MapCell& cell = map.at(i1, i2);
  std::string text = format_windows(map.window1[i1], map.window2[i2]);
  const ChartSetting& setting = context.models.settings(context.data)[shown_setting(context)];
  if (!setting.text.empty()) text += ", " + setting.text;
  switch (cell.state) {
    case MapCell::State::ok:
      text += fmt::format(": {} {}{}", format_fixed(cell.value, cell.decimals), unit_of(context.ui.map_metric),
                          cell.known ? "" : ", interval unknown");
      break;
    case MapCell::State::nan:
      text += ": not a number";
      break;
    case MapCell::State::failed:
      text += fmt::format(": failed. {}", cell.reason);
      break;
    case MapCell::State::skipped:
      text += fmt::format(": no value. {}", cell.reason);
      break;
    case MapCell::State::absent:
      text += ": not in this sweep";
      break;
  }
  if (cell.measurement != 0) chosen.point_at(cell.measurement);
  if (cell.backward == 0) return text + verdict_lines(context, cell.measurement);
  select_step(context, cell.measurement, cell.backward);
  return text + step_verdict_lines(context, cell.measurement, cell.backward);
}

/// Colour scale to the right of the grid: five values, best on top.
void draw_scale(const Context& context, const WindowMap& map, ImVec2 low, float width, float height) {
  const Look& look = context.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  constexpr int kSteps = 32;
  for (int i = 0; i < kSteps; ++i) {
    const float t0 = static_cast<float>(i) / kSteps, t1 = static_cast<float>(i + 1) / kSteps;
    list->AddRectFilledMultiColor(ImVec2(low.x, low.y + height * (1 - t1)),
                                  ImVec2(low.x + width, low.y + height * (1 - t0)), viridis(t1), viridis(t1),
                                  viridis(t0), viridis(t0));
  }
  const bool latency = context.ui.map_metric == MapMetric::latency;
  for (int i = 0; i <= 4; ++i) {
    const double t = i / 4.0;
    const double from_low = latency ? 1 - t : t;
    double value = map.low + from_low * (map.high - map.low);
    if (latency && map.low > 0) value = map.low * std::pow(map.high / map.low, from_low);
    const float y = low.y + height * static_cast<float>(1 - t);
    const std::string text = significant_text(value);
    list->AddText(ImVec2(low.x + width + look.px(6), std::round(y - ImGui::GetTextLineHeight() / 2)), look.theme.muted,
                  text.c_str());
  }
}

/// What stands along the axes, and why the colours begin below the lowest cell where they do.
const char* axes_words(const WindowMap& map, MapMetric metric) {
  const bool begins_at_a_cell = std::ranges::any_of(
      map.cells, [&](const MapCell& one) { return one.state == MapCell::State::ok && one.value <= map.low; });
  return begins_at_a_cell || metric == MapMetric::latency
             ? "w1 across, w2 up, in tokens"
             : "w1 across, w2 up, in tokens; the colours span at least a quarter of the best value";
}

/// Of as many lines as they take in this width.
float words_height(const Look& look, const char* words, float width) {
  const SmallFont font(look);
  return ImGui::CalcTextSize(words, nullptr, false, width).y;
}

void draw_grid(Context& context, const WindowMap& map) {
  const Look& look = context.look;
  const NumberFont font(look, kSecondarySize);
  const ImVec2 room = ImGui::GetContentRegionAvail(), origin = ImGui::GetCursorScreenPos();
  const float left = look.px(48), right = look.px(92), top = look.px(12);
  const char* words = axes_words(map, context.ui.map_metric);
  const float bottom = look.px(26) + words_height(look, words, room.x - left);
  const float columns = static_cast<float>(map.window1.size()), rows = static_cast<float>(map.window2.size());
  const ImVec2 area(std::max(look.px(60), room.x - left - right), std::max(look.px(40), room.y - bottom - top));
  const ImVec2 cell(std::min(area.x / columns, look.px(240)), std::min(area.y / rows, look.px(140)));
  const ImVec2 corner(origin.x + left, origin.y + top);
  ImGui::InvisibleButton("##map", ImVec2(std::max(1.0F, room.x), std::max(1.0F, room.y)));
  const bool hovered = ImGui::IsItemHovered();
  ChartSelection chosen(context, ImGui::GetItemID(), {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()}, hovered);
  const ImVec2 mouse = ImGui::GetMousePos();
  const float gap = std::max(1.0F, look.px(1));
  ImDrawList* list = ImGui::GetWindowDrawList();
  std::optional<std::pair<ImRect, std::string>> pointed;
  for (std::size_t i2 = 0; i2 < map.window2.size(); ++i2) {
    const float y = corner.y + (rows - 1 - static_cast<float>(i2)) * cell.y;
    const std::string name = fmt::format("{}", map.window2[i2]);
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    if (size.y < cell.y * 1.4F)
      list->AddText(ImVec2(corner.x - size.x - look.px(8), std::round(y + (cell.y - size.y) / 2)), look.theme.muted,
                    name.c_str());
    for (std::size_t i1 = 0; i1 < map.window1.size(); ++i1) {
      const ImVec2 low(corner.x + static_cast<float>(i1) * cell.x + gap, y + gap),
          high(low.x + cell.x - 2 * gap, low.y + cell.y - 2 * gap);
      draw_cell(context, map.at(i1, i2), map, low, high);
      if (hovered && mouse.x >= low.x && mouse.x < high.x && mouse.y >= low.y && mouse.y < high.y)
        pointed.emplace(ImRect(low, high), describe_cell(context, chosen, map, i1, i2));
      const std::int64_t id = map.at(i1, i2).measurement;
      chosen.offer({low, high}, id, i2);
      if (context.ui.selection.is_marked(id)) {
        const Ring ring = ring_of(context, id);
        list->AddRect(low, high, ring.colour, look.px(2), ring.width);
      }
    }
  }
  if (pointed) chosen.say(pointed->first, pointed->second);
  chosen.finish();
  float free_from = -1e9F;
  for (std::size_t i1 = 0; i1 < map.window1.size(); ++i1) {
    const std::string name = fmt::format("{}", map.window1[i1]);
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    const float x = corner.x + (static_cast<float>(i1) + 0.5F) * cell.x - size.x / 2;
    if (x < free_from) continue;
    free_from = x + size.x + look.px(6);
    list->AddText(ImVec2(std::round(x), corner.y + rows * cell.y + look.px(4)), look.theme.muted, name.c_str());
  }
  ImGui::SetCursorScreenPos(ImVec2(corner.x, corner.y + rows * cell.y + look.px(20)));
  muted_text(context, words, true);
  if (std::any_of(map.cells.begin(), map.cells.end(),
                  [](const MapCell& one) { return one.state == MapCell::State::ok; }))
    draw_scale(context, map, ImVec2(corner.x + columns * cell.x + look.px(16), corner.y + gap), look.px(10),
               rows * cell.y - 2 * gap);
}

}  // namespace

void draw_map_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const std::vector<Series>& choices = context.models.map_choices(context.data);
  if (choices.empty()) {
    empty_state(context, "This sweep holds no 2-simplicial kernel, so there are no windows to map.");
    return;
  }
  const ChartFrame frame(context, Panel::map);
  draw_choices(context, choices);
  const WindowMap* map =
      context.models.map(context.data, shown_setting(context), context.ui.map_series, context.ui.map_metric);
  if (!map || map->cells.empty()) {
    empty_state(context, "This sweep has no windows: its masks are full.");
    return;
  }
  draw_grid(context, *map);
}

}  // namespace triscope
