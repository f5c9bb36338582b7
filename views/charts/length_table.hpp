// What follows from the curves over lengths, one answer a row.
#pragma once

#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/model/charts/length_chart.hpp"
#include "views/parts/context.hpp"

namespace triscope {

struct LengthTable {
  TextTable text;
  std::vector<std::string> said;             ///< of each row in words, where the pointer rests on it
  std::vector<const SameBudget*> budgets{};  ///< of each row, whose length a click chooses; empty: nothing is chosen
};

float height_of(const Context& context, const LengthTable& table, float width);
/// Columns beyond the room are scrolled to. While it has the keyboard, Ctrl+C copies it.
void draw_length_table(Context& context, const LengthTable& table);

}  // namespace triscope
