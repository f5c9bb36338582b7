#include "views/attention/attention_axes.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>

#include "kernels/inspect/slice_rules.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Each visible column has room for its token's text.
bool labels_fit(const Look& look, const MapView& view) {
  const float width = view.cell_width();
  if (width < look.px(16)) return false;
  const NumberFont font(look, kSecondarySize);
  const std::vector<std::string>& labels = view.side->source->labels;
  const auto first = static_cast<std::int64_t>(view.part.left),
             end = std::min(view.frame.width, static_cast<std::int64_t>(std::ceil(view.part.right)));
  for (std::int64_t x = std::max<std::int64_t>(first, -view.frame.first1); x < end; ++x) {
    if (ImGui::CalcTextSize(labels[static_cast<std::size_t>(view.frame.first1 + x)].c_str()).x + look.px(6) > width)
      return false;
  }
  return true;
}

/// What the map is and what its axes are, in as many words as go above it.
std::string low_caption(const Context& context, const MapView& view, const std::string& unit) {
  const AttentionUi& ui = context.ui.attention;
  // The hint about Space stands on the same line.
  const bool hint = ui.flipped || ui.show == AttentionShow::difference;
  const float room = view.rect.high.x - view.rect.low.x - (hint ? context.look.px(110) : 0);
  const std::string axes = has_one_key(view.side->slice_of.query.problem) ? "; j across" : "; j across, k down";
  for (const std::string& text : {axes + ": " + unit, axes}) {
    if (ImGui::CalcTextSize((view.title + text).c_str()).x <= room) return view.title + text;
  }
  return shortened(view.title, room);
}

/// Each at its axis; in a low room both above the map, which takes the line below it.
void draw_axis_names(const Context& context, const MapView& view, const std::string& unit) {
  const Look& look = context.look;
  const SmallFont font(look);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (view.low) {
    list->AddText(ImVec2(view.rect.low.x, view.rect.low.y - look.px(18)), look.theme.muted,
                  low_caption(context, view, unit).c_str());
    return;
  }
  const bool one = has_one_key(view.side->slice_of.query.problem);
  const std::string name1 = (one ? "j: key, " : "j: first key, ") + unit;
  const float centre = (view.rect.low.x + view.rect.high.x - ImGui::CalcTextSize(name1.c_str()).x) / 2;
  list->AddText(ImVec2(std::round(centre), view.rect.high.y + look.px(24)), look.theme.muted, name1.c_str());
  if (!one) name_left_axis(context, view.left, view.rect, "k: second key, " + unit, "k");
}

}  // namespace

AxisKeys axis_keys(const SliceRequest& of, bool absolute, bool fit1, bool fit2) {
  const bool relative = !absolute && of.query.problem.mask == Mask::causal;
  if (of.source.kind != SourceKind::match3) return {fit1, fit2, relative ? "tokens from the query" : "position"};
  const bool both = fit1 && fit2;
  return {both, both, both ? "the number there" : "position"};
}

