// The printed numbers beside the same recomputed.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/paper/reproduction.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

std::string like(const PrintedValue& cell, double value) {
  if (cell.printed.ends_with('%')) return fmt::format("{:+.3f} %", 100 * value);
  if (cell.printed.ends_with('k')) return fmt::format("{:g}k", value / 1024);
  if (cell.printed.find('e') != std::string::npos) return fmt::format("{:.2e}", value);
  return fmt::format("{:.5f}", value);
}

void draw_row(const Context& context, const Recomputed& one) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  number_right(context, std::to_string(one.printed.table), theme.muted);
  ImGui::TableNextColumn();
  coloured_text(theme.text, row_name(one.printed));
  ImGui::TableNextColumn();
  coloured_text(theme.text, one.printed.column);
  ImGui::TableNextColumn();
  number_right(context, one.printed.printed);
  ImGui::TableNextColumn();
  number_right(context, like(one.printed, one.value));
  ImGui::TableNextColumn();
  coloured_text(one.reproduced() ? theme.faster : theme.slower, one.reproduced() ? "yes" : "no");
  ImGui::TableNextColumn();
  if (!one.reproduced()) number_right(context, like(one.printed, one.beyond_rounding), theme.slower);
}

}  // namespace

void draw_results_page(Context& context) {
  static const std::vector<Recomputed> all = recompute_tables();
  const auto count = std::ranges::count_if(all, [](const Recomputed& one) { return one.reproduced(); });
  muted_text(context,
             fmt::format("{} of {} printed numbers follow from the others within rounding, with 1, 2 and 3.5 billion "
                         "parameters. The last column says by how much the others miss beyond rounding.",
                         count, all.size()),
             true);
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable("results", 7, flags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* name : {"table", "row", "column", "printed", "recomputed", "reproduced", "beyond rounding"})
    ImGui::TableSetupColumn(name);
  header_row(context, {true, false, false, true, true, false, true});
  for (const Recomputed& one : all) draw_row(context, one);
  ImGui::EndTable();
}

}  // namespace triscope
