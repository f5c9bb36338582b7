// The parts of the attention panel, one file each.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "views/parts/context.hpp"

namespace triscope {

/// attention_map.cpp: one or two heat maps with axes and marginals, in the room that is left; hovering, pinning,
/// zooming.
void draw_attention_maps(Context& context);
/// Paints `painted[slot]` anew when `key` changed; returns the texture. `paint(pixels, stride, width, height)`.
template <typename Paint>
PixelTexture& painted_texture(AttentionModel& model, int slot, std::string key, int width, int height, Paint paint) {
  PixelTexture& texture = model.textures[slot];
  key += "/" + std::to_string(width) + "x" + std::to_string(height);
  if (model.painted[slot] != key || texture.empty()) {
    std::uint32_t* pixels = texture.begin(width, height);
    paint(pixels, texture.stride(), width, height);
    texture.end();
    model.painted[slot] = std::move(key);
  }
  return texture;
}
/// A rectangle on whole pixels of the screen, and how many there are.
struct PixelRect {
  ImVec2 low, high;
  int width = 0, height = 0;
};
PixelRect pixel_rect(ImVec2 low, ImVec2 high);
/// attention_map.cpp: cells of a frame, and where those that are seen lie on the screen.
struct MapPlace {
  AttentionFrame frame;
  HeatmapPart part;  ///< that is seen
  PixelRect rect;    ///< where

