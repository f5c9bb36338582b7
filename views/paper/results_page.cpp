// The printed losses, and every printed number that follows from others beside the same recomputed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/paper/laws/reproduction.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kLosses = 500;  // design pixels of the table of losses

void loss_row(const Context& context, const char* size, const char* name, const ResultsUi& ui, ImU32 colour,
              const std::function<std::string(const char*)>& text) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  coloured_text(theme.muted, size);
  ImGui::TableNextColumn();
  coloured_text(colour, name);
  for (const char* benchmark : kBenchmarks) {
    ImGui::TableNextColumn();
    const bool chosen = ui.benchmark.empty() || ui.benchmark == benchmark;
    number_right(context, text(benchmark), chosen ? colour : theme.muted);
  }
}

/// Table 2; its changes as they are printed, and from its losses.
void draw_losses(const Context& context, const ResultsUi& ui) {
  const Theme& theme = context.look.theme;
  section(context, "Table 2: negative log-likelihoods");
  wide_table(context, "losses",
             {"active (total)", "model", kBenchmarks[0], kBenchmarks[1], kBenchmarks[2], kBenchmarks[3]},
             {false, false, true, true, true, true}, [&] {
               for (int row = 1; row <= 9; row += 3) {
                 const std::string size = fmt::format("{} ({})", printed_value(2, row + 1, "active parameters").printed,
                                                      printed_value(2, row + 1, "total parameters").printed);
                 for (int model = row; model < row + 2; ++model) {
                   loss_row(context, model == row ? size.c_str() : "",
                            printed_value(2, model, "active parameters").label.c_str(), ui, theme.text,
                            [&](const char* benchmark) { return printed_value(2, model, benchmark).printed; });
                 }
                 const int change = row + 2;
                 loss_row(context, "", "change, printed", ui, theme.muted,
                          [&](const char* benchmark) { return printed_value(2, change, benchmark).printed; });
                 loss_row(context, "", "change, recomputed", ui, theme.text, [&](const char* benchmark) {
                   return recomputed_text(printed_value(2, change, benchmark), printed_change(change, benchmark));
                 });
               }
             });
}

void draw_row(const Context& context, const Recomputed& one) {
  const Theme& theme = context.look.theme;
  const auto text = [&](double value) { return recomputed_text(one.printed, value); };
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
  number_right(context, text(one.value));
  for (const double end : {one.low, one.high}) {
    ImGui::TableNextColumn();
    number_right(context, text(end), theme.muted);
  }
  ImGui::TableNextColumn();
  if (one.reproduced()) {
    number_right(context, "reproduced", theme.faster);
  } else {
    number_right(context, text(one.beyond_rounding), theme.slower);
  }
}

/// All values, those of one benchmark, and those that miss.
void choose_shown(const Context& context, ResultsUi& ui) {
  field_label(context, "shown", "Whose numbers are listed");
  if (chip(context, "all", ui.benchmark.empty())) ui.benchmark.clear();
  for (const char* benchmark : kBenchmarks) {
    ImGui::SameLine();
    if (chip(context, benchmark, ui.benchmark == benchmark)) ui.benchmark = benchmark;
  }
  ImGui::SameLine(0, context.look.px(16));
  if (chip(context, "only misses", ui.only_missed)) ui.only_missed = !ui.only_missed;
  tooltip(context, "Only numbers that miss by more than rounding allows");
}

void draw_recomputed(Context& context, const ModelSizes& sizes) {
  if (!sizes_grow(sizes)) return muted_text(context, "The sizes must grow from left to right.");
  const std::vector<Recomputed>& all = context.models.recomputed(sizes);
  const auto count = std::ranges::count_if(all, &Recomputed::reproduced);
  muted_text(context,
             fmt::format("{} of {} printed numbers follow from the others within rounding, with {:.4g}, {:.4g} and "
                         "{:.4g} billion parameters. Lowest and highest are what rounding allows; the last column says "
                         "by how much a number misses beyond that.",
                         count, all.size(), sizes[0] * 1e-9, sizes[1] * 1e-9, sizes[2] * 1e-9),
             true);
  muted_text(context, alpha_changes_text(sizes), true);
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  const ImVec2 size(0, std::max(ImGui::GetContentRegionAvail().y, context.look.px(240)));
  if (!ImGui::BeginTable("recomputed", 8, flags, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* name : {"table", "row", "column", "printed", "recomputed", "lowest", "highest", "beyond rounding"})
    ImGui::TableSetupColumn(name);
  header_row(context, {true, false, false, true, true, true, true, true});
  for (const Recomputed& one : shown_results(context.ui.paper.results, all)) draw_row(context, one);
  ImGui::EndTable();
}

}  // namespace

void draw_results_page(Context& context) {
  if (!ImGui::BeginChild("results", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  ResultsUi& ui = context.ui.paper.results;
  panel_heading(context, "The printed numbers, recomputed", "", button_width("Copy"));
  copy_button(context, Panel::paper);
  const ModelSizes sizes = edited_sizes(context);
  choose_shown(context, ui);
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(kLosses);
  const bool beside = width > 2.2F * left;
  const ImGuiChildFlags high = beside ? ImGuiChildFlags_None : ImGuiChildFlags_AutoResizeY;
  if (ImGui::BeginChild("printed losses", ImVec2(beside ? left : width, 0), high)) draw_losses(context, ui);
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(24));
  if (ImGui::BeginChild("recomputed numbers", ImVec2(0, 0), high)) draw_recomputed(context, sizes);
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
