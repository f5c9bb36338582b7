// A legend in lines of its own, and the names of series in it.
#include <fmt/format.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "views/model/charts/explore_axis.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/tooltip.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// A square, with the stripes that its bars have.
void draw_square(const Look& look, int style, ImVec2 low, ImVec2 high, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  float foot = high.y;
  for (const auto& [top, bottom] : gaps_of_style(style, low.y, high.y, look.px(1))) {
    list->AddRectFilled(ImVec2(low.x, bottom), ImVec2(high.x, foot), colour);
    foot = top;
  }
  if (foot > low.y) list->AddRectFilled(low, ImVec2(high.x, foot), colour);
}

/// Over the last item: its mark, `wide` pixels, and its name.
void draw_name(const Look& look, const LegendName& name, float wide) {
  using Mark = LegendName::Mark;
  const float pale = name.shown ? 1 : 0.35F, line = ImGui::GetTextLineHeight();
  const ImU32 colour = faded(name.colour, pale);
  const ImVec2 low = ImGui::GetItemRectMin();
  const float middle = std::round(low.y + line / 2), weight = std::max(1.0F, look.px(1.5F));
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (name.mark == Mark::joined || name.mark == Mark::line) {
    const bool whole = name.dashes.drawn <= 0;
    const float drawn = whole ? wide : look.px(name.dashes.drawn),
                period = whole ? wide : drawn + look.px(name.dashes.gap);
    for (float x = 0; x < wide; x += period)
      list->AddLine(ImVec2(low.x + x, middle), ImVec2(low.x + std::min(wide, x + drawn), middle), colour, weight);
  }
  if (name.mark == Mark::joined || name.mark == Mark::points)
    draw_mark(list, ImVec2(std::round(low.x + wide / 2), middle), mark_of_style(name.style, name.baseline), look.px(4),
              colour);
  if (name.mark == Mark::bar) {
    const float top = std::round(low.y + (line - wide) / 2);
    draw_square(look, name.style, ImVec2(low.x, top), ImVec2(low.x + wide, top + wide), colour);
  }
  list->AddText(ImVec2(low.x + wide, low.y), faded(look.theme.text, pale), name.seen().c_str());
}

/// The width of its mark.
float mark_width(const LegendName& name) {
  using Mark = LegendName::Mark;
  const bool narrow = name.mark == Mark::bar || name.mark == Mark::points;
  return std::round((narrow ? 0.7F : 1.6F) * ImGui::GetTextLineHeight());
}

}  // namespace

void draw_mark(ImDrawList* list, ImVec2 at, int shape, float size, ImU32 colour, std::optional<ImU32> hollow,
               float weight) {
  constexpr float kHalf = 0.7071F, kSide = 0.866F, kFlat = 0.5F;
  static const std::array<std::vector<ImVec2>, 7> kCorners{{
      {{-kHalf, -kHalf}, {kHalf, -kHalf}, {kHalf, kHalf}, {-kHalf, kHalf}},
      {{0, -1}, {1, 0}, {0, 1}, {-1, 0}},
      {{0, -1}, {kSide, 0.5F}, {-kSide, 0.5F}},
      {{0, 1}, {-kSide, -0.5F}, {kSide, -0.5F}},
      {{-1, 0}, {0.5F, -kSide}, {0.5F, kSide}},
      {{1, 0}, {-0.5F, kSide}, {-0.5F, -kSide}},
      {{-1.1F, -kFlat}, {1.1F, -kFlat}, {1.1F, kFlat}, {-1.1F, kFlat}},
  }};
  if (shape <= 0) {
    list->AddCircleFilled(at, size, hollow.value_or(colour));
    if (hollow) list->AddCircle(at, size, colour, 0, weight);
    return;
  }
  std::vector<ImVec2> corners;
  for (const ImVec2& corner : kCorners[static_cast<std::size_t>(shape - 1) % kCorners.size()])
    corners.emplace_back(at.x + corner.x * size, at.y + corner.y * size);
  list->AddConvexPolyFilled(corners.data(), static_cast<int>(corners.size()), hollow.value_or(colour));
  if (hollow) list->AddPolyline(corners.data(), static_cast<int>(corners.size()), colour, weight, ImDrawFlags_Closed);
}

