// Where to look: an overview of all heads and queries to navigate by, and small pictures of all heads at one query.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "kernels/inspect/counted_queries.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/striking_places.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kWidestTile = 200;  // design pixels

constexpr std::array kFigures{
    std::pair{OverviewFigure::entropy, "entropy"}, std::pair{OverviewFigure::largest_p, "largest p"},
    std::pair{OverviewFigure::sink_p, "sink"}, std::pair{OverviewFigure::distance1, "distance j"},
    std::pair{OverviewFigure::distance2, "distance k"}};

/// What the places are called at which a figure is most striking: the best query of each head.
constexpr std::array kStriking{std::pair{OverviewFigure::entropy, "Sharpest query of a head"},
                               std::pair{OverviewFigure::largest_p, "Largest p of a head"},
                               std::pair{OverviewFigure::sink_p, "Largest share of the sink"},
                               std::pair{OverviewFigure::distance1, "Mean distance to j, least like even"},
                               std::pair{OverviewFigure::distance2, "Mean distance to k, least like even"}};

void draw_figure_choice(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const SourceReply* source = context.data.attention.sides[0].source.get();
  const bool one_key = asks_one_key(ui);
  if (one_key && ui.figure == OverviewFigure::distance2) ui.figure = OverviewFigure::distance1;
  for (const auto& [figure, label] : kFigures) {
    if (!has_figure(figure, source && source->sink, one_key)) continue;
    if (figure == OverviewFigure::distance1) ImGui::NewLine();
    const bool only = one_key && figure == OverviewFigure::distance1;
    if (chip(context, only ? "distance" : label, ui.figure == figure)) ui.figure = figure;
    if (figure == OverviewFigure::distance1 || figure == OverviewFigure::distance2)
      tooltip(context, "In tokens: how far the keys of this axis lie before their query, the mean weighted with p");
    ImGui::SameLine(0, context.look.px(4));
  }
  ImGui::NewLine();
}

/// The first column that the lists count.
std::int64_t first_column(const Overview& overview, const CountedQueries& counted) {
  return std::min((counted.first + overview.step - 1) / overview.step, overview.columns - 1);
}

/// From the smallest to the largest value of the columns that count: others would be brightest by nature.
std::pair<float, float> counted_range(const Heatmap& map, std::int64_t first) {
  std::vector<float> values;
  for (std::int64_t row = 0; row < map.height; ++row) {
    const auto end = map.cells.begin() + (row + 1) * map.width;
    values.insert(values.end(), end - map.width + first, end);
  }
  return finite_range(values);
}

/// Entropy turned round: sharp rows are bright.
void paint_overview(Context& context, const Overview& overview, const CountedQueries& counted, const PixelRect& rect) {
  const AttentionUi& ui = context.ui.attention;
  const auto paint = [&](std::uint32_t* pixels, int stride, int width, int height) {
    Heatmap map{overview.columns, overview.heads, values_of(overview, ui.figure)};
    context.models.attention().overview_gaps =
        std::any_of(map.cells.begin(), map.cells.end(), [](float value) { return std::isnan(value); });
    if (ui.figure == OverviewFigure::entropy) {
      for (float& value : map.cells) value = -value;
    }
    const auto [low, high] = counted_range(map, first_column(overview, counted));
    HeatmapStyle style{HeatmapStyle::Scale::plain, low, high, ui.map};
    set_theme(style, context.look.theme);
    const HeatmapPyramid pyramid(std::move(map), Pooling::largest);
    const HeatmapPart whole{0, 0, static_cast<double>(overview.columns), static_cast<double>(overview.heads)};
    paint_heatmap(pyramid, whole, style, width, height, pixels, stride);
  };
  const std::string key = fmt::format("{}/{}/{}/{}", static_cast<const void*>(&overview), static_cast<int>(ui.figure),
                                      static_cast<int>(ui.map), context.look.theme.dark);
  painted_texture(context.models.attention(), 2, key, rect.width, rect.height, paint)
      .draw(ImGui::GetWindowDrawList(), rect.low, rect.high);
}

/// A veil over the queries that the lists leave out.
void veil_left_out(const Context& context, const Overview& overview, const CountedQueries& counted,
                   const PixelRect& rect) {
  if (counted.first <= 0) return;
  const float share = static_cast<float>(first_column(overview, counted)) /
                      static_cast<float>(std::max<std::int64_t>(1, overview.columns));
  const float x = std::round(rect.low.x + share * (rect.high.x - rect.low.x));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(rect.low, ImVec2(x, rect.high.y), faded(context.look.theme.ground, 0.6F));
  list->AddRectFilled(ImVec2(x - context.look.px(1), rect.low.y), ImVec2(x, rect.high.y), context.look.theme.text);
}

