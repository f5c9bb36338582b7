// The mean over queries: where each head looks from wherever it stands, and the shown head's map of it.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr ImGuiTableFlags kPeakFlags =
    ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;

void draw_peak_cells(const Context& context, const MeanPeak& peak) {
  for (const std::int64_t back : {peak.back1, peak.back2}) {
    ImGui::TableNextColumn();
    number_right(context, fmt::format("{}", -back));
  }
  ImGui::TableNextColumn();
  number_right(context, significant_text(peak.p, 2));
  ImGui::TableNextColumn();
  number_right(context, lift_text(peak), context.look.theme.muted);
}

/// `first`: a column before those of the peak; null: none.
void begin_peak_columns(const Context& context, const char* first) {
  if (first) ImGui::TableSetupColumn(first, ImGuiTableColumnFlags_WidthStretch, 0.8F);
  for (const auto& [name, weight] :
       {std::pair{"j", 1.0F}, std::pair{"k", 0.9F}, std::pair{"p", 1.4F}, std::pair{"× even", 1.2F}})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, weight);
  std::vector<ExplainedColumn> columns{
      {"j", true, "First key, in tokens from the query"},
      {"k", true, "Second key, in tokens from the query"},
      {"p", true, "p of this pair of distances, the mean over the queries that see it"},
      {"× even", true, "Times what weights would give that prefer no pair, over the same queries and windows"}};
  if (first)
    columns.insert(columns.begin(), ExplainedColumn{first, true, "Those first that are most unlike even weights"});
  explained_headers(context, columns);
}

struct MeanPlace {
  PixelRect rect;
  const MeanMaps* maps = nullptr;
  std::int64_t head = 0;
};

void paint_mean(Context& context, const MeanPlace& place) {
  const AttentionUi& ui = context.ui.attention;
  const MeanMaps& maps = *place.maps;
  const auto paint = [&](std::uint32_t* pixels, int stride, int width, int height) {
    Heatmap map{maps.width, maps.height, {}};
    const auto first = maps.p.begin() + place.head * maps.width * maps.height;
    for (auto p = first; p != first + maps.width * maps.height; ++p)
      map.cells.push_back(std::isnan(*p) ? -std::numeric_limits<float>::infinity() : std::log(*p));
    const auto [least, most] = finite_range(map.cells);
    HeatmapStyle style{HeatmapStyle::Scale::logarithmic, automatic_low(least, most), most, ui.map};
    set_theme(style, context.look.theme);
    const HeatmapPart whole{0, 0, static_cast<double>(maps.width), static_cast<double>(maps.height)};
    paint_heatmap(HeatmapPyramid(std::move(map), Pooling::largest), whole, style, width, height, pixels, stride);
  };
  const std::string key = fmt::format("{}/{}/{}/{}", static_cast<const void*>(&maps), place.head,
                                      static_cast<int>(ui.map), context.look.theme.dark);
  painted_texture(context.models.attention(), 5, key, place.rect.width, place.rect.height, paint)
      .draw(ImGui::GetWindowDrawList(), place.rect.low, place.rect.high);
}

/// An edge of the map: sums over the other axis, the largest of each pixel's keys.
void draw_edge(const Context& context, const MeanPlace& place, bool across, float thickness) {
  const MeanMaps& maps = *place.maps;
  const std::int64_t cells = across ? maps.width : maps.height;
  const float* values = (across ? maps.edge1 : maps.edge2).data() + place.head * cells;
  const float most = *std::max_element(values, values + cells);
  if (!(most > 0)) return;
  const PixelRect& rect = place.rect;
  const float from = across ? rect.low.x : rect.low.y, to = across ? rect.high.x : rect.high.y;
  const int pixels = std::max(1, static_cast<int>(to - from));
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const std::int64_t first = cells * pixel / pixels, end = std::max(first + 1, cells * (pixel + 1) / pixels);
    const float length = *std::max_element(values + first, values + end) / most * thickness;
    const float at = from + static_cast<float>(pixel) + 0.5F, gap = context.look.px(2);
    const ImVec2 base = across ? ImVec2(at, rect.low.y - gap) : ImVec2(rect.high.x + gap, at);
    list->AddLine(base, across ? ImVec2(at, base.y - length) : ImVec2(base.x + length, at), context.look.theme.accent);
  }
}

/// The ends of both axes, and their names.
void name_axes(const Context& context, const MeanPlace& place) {
  const Look& look = context.look;
  const PixelRect& rect = place.rect;
  const NumberFont font(look, kSecondarySize);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight(), below = rect.high.y + look.px(2);
  const auto write = [&](const std::string& text, float x, float y, float align) {
    list->AddText(ImVec2(std::round(x - align * ImGui::CalcTextSize(text.c_str()).x), std::round(y)), look.theme.muted,
                  text.c_str());
  };
  write(fmt::format("{}", 1 - place.maps->width), rect.low.x, below, 0);
  write("j", (rect.low.x + rect.high.x) / 2, below, 0.5F);
  write("0", rect.high.x, below, 1);
  const float left = rect.low.x - look.px(4);
  write(fmt::format("{}", 1 - place.maps->height), left, rect.low.y, 1);
  write("k", left, (rect.low.y + rect.high.y - line) / 2, 1);
  write("0", left, rect.high.y - line, 1);
}

