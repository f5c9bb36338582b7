// Small maps, queries down and heads across, with one range of colours and one zoom for all.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_zoom.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/grid_plan.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kNames = 56, kHeads = 20, kFooter = 56;  ///< design pixels: left of, above and below the maps

/// How the maps lie, in pixels.
struct GridLayout {
  ImVec2 low;  ///< of the first map
  float gap = 0, width = 0, height = 0;
  std::size_t rows = 0, columns = 0;

  ImVec2 at(std::size_t row, std::size_t column) const {
    return ImVec2(low.x + static_cast<float>(column) * (width + gap), low.y + static_cast<float>(row) * (height + gap));
  }
  ImVec2 high() const { return ImVec2(at(rows, columns).x - gap, at(rows, columns).y - gap); }
};

GridLayout layout_of(const Look& look, const AttentionGridRequest& request, ImVec2 origin, ImVec2 room) {
  GridLayout layout;
  layout.rows = request.queries.size();
  layout.columns = request.heads.size();
  layout.gap = look.px(4);
  layout.low = ImVec2(origin.x + look.px(kNames), origin.y + look.px(kHeads));
  const auto share = [&](float all, std::size_t count) {
    const auto parts = static_cast<float>(count);
    return std::max(look.px(12), std::floor((all - layout.gap * (parts - 1)) / parts));
  };
  layout.width = share(room.x - look.px(kNames + 12), layout.columns);
  layout.height = share(room.y - look.px(kHeads + kFooter), layout.rows);
  return layout;
}

/// One map of the grid.
struct Tile : MapPlace {
  std::int64_t query = 0, head = 0;
  const Slice* slice = nullptr;  ///< null while it is computed
};

std::vector<Tile> tiles_of(const Context& context, const AttentionGridRequest& request, const GridLayout& layout) {
  const AttentionGridData& data = context.data.attention.grid;
  const bool current = data.of == request;
  std::vector<Tile> tiles;
  for (std::size_t row = 0; row < layout.rows; ++row) {
    for (std::size_t column = 0; column < layout.columns; ++column) {
      const ImVec2 at = layout.at(row, column);
      Tile& tile = tiles.emplace_back();
      tile.query = request.queries[row];
      tile.head = request.heads[column];
      tile.rect = pixel_rect(at, ImVec2(at.x + layout.width, at.y + layout.height));
      SliceRequest slice{request.source, request.query, 1};
      slice.query.query = tile.query;
      tile.frame = frame_of(slice, *context.data.attention.sides[0].source);
      const auto found = data.cells.find({tile.query, tile.head});
      if (current && found != data.cells.end()) tile.slice = found->second.get();
    }
  }
  return tiles;
}

void paint_tiles(Context& context, const std::vector<Tile>& tiles, const GridLayout& layout) {
  AttentionUi& ui = context.ui.attention;
  AttentionModel& model = context.models.attention();
  HeatmapStyle style = model.style(ui, context.data.attention, 0);
  set_theme(style, context.look.theme);
  const PixelRect rect = pixel_rect(layout.low, layout.high());
  const HeatmapPart& part = tiles.front().part;  // all frames are of one size
  std::string key =
      fmt::format("{},{},{},{}/{},{},{}/{}/{}", part.left, part.top, part.right, part.bottom, style.low, style.high,
                  static_cast<int>(style.scale), static_cast<int>(style.map), context.look.theme.dark);
  for (const Tile& tile : tiles) key += fmt::format("/{},{}", static_cast<const void*>(tile.slice), ui.mean_pooling);
  const float scale = static_cast<float>(rect.width) / (rect.high.x - rect.low.x);
  const auto paint = [&](std::uint32_t* pixels, int stride, int width, int height) {
    for (int y = 0; y < height; ++y) std::fill_n(pixels + static_cast<std::ptrdiff_t>(y) * stride, width, 0U);
    for (const Tile& tile : tiles) {
      const HeatmapPyramid* pyramid = model.grid.pyramid(tile.query, tile.head);
      if (!tile.slice || !pyramid) continue;
      const int x = static_cast<int>(std::lround((tile.rect.low.x - rect.low.x) * scale)),
                y = static_cast<int>(std::lround((tile.rect.low.y - rect.low.y) * scale));
      paint_heatmap(*pyramid, tile.seen_part(*pyramid), style, std::min(tile.rect.width, width - x),
                    std::min(tile.rect.height, height - y), pixels + static_cast<std::ptrdiff_t>(y) * stride + x,
                    stride);
    }
  };
  painted_texture(model, 4, std::move(key), rect.width, rect.height, paint)
      .draw(ImGui::GetWindowDrawList(), rect.low, rect.high);
}

/// A cell of every map: as far from its query on both axes.
struct SharedCell {
  std::int64_t x = 0, y = 0;
};

SharedCell cell_under(const Tile& tile, ImVec2 mouse) {
  const AttentionCell cell = tile.cell_at(mouse);
  return {cell.j - tile.frame.first1, cell.k - tile.frame.first2};
}