  float x_of(double cell) const;
  float y_of(double cell) const;
  AttentionCell cell_at(ImVec2 mouse) const;
  /// `part` in cells of the frame's pyramid, which begins behind those that the mask hides.
  HeatmapPart seen_part(const HeatmapPyramid& pyramid) const;
};

/// attention_minimap.cpp: the whole map, small in a corner of the part of it that is seen.
struct Minimap : MapPlace {
  bool shown = false, held = false;  ///< the pointer is on it, or drags it: nothing behind it is meant
  PixelRect seen;                    ///< the part
};
/// Takes the mouse: a drag moves the part, a click beside it brings it there. Call it before the item of the large map:
/// what comes first is in front.
Minimap begin_minimap(Context& context, const MapPlace& large);
/// `slice`: what `pyramid` is made of.
void draw_minimap(Context& context, const Minimap& map, const HeatmapPyramid& pyramid, const HeatmapStyle& style,
                  const Slice* slice);
/// attention_tokens.cpp: tokens around the shown query from `at` on, to walk on.
void draw_token_strip(Context& context, ImVec2 at, float width);
float token_strip_height(const Look& look);
/// attention_grid.cpp: small maps, queries down and heads across, in the room that is left; a click opens one.
void draw_attention_grid(Context& context);
/// attention_map.cpp: what is seen of a map.
HeatmapPart shown_part(const AttentionUi& ui, const AttentionFrame& frame);
/// attention_map.cpp: zooms with the wheel and pans by dragging what the last item shows of `frame`.
void zoom_and_pan(AttentionUi& ui, const AttentionFrame& frame, const PixelRect& rect);

/// attention_readout.cpp: what a picture says below its map: what it is of, the pair that is kept, and what its colours
/// mean.
void draw_caption(Context& context, ImVec2 at, float width);
/// attention_readout.cpp: the room that it takes.
float caption_height(Context& context, float width);
/// attention_readout.cpp: what the colours of the map mean, in a line from `at` on.
void draw_map_colours(Context& context, ImVec2 at, float width);
/// attention_readout.cpp: what the framed pair keeps when the query changes, with its right edge at `right`; where that
/// has less than `room`, or no pair is framed, nothing. Returns the room that it takes.
float draw_framed_keeps(Context& context, float right, float y, float room);
/// attention_readout.cpp: the kept pair, the one under the pointer, or what the mouse does. Where only `one_line` has
/// room, the pair under the pointer comes before the kept one.
void draw_readout(Context& context, float width, bool one_line);

/// attention_left.cpp: what is looked at, the overview to navigate by, all heads.
void draw_attention_left(Context& context);
/// attention_survey.cpp: heads down, queries across; a click goes there.
void draw_overview(Context& context);
/// attention_heads.cpp: all heads with the means over their queries, in the order that the user chose.
void draw_heads(Context& context, const Overview& overview);
/// attention_wider.cpp: the button that averages at wider windows, what came of it, and the way back.
void draw_wider_windows(Context& context);
/// attention_means.cpp: where each head looks on average, from wherever it stands.
void draw_head_peaks(Context& context);
/// attention_means.cpp: the mean over queries of the shown head as a map by distance, in the column of figures.
void draw_mean_map(Context& context);
/// attention_mean_map.cpp: that map from `at` on, `size` with its edges, axes and colour scale.
void draw_mean_picture(Context& context, const MeanMaps& maps, std::int64_t head, ImVec2 at, ImVec2 size);
/// attention_means.cpp: why there is no mean to show yet, or at all.
void draw_no_means(Context& context);
/// attention_means.cpp: how far means are, with the button that stops them; once they were stopped, one that starts
/// again.
void draw_means_state(Context& context, const MeansSurvey& means);
/// attention_survey.cpp: all heads at one query.
void draw_sheet(Context& context);
/// attention_survey.cpp: why an overview, a sheet or a table made of them is not there; asks again on request.
void draw_survey_state(Context& context, bool pending, const std::string& problem);
/// attention_left.cpp: chips for the form of a side.
void draw_form_choice(Context& context, int side);
/// attention_right.cpp: strongest triples, figures, the dot-product row.
void draw_attention_right(Context& context);
/// attention_wrong.cpp: which pair explains a kernel's row that is wrong; a click frames it.
void draw_wrong_pairs(Context& context, const KernelRow& row);
/// attention_match3.cpp: the tokens of Match3 with their answers.
void draw_match3_tokens(Context& context);
/// attention_search.cpp: the strongest triples of all queries and heads, in the column of figures.
void draw_triple_search(Context& context);
/// attention_range.cpp: the colours of a range from `low` to `high` pixels; advances like an item.
void draw_range_colours(const Context& context, const HeatmapStyle& style, float low, float high);
/// attention_range.cpp: the same with p, or the difference, at either end, as a line of a picture.
void draw_range_scale(const Context& context, const HeatmapStyle& style, float low, float high);
/// A column of a table whose header says on hover what it is.
struct ExplainedColumn {
  const char* name = "";
  bool right = true;
  const char* meaning = "";
};
/// attention_right.cpp: the headers of a table's columns. In a table that can be sorted a click sorts by one.
void explained_headers(const Context& context, std::span<const ExplainedColumn> columns);
/// As the headers of the table that is drawn sort it, by `value(row, name of the column)`. Call after its headers.
template <typename Row, typename Value>
void sort_as_clicked(std::vector<Row>& rows, std::span<const ExplainedColumn> columns, Value value) {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  const std::string_view by = columns[static_cast<std::size_t>(specs->Specs->ColumnIndex)].name;
  const double sign = specs->Specs->SortDirection == ImGuiSortDirection_Descending ? -1 : 1;
  std::vector<std::pair<double, Row>> valued;
  for (Row& row : rows) {
    const double number = sign * value(row, by);
    valued.emplace_back(number, std::move(row));
  }
  std::ranges::stable_sort(valued, {}, [](const auto& one) { return one.first; });
  for (std::size_t n = 0; n < rows.size(); ++n) rows[n] = std::move(valued[n].second);
}
/// attention_range.cpp: histogram of log p with a handle at either end of the colours; a difference has none.
void draw_range(Context& context);
/// Stands for what would disturb the sweep that this window measures.
inline constexpr const char* kWhileMeasuring =
    "A sweep is running: this waits until it has ended. Slices that you ask for are computed, and disturb it.";
/// attention_dialog.cpp: chooses tensors; asks which is which when names differ.
void draw_attention_dialog(Context& context);

}  // namespace triscope
