#include "views/charts/length_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "views/charts/length_plot.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kRow = 20, kHead = 28, kPadding = 6;  ///< design pixels: of rows, and of a cell on either side

/// What its title and its cells take.
std::vector<float> widths_of(const Context& context, const TextTable& text) {
  std::vector<float> widths;
  for (std::size_t column = 0; column < text.header.size(); ++column) {
    const SmallFont small(context.look);
    float width = ImGui::CalcTextSize(text.header[column].c_str()).x;
    const NumberFont numbers(context.look);
    for (const auto& row : text.rows) width = std::max(width, ImGui::CalcTextSize(row[column].c_str()).x);
    widths.push_back(std::ceil(width));
  }
  return widths;
}

float width_of(const Context& context, const std::vector<float>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 0.0F) +
         2 * context.look.px(kPadding) * static_cast<float>(widths.size());
}

void draw_cells(Context& context, const LengthTable& table, std::size_t n) {
  const Theme& theme = context.look.theme;
  const SameBudget* budget = table.budgets.empty() ? nullptr : table.budgets[n];
  const bool chosen = budget != nullptr && is_chosen(context, *budget);
  ImGui::TableNextRow(0, context.look.px(kRow));
  if (chosen) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, faded(theme.accent, 0.12F));
  const std::vector<std::string>& cells = table.text.rows[n];
  for (std::size_t column = 0; column < cells.size(); ++column) {
    ImGui::TableSetColumnIndex(static_cast<int>(column));
    if (column == 0) {
      const ImVec2 at = ImGui::GetCursorPos();
      const std::string id = budget != nullptr ? fmt::format("##at {}", budget->seq_len) : fmt::format("##row {}", n);
      for (const ImGuiCol colour : {ImGuiCol_Header, ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive})
        ImGui::PushStyleColor(colour, 0);
      if (ImGui::Selectable(id.c_str(), false, ImGuiSelectableFlags_SpanAllColumns,
                            ImVec2(0, context.look.px(kRow - 4))) &&
          budget != nullptr)
        choose_length(context, *budget);
      ImGui::PopStyleColor(3);
      if (!chosen) tooltip(context, table.said[n]);
      ImGui::SetCursorPos(at);
    }
    const ImU32 colour = budget == nullptr || budget->windows || chosen ? theme.text : theme.muted;
    if (table.text.numeric[column]) {
      number_right(context, cells[column], colour);
    } else {
      const NumberFont font(context.look);
      coloured_text(colour, unless_cut(cells[column]));
    }
  }
}

}  // namespace

float height_of(const Context& context, const LengthTable& table, float width) {
  const bool scrolls = width_of(context, widths_of(context, table.text)) > width;
  return context.look.px(kHead + kRow * static_cast<float>(table.text.rows.size())) +
         (scrolls ? ImGui::GetStyle().ScrollbarSize : 0);
}

void draw_length_table(Context& context, const LengthTable& table) {
  const std::vector<float> widths = widths_of(context, table.text);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(context.look.px(kPadding), context.look.px(2)));
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollX |
                                ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_NoSavedSettings;
  if (ImGui::BeginTable("answers", static_cast<int>(widths.size()), flags,
                        ImVec2(room.x, height_of(context, table, room.x)))) {
    for (std::size_t column = 0; column < widths.size(); ++column)
      ImGui::TableSetupColumn(table.text.header[column].c_str(), ImGuiTableColumnFlags_WidthFixed, widths[column]);
    header_row(context, table.text.numeric);
    for (std::size_t n = 0; n < table.text.rows.size(); ++n) draw_cells(context, table, n);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  // Whatever of the panel was clicked: a click moves the table, and the next one may miss it.
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows))
    context.ui.table_in_focus = write_table(table.text, TableFormat::tsv);
}

}  // namespace triscope