/// Says what is under the pointer; a click goes there.
void point_at_overview(Context& context, const Overview& overview, const CountedQueries& counted,
                       const PixelRect& rect) {
  AttentionUi& ui = context.ui.attention;
  if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  const auto place = [](float at, float low, float high, std::int64_t cells) {
    const auto cell = static_cast<std::int64_t>((at - low) / (high - low) * static_cast<float>(cells));
    return std::clamp<std::int64_t>(cell, 0, cells - 1);
  };
  const std::int64_t column = place(mouse.x, rect.low.x, rect.high.x, overview.columns),
                     head = place(mouse.y, rect.low.y, rect.high.y, overview.heads);
  if (ImGui::IsItemHovered()) {
    const float value = values_of(overview, ui.figure)[static_cast<std::size_t>(head * overview.columns + column)];
    value_tooltip(context, fmt::format("head {}, query {}: {}{}", head, format_count(column * overview.step),
                                       std::isnan(value) ? "no distribution" : figure_text(ui.figure, value),
                                       column * overview.step < counted.first ? "\nLeft out of the lists below." : ""));
  }
  if (ImGui::IsItemActive()) {
    ui.head = head;
    ui.query = column * overview.step;
  }
}

/// The first and the last head beside the overview, as many more as have room.
void name_heads(const Context& context, std::int64_t heads, float height) {
  const NumberFont font(context.look, kSecondarySize);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight(), row = height / static_cast<float>(heads);
  const auto step = static_cast<std::int64_t>(std::ceil(line / row));
  const auto write = [&](std::int64_t head) {
    const float middle = at.y + row * (static_cast<float>(head) + 0.5F);
    const std::string text = fmt::format("{}", head);
    ImGui::GetWindowDrawList()->AddText(
        ImVec2(at.x + context.look.px(20) - ImGui::CalcTextSize(text.c_str()).x, std::round(middle - line / 2)),
        context.look.theme.muted, text.c_str());
  };
  for (std::int64_t head = 0; head == 0 || head + step < heads; head += step) write(head);
  if (heads > step) write(heads - 1);
}

/// Where the shown slice stands. The mark of the first and last head and query stays inside.
void mark_query(const Context& context, const Overview& overview, const PixelRect& rect) {
  const AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  const float half = look.px(4), edge = half + look.px(2);
  const float column =
      (static_cast<float>(ui.query) / static_cast<float>(overview.step) + 0.5F) / static_cast<float>(overview.columns);
  const float row = (static_cast<float>(ui.head) + 0.5F) / static_cast<float>(overview.heads);
  const auto inside = [edge](float low, float high, float share) {
    return std::clamp(low + share * (high - low), low + edge, std::max(low + edge, high - edge));
  };
  const ImVec2 at(inside(rect.low.x, rect.high.x, column), inside(rect.low.y, rect.high.y, row));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect(ImVec2(at.x - half - 1, at.y - half - 1), ImVec2(at.x + half + 1, at.y + half + 1), look.theme.ground,
                0, look.px(3));
  list->AddRect(ImVec2(at.x - half, at.y - half), ImVec2(at.x + half, at.y + half), readable_on(look.theme.ground), 0,
                look.px(1.5F));
}

/// How the tiles of a sheet lie.
struct SheetLayout {
  int columns = 2;
  float gap = 0, width = 0, height = 0;  ///< of a tile

  ImVec2 offset(std::int64_t head) const {
    const std::int64_t row = head / columns, column = head % columns;
    return ImVec2(static_cast<float>(column) * (width + gap), static_cast<float>(row) * (height + gap));
  }
};

