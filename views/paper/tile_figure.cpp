#include "views/paper/tile_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Keys [x0, x1) of axis 1 with [y0, y1) of axis 2.
struct Area {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
};

Area common(const Area& a, const Area& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0), std::min(a.y1, b.y1)};
}

Area around(const Area& a, const Area& b) {
  return {std::min(a.x0, b.x0), std::max(a.x1, b.x1), std::min(a.y0, b.y0), std::max(a.y1, b.y1)};
}

Area window_of(const Problem& problem, std::int64_t query) {
  const auto first = [&](std::int64_t window) {
    return static_cast<double>(std::max<std::int64_t>(0, query - window + 1));
  };
  const auto end = static_cast<double>(query + 1);
  return {first(problem.window1), end, first(problem.window2), end};
}

/// Folds `index` .. `index` + `count` - 1 of a block; of a slanted one a single fold at a time.
Area area_of(const QueryTiles& tiles, const TileBlock& block, std::int64_t index, std::int64_t count) {
  const auto fold = static_cast<double>(block.fold + index), other = static_cast<double>(block.first_at(index));
  const Area area{fold, fold + static_cast<double>(count), other, other + static_cast<double>(block.keys)};
  return tiles.folds_axis1 ? area : Area{area.y0, area.y1, area.x0, area.x1};
}

