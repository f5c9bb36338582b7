// The columns of the Compare table, as wide as its panel has room for them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/model/tables/compare_model.hpp"
#include "views/parts/context.hpp"

namespace triscope {

inline constexpr float kCompareCellPadding = 5;  ///< in design pixels, on each side of a cell

/// A column of the table: what stands in it, of which side.
struct CompareColumn {
  CompareField field = CompareField::window;
  std::size_t side = 0;
  std::string title;
  float width = 0;  ///< in design pixels
  float least = 0;  ///< where all of them have no room: it has shorter words then
  bool right = false;
  std::string brief = {};  ///< the title that has room in `least`; empty: `title` has
  ImGuiID id() const { return static_cast<ImGuiID>(side * 16 + static_cast<std::size_t>(field) + 1); }
};

/// What answers the question comes first, so that it needs no scrolling; what only places a row comes last. What is the
/// same in all rows, or known of none, has no column: the lines above the table say it. In a narrow panel columns have
/// shorter words and titles, none that are cut; what has no room then lies beyond the edge, to be scrolled to.
std::vector<CompareColumn> compare_columns(const Context& context, const CompareModel& model, bool with_unchanged);

/// What a header says when it is hovered; empty: nothing.
const char* header_words(CompareField field);

/// A doubt as it has room in `width` pixels, in whole words: what it is comes before which side it is of.
std::string fitting_doubts(const std::string& doubts, float width);

}  // namespace triscope