void paint_sheet(Context& context, const HeadSheet& sheet, const SheetLayout& layout, const PixelRect& rect) {
  const AttentionUi& ui = context.ui.attention;
  const float scale = static_cast<float>(rect.width) / (rect.high.x - rect.low.x);
  const auto paint = [&](std::uint32_t* pixels, int stride, int width, int height) {
    for (int y = 0; y < height; ++y) std::fill_n(pixels + static_cast<std::ptrdiff_t>(y) * stride, width, 0U);
    const std::int64_t cells = sheet.width * sheet.height;
    const HeatmapPart whole{0, 0, static_cast<double>(sheet.width), static_cast<double>(sheet.height)};
    for (std::int64_t head = 0; head < sheet.heads; ++head) {
      const auto first = sheet.log_p.begin() + head * cells;
      Heatmap map{sheet.width, sheet.height, {first, first + cells}};
      // Each in its own range: these are to be recognised, not compared.
      const auto [least, most] = finite_range(map.cells);
      HeatmapStyle style{ui.colour_scale, automatic_low(least, most, ui.colour_scale), most, ui.map};
      set_theme(style, context.look.theme);
      const ImVec2 offset = layout.offset(head);
      const int x = static_cast<int>(offset.x * scale), y = static_cast<int>(offset.y * scale);
      paint_heatmap(HeatmapPyramid(std::move(map), Pooling::largest), whole, style,
                    std::min(static_cast<int>(layout.width * scale), width - x),
                    std::min(static_cast<int>(layout.height * scale), height - y),
                    pixels + static_cast<std::ptrdiff_t>(y) * stride + x, stride);
    }
  };
  const std::string key = fmt::format("{}/{}/{}/{}/{}", static_cast<const void*>(&sheet), static_cast<int>(ui.map),
                                      static_cast<int>(ui.colour_scale), layout.columns, context.look.theme.dark);
  painted_texture(context.models.attention(), 3, key, rect.width, rect.height, paint)
      .draw(ImGui::GetWindowDrawList(), rect.low, rect.high);
}

/// Which head a picture is of, in its corner.
void draw_head_number(const Context& context, std::int64_t head, ImVec2 low) {
  const Look& look = context.look;
  const NumberFont font(look, kSecondarySize);
  const std::string text = fmt::format("{}", head);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), at(low.x + look.px(2), low.y + look.px(1));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(low.x, low.y), ImVec2(at.x + size.x + look.px(2), at.y + size.y), look.theme.ground);
  list->AddText(at, look.theme.text, text.c_str());
}

/// A click on a tile goes to its head; the shown one is framed.
void draw_tiles(Context& context, const HeadSheet& sheet, const SheetLayout& layout, ImVec2 at) {
  AttentionUi& ui = context.ui.attention;
  for (std::int64_t head = 0; head < sheet.heads; ++head) {
    const ImVec2 offset = layout.offset(head), low(at.x + offset.x, at.y + offset.y);
    ImGui::SetCursorScreenPos(low);
    ImGui::PushID(static_cast<int>(head));
    if (ImGui::InvisibleButton("##head", ImVec2(layout.width, layout.height))) ui.head = head;
    ImGui::PopID();
    tooltip(context, fmt::format("Head {}. Each picture has its own range of colours.", head));
    draw_head_number(context, head, low);
    if (head != ui.head) continue;
    ImGui::GetWindowDrawList()->AddRect(ImVec2(low.x - 2, low.y - 2),
                                        ImVec2(low.x + layout.width + 2, low.y + layout.height + 2),
                                        context.look.theme.accent, 0, context.look.px(2));
  }
}

/// Where the chosen figure is most striking; a click goes there.
void draw_striking(Context& context, const Overview& overview, const Problem& problem, std::int64_t tokens) {
  constexpr std::int64_t kMost = 6;
  AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  const char* title = nullptr;
  for (const auto& [figure, label] : kStriking) {
    if (figure == ui.figure) title = label;
  }
  section(context, title);
  muted_text(
      context,
      fmt::format("One query of each head{}: its {} may lie elsewhere than the peaks of the mean.",
                  overview.heads > kMost ? fmt::format(", of the {} most striking of {}", kMost, overview.heads) : "",
                  has_one_key(problem) ? "keys" : "pairs"),
      true);
  const bool first = ui.figure == OverviewFigure::distance1, distance = first || ui.figure == OverviewFigure::distance2;
  const auto even = [&](std::int64_t query) {
    const EvenFigures figures = even_figures(problem, tokens, query);
    return first ? figures.distance1 : figures.distance2;
  };
  const std::int64_t counted = counted_queries(problem, tokens).first;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  for (const AttentionPlace& place : striking_places(overview, ui.figure, static_cast<std::size_t>(kMost), counted,
                                                     distance ? even : std::function<double(std::int64_t)>())) {
    ImGui::PushID(static_cast<int>(place.head));
    const bool here = place.head == ui.head && place.query == ui.query;
    const SmallFont font(look);
    if (ImGui::Selectable(fmt::format("head {}, query {}", place.head, format_count(place.query)).c_str(), here))
      go_to_strongest(ui, {place.head, place.query});
    tooltip(context, "Go there: what is strongest stands at the right, and the first of it is framed.");
    ImGui::SameLine();
    number_right(context,
                 distance ? fmt::format("{}, even {}", significant_text(static_cast<double>(place.value), 3),
                                        significant_text(even(place.query), 3))
                          : figure_text(ui.figure, place.value),
                 look.theme.muted, right);
    ImGui::PopID();
  }
}

}  // namespace