std::string cell_text(const Context& context, const Tile& tile, const SharedCell& cell) {
  const SourceReply& source = *context.data.attention.sides[0].source;
  std::string text = fmt::format("head {}, query {}", tile.head, token_text(source, tile.query));
  if (!tile.slice) return text + "\nComputing ...";
  const AttentionCell at{tile.frame.first1 + cell.x, tile.frame.first2 + cell.y};
  if (!exists(at)) return text + "\n" + missing_pair_text(at, tile.query);
  SliceRequest request = context.data.attention.sides[0].slice_of;
  request.query.query = tile.query;
  text += "\n" + keys_text(request, source, at) + ": ";
  const std::optional<double> log_p = log_p_at(*tile.slice, at);
  if (!log_p) return text + "masked";
  if (!std::isfinite(*log_p)) return text + "no finite logit";
  return text + fmt::format("p = {}, logit {}\nlargest p of this map: {}", significant_text(std::exp(*log_p), 4),
                            significant_text(*log_p + tile.slice->lse, 5), significant_text(tile.slice->largest_p, 4));
}

/// Zoom and pan, after which the tiles know what is seen of them, and a click that opens a map; returns the cell under
/// the pointer.
std::optional<SharedCell> handle_tiles(Context& context, std::vector<Tile>& tiles) {
  AttentionUi& ui = context.ui.attention;
  std::optional<SharedCell> hovered;
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    Tile& tile = tiles[n];
    ImGui::PushID(static_cast<int>(n));
    ImGui::SetCursorScreenPos(tile.rect.low);
    ImGui::InvisibleButton("##map", ImVec2(tile.rect.high.x - tile.rect.low.x, tile.rect.high.y - tile.rect.low.y));
    ImGui::PopID();
    zoom_and_pan(ui, tile.frame, tile.rect);
    tile.part = shown_part(ui, tile.frame);
    if (!ImGui::IsItemHovered()) continue;
    hovered = cell_under(tile, ImGui::GetMousePos());
    value_tooltip(context, cell_text(context, tile, *hovered));
    const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
    if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left) || dragged.x != 0 || dragged.y != 0) continue;
    ui.query = tile.query;
    ui.head = tile.head;
    ui.show = AttentionShow::one;
  }
  for (Tile& tile : tiles) tile.part = shown_part(ui, tile.frame);  // of all: one of them may have been zoomed
  return hovered;
}

/// The cell under the pointer in every map, and a frame around the map that is shown alone.
void mark_tiles(const Context& context, const std::vector<Tile>& tiles, const std::optional<SharedCell>& hovered) {
  const AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const Tile& tile : tiles) {
    const PixelRect& rect = tile.rect;
    if (!tile.slice) list->AddRect(rect.low, rect.high, look.theme.line);
    if (tile.query == ui.query && tile.head == ui.head)
      list->AddRect(ImVec2(rect.low.x - look.px(2), rect.low.y - look.px(2)),
                    ImVec2(rect.high.x + look.px(2), rect.high.y + look.px(2)), look.theme.accent, 0, look.px(2));
    if (!hovered) continue;
    const auto x = [&](std::int64_t cell) { return tile.x_of(static_cast<double>(cell)); };
    const auto y = [&](std::int64_t cell) { return tile.y_of(static_cast<double>(cell)); };
    const float least = look.px(5), grow_x = std::max(0.0F, (least - (x(1) - x(0))) / 2),
                grow_y = std::max(0.0F, (least - (y(1) - y(0))) / 2);
    list->PushClipRect(rect.low, rect.high, true);
    const ImVec2 low(x(hovered->x) - grow_x, y(hovered->y) - grow_y),
        high(x(hovered->x + 1) + grow_x, y(hovered->y + 1) + grow_y);
    list->AddRect(ImVec2(low.x - 1, low.y - 1), ImVec2(high.x + 1, high.y + 1), look.theme.ground, 0, look.px(3));
    list->AddRect(low, high, readable_on(look.theme.ground), 0, look.px(1));
    list->PopClipRect();
  }
}

void draw_names(const Context& context, const AttentionGridRequest& request, const GridLayout& layout) {
  const Look& look = context.look;
  const NumberFont font(look, kSecondarySize);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool narrow = layout.width < ImGui::CalcTextSize("head 00").x;
  for (std::size_t column = 0; column < layout.columns; ++column) {
    const std::string name = fmt::format("{}{}", narrow ? "" : "head ", request.heads[column]);
    const ImVec2 at = layout.at(0, column);
    const float middle = at.x + (layout.width - ImGui::CalcTextSize(name.c_str()).x) / 2;
    list->AddText(ImVec2(std::round(middle), at.y - look.px(18)), look.theme.muted, name.c_str());
  }
  for (std::size_t row = 0; row < layout.rows; ++row) {
    const std::string name = format_count(request.queries[row]);
    const ImVec2 at = layout.at(row, 0), size = ImGui::CalcTextSize(name.c_str());
    list->AddText(ImVec2(std::round(at.x - look.px(8) - size.x), std::round(at.y + (layout.height - size.y) / 2)),
                  look.theme.muted, name.c_str());
  }
  const SmallFont small(look);
  list->AddText(ImVec2(layout.low.x - look.px(8) - ImGui::CalcTextSize("query").x, layout.low.y - look.px(18)),
                look.theme.muted, "query");
}