std::int64_t tick_step(double pixels_per_cell, double room) {
  std::int64_t step = 1;
  for (int n = 0; static_cast<double>(step) * pixels_per_cell < room; ++n) step = n % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

std::string named_key(const std::string& word, const std::string& place,
                      const std::function<bool(const std::string&)>& fits) {
  std::string both = word + " " + place;
  return fits(both) ? both : word;
}

void name_left_axis(const Context& context, float left, const PixelRect& rect, const std::string& name,
                    const char* brief) {
  const SmallFont font(context.look);
  const float height = rect.high.y - rect.low.y;
  const char* shown = ImGui::CalcTextSize(name.c_str()).x <= height ? name.c_str() : brief;
  const float middle = (rect.low.y + rect.high.y + ImGui::CalcTextSize(shown).x) / 2;
  ImPlot::AddTextVertical(ImGui::GetWindowDrawList(), ImVec2(std::round(left), std::round(middle)),
                          context.look.theme.muted, shown);
}

void name_hatched(const Context& context, const MapView& view) {
  constexpr const char* kName = "before the first token";
  const Look& look = context.look;
  const SmallFont font(look);
  const ImVec2 size = ImGui::CalcTextSize(kName), pad(look.px(6), look.px(3));
  const auto inside_x = [&](std::int64_t cell) {
    return std::clamp(view.x_of(static_cast<double>(cell)), view.rect.low.x, view.rect.high.x);
  };
  const auto inside_y = [&](std::int64_t cell) {
    return std::clamp(view.y_of(static_cast<double>(cell)), view.rect.low.y, view.rect.high.y);
  };
  const float right = inside_x(view.masked1()), below = inside_y(view.masked2());
  const float room = size.x + 2 * pad.x;
  ImVec2 middle;
  if (right - view.rect.low.x >= room) {
    middle = ImVec2((view.rect.low.x + right) / 2, (view.rect.low.y + view.rect.high.y) / 2);
  } else if (below - view.rect.low.y >= size.y + 2 * pad.y && view.rect.high.x - view.rect.low.x >= room) {
    middle = ImVec2((view.rect.low.x + view.rect.high.x) / 2, (view.rect.low.y + below) / 2);
  } else {
    return;
  }
  const ImVec2 at(std::round(middle.x - size.x / 2), std::round(middle.y - size.y / 2));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(at.x - pad.x, at.y - pad.y), ImVec2(at.x + size.x + pad.x, at.y + size.y + pad.y),
                      look.theme.panel);
  list->AddText(at, look.theme.muted, kName);
}

void draw_axes(const Context& context, const MapView& view) {
  const Look& look = context.look;
  const AttentionUi& ui = context.ui.attention;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const SourceReply& source = *view.side->source;
  const bool words = !source.labels.empty();
  const std::int64_t last1 = view.frame.first1 + view.frame.width - 1,
                     last2 = view.frame.first2 + view.frame.height - 1;
  const SliceRequest& of = view.side->slice_of;
  const auto [named1, named2, unit] =
      axis_keys(of, ui.absolute_axes, words && labels_fit(look, view), words && view.cell_height() >= look.px(14));
  const auto text_of = [&](std::int64_t position, bool named, float room) {
    const std::string place = axis_text(ui, of, position);
    if (!named || position < 0) return place;
    if (of.source.kind == SourceKind::match3) return source.labels[static_cast<std::size_t>(position)];
    return named_key(source.labels[static_cast<std::size_t>(position)], place,
                     [room](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x <= room; });
  };
  {
    const NumberFont font(look, kSecondarySize);
    const std::int64_t across = tick_step(view.cell_width(), named1 ? 0 : look.px(72)),
                       down = tick_step(view.cell_height(), named2 ? 0 : look.px(30));
    for (std::int64_t position = last1; position >= view.frame.first1; position -= across) {
      const float x = view.x_of(static_cast<double>(position - view.frame.first1) + 0.5);
      if (x < view.rect.low.x || x > view.rect.high.x) continue;
      const std::string text = text_of(position, named1, view.cell_width() - look.px(6));
      const float width = ImGui::CalcTextSize(text.c_str()).x;
      list->AddLine(ImVec2(x, view.rect.high.y), ImVec2(x, view.rect.high.y + look.px(4)), look.theme.line);
      list->AddText(ImVec2(std::round(std::min(x - width / 2, view.rect.high.x - width + look.px(8))),
                           view.rect.high.y + look.px(6)),
                    look.theme.muted, text.c_str());
    }
    for (std::int64_t position = last2; position >= view.frame.first2 && !has_one_key(of.query.problem);
         position -= down) {
      const float y = view.y_of(static_cast<double>(position - view.frame.first2) + 0.5);
      if (y < view.rect.low.y || y > view.rect.high.y) continue;
      const std::string text = text_of(position, named2, view.rect.low.x - view.left - look.px(28));
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      list->AddLine(ImVec2(view.rect.low.x - look.px(4), y), ImVec2(view.rect.low.x, y), look.theme.line);
      list->AddText(ImVec2(view.rect.low.x - size.x - look.px(8), std::round(y - size.y / 2)), look.theme.muted,
                    text.c_str());
    }
  }
  draw_axis_names(context, view, unit);
}

}  // namespace triscope