void point_at_mean(const Context& context, const MeanPlace& place) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  const PixelRect& rect = place.rect;
  const auto back = [](float at, float low, float high, std::int64_t cells) {
    const auto cell = static_cast<std::int64_t>((at - low) / (high - low) * static_cast<float>(cells));
    return cells - 1 - std::clamp<std::int64_t>(cell, 0, cells - 1);
  };
  value_beside(context,
               mean_cell_text(*place.maps, place.head, back(mouse.x, rect.low.x, rect.high.x, place.maps->width),
                              back(mouse.y, rect.low.y, rect.high.y, place.maps->height)));
}

void draw_picture(Context& context, const MeanMaps& maps, std::int64_t head) {
  const Look& look = context.look;
  const float names = look.px(30), strip = look.px(28), height = look.px(160);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(look.px(60), ImGui::GetContentRegionAvail().x - names - strip);
  MeanPlace place{{}, &maps, head};
  place.rect = pixel_rect(ImVec2(at.x + names, at.y + strip), ImVec2(at.x + names + width, at.y + strip + height));
  paint_mean(context, place);
  draw_edge(context, place, true, strip - look.px(4));
  draw_edge(context, place, false, strip - look.px(4));
  name_axes(context, place);
  ImGui::SetCursorScreenPos(place.rect.low);
  ImGui::InvisibleButton("##mean", ImVec2(width, height));
  point_at_mean(context, place);
  ImGui::SetCursorScreenPos(ImVec2(at.x, place.rect.high.y));
  ImGui::Dummy(ImVec2(1, look.px(20)));
}

/// Why there is nothing to show yet, or at all.
void draw_no_means(Context& context) {
  const AttentionData& data = context.data.attention;
  if (context.ui.attention.mask == Mask::full)
    return muted_text(context, "With a full mask pairs have no distances in common, and there is no mean.", true);
  const bool none = data.overview.answer && !data.means.pending && !wanted_means(context.ui.attention, data);
  if (none && !is_walking(context.ui.attention))
    return muted_text(context, "These windows and heads have too many pairs for a mean: choose smaller windows.", true);
  draw_survey_state(context, data.means.pending || !data.means.answer, data.means.problem);
}

}  // namespace

void draw_head_peaks(Context& context) {
  AttentionUi& ui = context.ui.attention;
  section(context, "Where heads look: largest mean p");
  const MeanMaps* maps = shown_means(ui, context.data.attention);
  if (!maps) return draw_no_means(context);
  constexpr std::size_t kMostRows = 8;  // without scrolling
  const std::vector<MeanPeak> peaks = largest_peaks(*maps);
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float height = context.look.px(30) + row * static_cast<float>(std::min(peaks.size(), kMostRows));
  if (!ImGui::BeginTable("peaks", 5, kPeakFlags | ImGuiTableFlags_ScrollY, ImVec2(0, height))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  begin_peak_columns(context, "head");
  for (const MeanPeak& peak : peaks) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(peak.head));
    if (ImGui::Selectable("##peak", peak.head == ui.head, ImGuiSelectableFlags_SpanAllColumns)) {
      ui.head = peak.head;
      ui.mean_of_queries = true;
      ui.search.open = false;
    }
    tooltip(context, fmt::format("Head {}, {}.\n{}. A click shows its mean.", peak.head,
                                 averaged_text(*maps, peak.head), mean_cell_text(peak)));
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    number_right(context, fmt::format("{}", peak.head));
    draw_peak_cells(context, peak);
  }
  ImGui::EndTable();
}

void draw_mean_map(Context& context) {
  const AttentionUi& ui = context.ui.attention;
  const MeanMaps* maps = shown_means(ui, context.data.attention);
  if (!maps) return draw_no_means(context);
  const std::int64_t head = std::clamp<std::int64_t>(ui.head, 0, maps->heads - 1);
  section(context, fmt::format("Head {}, {}", head, averaged_text(*maps, head)).c_str());
  muted_text(context,
             "p at each pair of distances from the query, the mean over the queries that see it. Colours follow log p.",
             true);
  draw_picture(context, *maps, head);
  section(context, "Peaks of the mean");
  if (!ImGui::BeginTable("mean_peaks", 4, kPeakFlags)) return;
  begin_peak_columns(context, nullptr);
  for (const MeanPeak& peak : maps->peaks[static_cast<std::size_t>(head)]) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(peak.back1 * maps->height + peak.back2));
    ImGui::Selectable("##mean_peak", false, ImGuiSelectableFlags_SpanAllColumns);
    tooltip(context, mean_cell_text(peak));
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    number_right(context, fmt::format("{}", -peak.back1));
    ImGui::TableNextColumn();
    number_right(context, fmt::format("{}", -peak.back2));
    ImGui::TableNextColumn();
    number_right(context, significant_text(peak.p, 2));
    ImGui::TableNextColumn();
    number_right(context, lift_text(peak), context.look.theme.muted);
  }
  ImGui::EndTable();
  muted_text(context,
             "Distances that less than an eighth of these queries see are left out, and pairs beside a larger peak. "
             "× even: times what even weights would give.",
             true);
}

}  // namespace triscope