/// What the colours and the axes of all maps are.
void draw_footer(Context& context, const Tile& tile, const GridLayout& layout) {
  const AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  HeatmapStyle style = context.models.attention().style(ui, context.data.attention, 0);
  ImGui::SetCursorScreenPos(ImVec2(layout.low.x, layout.high().y + look.px(10)));
  const float meaning = look.px(150), wide = layout.high().x - layout.low.x - meaning;  // it stands behind the colours
  draw_range_scale(context, style, layout.low.x, layout.low.x + std::clamp(wide, look.px(80), look.px(200)));
  const HeatmapPart& part = tile.part;
  const bool relative = tile.frame.first1 + tile.frame.width == tile.query + 1;
  const auto range = [&](double low, double high, std::int64_t first) {
    const auto text = [&](double cell) {
      const std::int64_t position = first + static_cast<std::int64_t>(cell);
      return relative ? fmt::format("{}", position - tile.query) : format_count(position);
    };
    return fmt::format("{} to {}", text(std::floor(low)), text(std::ceil(high) - 1));
  };
  ImGui::SetCursorScreenPos(ImVec2(layout.low.x, layout.high().y + look.px(30)));
  std::string text = fmt::format("j across {}{}{}.", range(part.left, part.right, tile.frame.first1),
                                 has_one_key(context.data.attention.sides[0].slice_of.query.problem)
                                     ? ""
                                     : ", k down " + range(part.top, part.bottom, tile.frame.first2),
                                 relative ? ", tokens from the query" : "");
  const float room = ImGui::GetContentRegionAvail().x;
  for (const char* hint :
       {" Wheel zooms all, drag pans, F shows all; a click opens one.", " Wheel zooms, a click opens one."}) {
    const SmallFont font(look);
    if (context.ui.printing || ImGui::CalcTextSize((text + hint).c_str()).x > room) continue;
    text += hint;
    break;
  }
  muted_text(context, text);
}

/// Boxes for the rows and columns; empty ones show what is chosen.
void draw_grid_choice(Context& context, const Problem& problem) {
  AttentionUi& ui = context.ui.attention;
  AttentionUi usual = ui;
  usual.grid = {};
  const GridChoice chosen = grid_choice(usual, context.data.attention, problem);
  const auto box = [&](const char* label, const char* id, std::string& text, const std::vector<std::int64_t>& hint,
                       float width) {
    ImGui::AlignTextToFramePadding();
    muted_text(context, label);
    ImGui::SameLine();
    const NumberFont font(context.look);
    ImGui::SetNextItemWidth(context.look.px(width));
    ImGui::InputTextWithHint(id, fmt::format("{}", fmt::join(hint, ", ")).c_str(), &text,
                             ImGuiInputTextFlags_EscapeClearsAll);
  };
  constexpr const char* kHelp = "As 0-7, 12 or 100-900/200, the last in steps of 200; empty: as it shows";
  box("queries down", "##grid_queries", ui.grid.queries, chosen.queries, 210);
  tooltip(context, kHelp);
  constexpr const char* kAcross = "heads across";
  constexpr float kWidth = 190;
  ImGui::SameLine(0, context.look.px(12));
  if (ImGui::GetContentRegionAvail().x < ImGui::CalcTextSize(kAcross).x + context.look.px(kWidth + 8)) ImGui::NewLine();
  box(kAcross, "##grid_heads", ui.grid.heads, chosen.heads, kWidth);
  tooltip(context, kHelp);
}

}  // namespace

void draw_attention_grid(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const std::optional<SliceRequest> slice = wanted_slice(ui, data, 0);
  if (!slice) return muted_text(context, "Opening ...");
  draw_grid_choice(context, slice->query.problem);
  const GridPlan plan = planned_grid(ui, data);
  if (!plan.request) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(plan.problem));
    ImGui::PopTextWrapPos();
  }
  // While what is typed is no grid, the one before stays.
  const std::optional<AttentionGridRequest>& shown = plan.request ? plan.request : data.grid.of;
  if (!shown || shown->source != slice->source) return;
  if (!data.grid.problem.empty() || context.data.run.running)
    draw_survey_state(context, data.grid.pending, data.grid.problem);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  context.ui.chart_areas[Panel::attention] = {origin.x, origin.y, room.x, room.y};
  const GridLayout layout = layout_of(context.look, *shown, origin, room);
  std::vector<Tile> tiles = tiles_of(context, *shown, layout);
  context.models.attention().grid.update(data.grid, ui.mean_pooling);
  const std::optional<SharedCell> hovered = handle_tiles(context, tiles);
  paint_tiles(context, tiles, layout);
  mark_tiles(context, tiles, hovered);
  draw_names(context, *shown, layout);
  draw_footer(context, tiles.front(), layout);
}

}  // namespace triscope