void draw_survey_state(Context& context, bool pending, const std::string& problem) {
  if (context.data.run.running) return muted_text(context, kWhileMeasuring, true);
  if (pending || problem.empty()) return muted_text(context, pending ? "Computing ..." : "");
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.slower, sentence(problem));
  ImGui::PopTextWrapPos();
  ImGui::PushID(problem.c_str());
  if (ImGui::Button("Try again")) context.request(ask::InspectAgain{});
  ImGui::PopID();
}

void draw_overview(Context& context) {
  const AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  if (!refusal_of(data.sides[0]).empty() && !data.sides[0].slice) return;  // the map's place says why
  section(context, compares(ui) ? "Where to look in A: heads down, queries across"
                                : "Where to look: heads down, queries across");
  draw_figure_choice(context);
  const bool current = data.sides[0].asked && data.overview.of.source == *data.sides[0].asked;
  const bool too_much = data.sides[0].asked == ui.sides[0].source && data.sides[0].slice && !wanted_overview(ui, data);
  if (too_much) return muted_text(context, "These windows take too long for an overview: choose smaller ones.", true);
  const float names = context.look.px(24), width = ImGui::GetContentRegionAvail().x - names;
  if (!current || !data.overview.answer || !data.sides[0].source || width < 20)
    return draw_survey_state(context, data.overview.pending.has_value(), current ? data.overview.problem : "");
  const Overview& overview = *data.overview.answer;
  const Problem& problem = data.overview.of.query.problem;
  const std::int64_t tokens = data.sides[0].source->seq_len;
  const CountedQueries counted = counted_queries(problem, tokens);
  const float height =
      std::clamp(static_cast<float>(overview.heads) * context.look.px(16), context.look.px(64), context.look.px(96));
  name_heads(context, overview.heads, height);
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetCursorScreenPos().x + names, ImGui::GetCursorScreenPos().y));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const PixelRect rect = pixel_rect(at, ImVec2(at.x + width, at.y + height));
  paint_overview(context, overview, counted, rect);
  veil_left_out(context, overview, counted, rect);
  ImGui::InvisibleButton("##overview", ImVec2(width, height));
  point_at_overview(context, overview, counted, rect);
  mark_query(context, overview, rect);
  const std::string which = overview.step > 1 ? fmt::format("One query in {}.", overview.step) : "Every query.";
  muted_text(context,
             fmt::format("Click to go there. {} {}", which, figure_meaning(ui.figure, overview, problem, tokens)),
             true);
  const std::string left_out = left_out_sentence(counted);
  if (!left_out.empty()) muted_text(context, "Veiled: " + left_out, true);
  if (context.models.attention().overview_gaps) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower,
                  "✗ Magenta: no distribution over pairs. No logit is finite, or the sink is NaN or +infinity.");
    ImGui::PopTextWrapPos();
  }
  draw_heads(context, overview);
  draw_head_peaks(context);
  draw_striking(context, overview, problem, tokens);
}

void draw_sheet(Context& context) {
  const AttentionData& data = context.data.attention;
  const HeadSheet* sheet = data.sheet.answer.get();
  if (data.sheet.of.source != context.ui.attention.sides[0].source) return;
  if (!sheet && !data.sheet.problem.empty()) {
    section(context, "All heads");
    return draw_survey_state(context, data.sheet.pending.has_value(), data.sheet.problem);
  }
  if (!sheet || sheet->heads < 2) return;
  const std::string query = format_count(data.sheet.of.query.query);
  section(context,
          fmt::format("All {} heads{} at query {}", sheet->heads, compares(context.ui.attention) ? " of A" : "", query)
              .c_str());
  const float width = ImGui::GetContentRegionAvail().x;
  SheetLayout layout;
  layout.gap = context.look.px(8);
  layout.columns = std::max(sheet->heads > 16 ? 4 : 2, static_cast<int>(width / context.look.px(kWidestTile)));
  const auto columns = static_cast<float>(layout.columns);
  layout.width = std::floor((width - layout.gap * (columns - 1)) / columns);
  layout.height = std::floor(layout.width * 0.42F);
  const std::int64_t rows = (sheet->heads + layout.columns - 1) / layout.columns;
  const float height = static_cast<float>(rows) * (layout.height + layout.gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  paint_sheet(context, *sheet, layout, pixel_rect(at, ImVec2(at.x + width, at.y + height)));
  draw_tiles(context, *sheet, layout, at);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height));
  ImGui::Dummy(ImVec2(1, 1));
}

}  // namespace triscope