std::optional<std::size_t> draw_legend(const Context& context, const std::vector<LegendName>& names,
                                       const std::string& of, const LegendMenu& menu) {
  const Look& look = context.look;
  const SmallFont font(look);
  const float line = ImGui::GetTextLineHeight(), gap = look.px(14);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto most = static_cast<int>(std::max(1.0F, 0.4F * room.y / (line + ImGui::GetStyle().ItemSpacing.y)));
  const auto width_of = [&](const LegendName& name) {
    return mark_width(name) + ImGui::CalcTextSize(name.seen().c_str()).x;
  };
  const auto rest_of = [&](std::size_t n) { return fmt::format("and {} more", names.size() - n); };
  float end = 0, left = -gap;  // of those that come
  for (const LegendName& name : names) left += width_of(name) + gap;
  int lines = 1;
  std::optional<std::size_t> clicked;
  if (!of.empty()) {
    coloured_text(look.theme.muted, of + ":");
    end = ImGui::GetItemRectSize().x;
  }
  ImGui::PushID("legend");
  for (std::size_t n = 0; n < names.size(); ++n) {
    const LegendName& name = names[n];
    const float width = width_of(name), rest = ImGui::CalcTextSize(rest_of(n + 1).c_str()).x;
    const bool alone = n == 0 && of.empty();  // in its line
    const bool fits = alone || end + gap + width <= room.x, full = n > 0 && !fits && lines == most;
    const float begin = alone || !fits ? 0 : end + gap;
    lines += fits || full ? 0 : 1;
    // In the last line there stays room for how many are left.
    if (full || (n > 0 && lines == most && begin + left > room.x && begin + width + gap + rest > room.x)) {
      if (fits || full) ImGui::SameLine(0, gap);
      coloured_text(look.theme.muted, rest_of(n));
      break;
    }
    end = begin + width;
    left -= width + gap;
    if (fits && !alone) ImGui::SameLine(0, gap);
    if (ImGui::InvisibleButton(name.name.c_str(), ImVec2(width, line))) clicked = n;
    tooltip(context, fmt::format("Click: show or hide. Double click: this one alone, or all again.{}",
                                 menu ? " Right click: filter by it." : ""));
    draw_name(look, name, mark_width(name));
    if (menu && ImGui::BeginPopupContextItem()) {
      menu(name);
      ImGui::EndPopup();
    }
  }
  ImGui::PopID();
  return clicked;
}

void draw_legend(const Context& context, ImPlotItemGroup* items, std::vector<LegendName> names, const std::string& of,
                 const LegendMenu& menu) {
  const auto item_of = [&](const LegendName& name) {
    return items ? items->GetItem(ImGui::GetIDWithSeed(name.name.c_str(), nullptr, items->ID)) : nullptr;
  };
  for (LegendName& name : names) {
    if (const ImPlotItem* item = item_of(name)) name.shown = item->Show;
  }
  const std::optional<std::size_t> clicked = draw_legend(context, names, of, menu);
  ImPlotItem* item = clicked ? item_of(names[*clicked]) : nullptr;
  if (item == nullptr) return;
  if (double_clicked()) {
    show_alone(*items, *item);
  } else {
    item->Show = !item->Show;
  }
}

void draw_legend(const Context& context, const std::string& plot, std::vector<LegendName> names) {
  ImPlotPlot* known = ImPlot::GetPlot(plot.c_str());
  draw_legend(context, known ? &known->Items : nullptr, std::move(names));
}

std::vector<LegendName> legend_of(const Theme& theme, const std::vector<SeriesPoints>& series, LegendName::Mark mark) {
  std::vector<LegendName> names;
  for (const SeriesPoints& one : series)
    names.push_back({legend_name(one.series), series_colour(theme, one.series), one.series.colour, mark});
  return names;
}

std::string legend_name(const Series& series) { return " " + series.label; }

bool has_whole_names(const Look& look, float room) { return room > look.px(720); }

std::string level_name(const Series& level, const std::vector<SeriesPoints>& levels, bool whole) {
  const bool regimes = std::any_of(levels.begin(), levels.end(),
                                   [&](const SeriesPoints& one) { return one.series.regime != level.regime; });
  const char* what = level.step ? "step" : level.pass == Pass::forward ? "fwd" : "bwd";
  return fmt::format("{} {}{}", whole ? level.kernel_label : level.short_label, what,
                     regimes && level.regime == Regime::burst ? " burst" : "");
}

bool is_hidden(const std::string& legend_name) {
  const ImPlotItem* item = ImPlot::GetItem(legend_name.c_str());
  return item != nullptr && !item->Show;
}

std::string legend_name(const ExploreChart& chart, const ExploreLine& line) {
  if (line.name.empty()) return "##all";
  const std::string drawn = drawn_name(chart.query.color, line.name);
  return " " + drawn + (drawn == line.name ? "" : "##" + line.name);
}

std::vector<LegendName> legend_of(const Theme& theme, const ExploreChart& chart) {
  std::vector<LegendName> all, others;  // which come last, also where the first plot has none of what is named
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      if (line.name.empty()) continue;
      std::vector<LegendName>& names = line.style == kOtherLines ? others : all;
      const std::string name = legend_name(chart, line);
      const auto known = std::ranges::find(names, name, &LegendName::name);
      const auto mark = line.joined ? LegendName::Mark::joined : LegendName::Mark::points;
      if (known == names.end()) {
        names.push_back({name, explore_colour(theme, line), std::max(0, line.style), mark, true, {}, line.quiet});
      } else if (line.joined) {
        known->mark = mark;
      }
    }
  }
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace triscope