class Figure {
 public:
  Figure(const Context& context, const TileUse& use, const Problem& problem, std::int64_t query, ImVec2 size)
      : context_(context), look_(context.look), tiles_(use.query_tiles), window_(window_of(problem, query)) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    low_ = ImVec2(at.x + look_.px(64), at.y + look_.px(8));
    high_ = ImVec2(at.x + size.x - look_.px(20), at.y + size.y - look_.px(52));
    Area all = window_;
    for (const TileBlock& block : tiles_.blocks) {
      all = around(all, area_of(tiles_, block, 0, block.slant == 0 ? block.folds : 1));
      all = around(all, area_of(tiles_, block, block.folds - 1, 1));
    }
    const double dx = 0.04 * (all.x1 - all.x0), dy = 0.06 * (all.y1 - all.y0);
    view_ = {all.x0 - dx, all.x1 + dx, all.y0 - dy, all.y1 + dy};
  }

  void draw(const Problem& problem, std::int64_t query) {
    list_->PushClipRect(low_, high_, true);
    list_->AddRectFilled(low_, high_, look_.theme.ground);
    for (const bool useful : {false, true}) {
      for (const TileBlock& block : tiles_.blocks) draw_block(block, useful);
    }
    for (const TileBlock& block : tiles_.blocks) draw_tile_lines(block);
    if (tiles_.first_query != tiles_.last_query) {
      for (const std::int64_t other : {tiles_.first_query, tiles_.last_query})
        outline(window_of(problem, other), look_.theme.muted, 1);
    }
    draw_start();
    outline(window_, look_.theme.text, 2);
    list_->PopClipRect();
    list_->AddRect(low_, high_, look_.theme.line);
    draw_axes(query);
    draw_hover(query);
  }

 private:
  ImVec2 at(double x, double y) const {
    const double width = view_.x1 - view_.x0, height = view_.y1 - view_.y0;
    return {low_.x + (high_.x - low_.x) * static_cast<float>((x - view_.x0) / width),
            high_.y - (high_.y - low_.y) * static_cast<float>((y - view_.y0) / height)};
  }
  void fill(const Area& area, ImU32 colour) {
    if (!area.empty()) list_->AddRectFilled(at(area.x0, area.y1), at(area.x1, area.y0), colour);
  }
  void outline(const Area& area, ImU32 colour, float width) {
    list_->AddRect(at(area.x0, area.y1), at(area.x1, area.y0), colour, 0, look_.px(width));
  }

  /// All that is computed, or what of it the query sees.
  void draw_block(const TileBlock& block, bool useful) {
    const std::int64_t at_once = block.slant == 0 ? block.folds : 1;
    for (std::int64_t n = 0; n < block.folds; n += at_once) {
      const Area area = area_of(tiles_, block, n, at_once);
      if (!useful) {
        fill(area, faded(look_.theme.unclear, 0.4F));
        continue;
      }
      fill(common(area, window_), look_.theme.ground);
      fill(common(area, window_), faded(look_.theme.series[0], 0.75F));
    }
  }

  /// The edges of tiles, and of folds where they are wide enough to be seen apart.
  void draw_tile_lines(const TileBlock& block) {
    const Area one = area_of(tiles_, block, 0, 1);
    const ImVec2 low = at(one.x0, one.y0), high = at(one.x1, one.y1);
    const float fold = tiles_.folds_axis1 ? high.x - low.x : low.y - high.y;
    const float tile = (tiles_.folds_axis1 ? low.y - high.y : high.x - low.x) * static_cast<float>(block.tile_keys) /
                       static_cast<float>(block.keys);
    const ImU32 colour = faded(look_.theme.text, 0.35F);
    const bool folds_apart = fold >= look_.px(5);
    const std::int64_t at_once = block.slant == 0 && !folds_apart ? block.folds : 1;
    if (tile < look_.px(5) || (block.slant != 0 && !folds_apart)) return;
    for (std::int64_t n = 0; n < block.folds; n += at_once) {
      for (std::int64_t key = 0; key < block.keys; key += block.tile_keys) {
        TileBlock part = block;
        part.first += key;
        part.keys = std::min(block.tile_keys, block.keys - key);
        outline(area_of(tiles_, part, n, at_once), colour, 1);
      }
    }
  }

  /// What lies before the sequence is hatched.
  void draw_start() {
    const ImVec2 origin = at(0, 0);
    if (origin.x > low_.x) hatch(list_, low_, ImVec2(origin.x, high_.y), look_.theme.missing, look_.px(8));
    if (origin.y < high_.y) hatch(list_, ImVec2(low_.x, origin.y), high_, look_.theme.missing, look_.px(8));
  }

  void number(double value, ImVec2 place, float align_x, float align_y) {
    const std::string text = format_count(static_cast<std::int64_t>(value));
    const NumberFont font(look_, kSecondarySize);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list_->AddText(ImVec2(std::round(place.x - align_x * size.x), std::round(place.y - align_y * size.y)),
                   look_.theme.muted, text.c_str());
  }

  void draw_axes(std::int64_t query) {
    const ImVec2 first = at(window_.x0, window_.y0), last = at(static_cast<double>(query) + 1, window_.y1);
    const float below = high_.y + look_.px(4), left = low_.x - look_.px(6);
    number(window_.x0, ImVec2(first.x, below), 0.5F, 0);
    number(static_cast<double>(query), ImVec2(last.x, below), 0.5F, 0);
    number(window_.y0, ImVec2(left, first.y), 1, 0.5F);
    number(static_cast<double>(query), ImVec2(left, last.y), 1, 0.5F);
    const SmallFont font(look_);
    const char* across = "keys of axis 1 (j)";
    const ImVec2 size = ImGui::CalcTextSize(across);
    list_->AddText(ImVec2((low_.x + high_.x - size.x) / 2, below + look_.px(20)), look_.theme.muted, across);
    list_->AddText(ImVec2(low_.x - look_.px(60), below + look_.px(20)), look_.theme.muted, "axis 2 (k) upwards");
  }

  bool is_computed(double x, double y) const {
    return std::ranges::any_of(tiles_.blocks, [&](const TileBlock& block) {
      const auto fold = static_cast<std::int64_t>(tiles_.folds_axis1 ? x : y), n = fold - block.fold;
      const auto key = static_cast<std::int64_t>(tiles_.folds_axis1 ? y : x);
      return n >= 0 && n < block.folds && key >= block.first_at(n) && key < block.first_at(n) + block.keys;
    });
  }

  void draw_hover(std::int64_t query) {
    ImGui::SetCursorScreenPos(low_);
    ImGui::InvisibleButton("tiles", ImVec2(high_.x - low_.x, high_.y - low_.y));
    if (!ImGui::IsItemHovered()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const double x = std::floor(view_.x0 + (view_.x1 - view_.x0) * (mouse.x - low_.x) / (high_.x - low_.x));
    const double y = std::floor(view_.y0 + (view_.y1 - view_.y0) * (high_.y - mouse.y) / (high_.y - low_.y));
    const bool seen = x >= window_.x0 && x < window_.x1 && y >= window_.y0 && y < window_.y1;
    const char* what = seen ? "useful" : is_computed(x, y) ? "computed and masked" : "not computed";
    value_tooltip(context_, fmt::format("query {}, j {:.0f}, k {:.0f}: {}", query, x, y, what));
  }

  const Context& context_;
  const Look& look_;
  const QueryTiles& tiles_;
  Area window_, view_;
  ImVec2 low_, high_;
  ImDrawList* list_ = ImGui::GetWindowDrawList();
};

}  // namespace

void draw_tile_figure(const Context& context, const TileUse& use, const Problem& problem, std::int64_t query,
                      ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Figure(context, use, problem, query, size).draw(problem, query);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

}  // namespace triscope
