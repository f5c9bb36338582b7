// The paper's Table 1 beside what this machine does.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/paper/table1.hpp"
#include "views/data/format.hpp"
#include "views/paper/page_parts.hpp"
#include "views/paper/paper_pages.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

void draw_line(Context& context, const PaperModel& model, const PaperLine& line) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(0, context.look.px(24));
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(line.windows.window1 * 4096 + line.windows.window2));
  const bool pinned = line.measurement != 0 && context.ui.selection.pinned == line.measurement;
  if (pinned) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, theme.accent_soft);
  if (ImGui::Selectable("##line", pinned, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap) &&
      line.measurement) {
    context.request(ask::SelectMeasurement{line.measurement});
  }
  if (ImGui::IsItemHovered()) context.ui.selection.hovered_now = line.measurement;
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  {
    const NumberFont font(context.look);
    coloured_text(theme.text, format_windows(line.windows.window1, line.windows.window2));
  }
  ImGui::TableNextColumn();
  number_right(context, format_count(line.windows.window1 * line.windows.window2), theme.muted);
  ImGui::TableNextColumn();
  number_right(context, format_fixed(line.paper_ms, 1), theme.muted);
  for (const double rate : {line.implied.by_paper_count, line.implied.by_two_products}) {
    ImGui::TableNextColumn();
    number_right(context, format_fixed(rate, 0), theme.muted);
  }
  ImGui::TableNextColumn();
  number_right(context, line.recorded_ms ? format_fixed(*line.recorded_ms, 1) : "–", theme.muted);
  ImGui::TableNextColumn();
  if (!line.own_ms) {
    number_right(context, "–", theme.muted);
    ImGui::TableNextColumn();
    if (model.measured > 0) muted_text(context, line.missing);
    return;
  }
  number_right(context, format_fixed(*line.own_ms, line.decimals) + point_padding(line.decimals, model.decimals));
  ImGui::TableNextColumn();
  const float top = ImGui::GetCursorPosY();
  const float height = context.look.px(5), width = ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosY(top + context.look.px(3));
  const ImVec2 at = ImGui::GetCursorPos();
  bar(context, static_cast<float>(line.paper_ms / model.longest_paper_ms), ImVec2(width, height), theme.baseline);
  ImGui::SetCursorPos(ImVec2(at.x, at.y + height + context.look.px(2)));
  const auto own_share = static_cast<float>(*line.own_ms / model.longest_own_ms);
  if (line.known) {
    bar(context, own_share, ImVec2(width, height), theme.series[0]);
  } else {
    hollow_bar(context, own_share, ImVec2(width, height), theme.series[0]);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Too few samples: the interval of this time is unknown.");
  }
  ImGui::TableNextColumn();
  if (line.same_shape) {
    number_right(context, ratio_text(line) + "×");
  } else {
    number_right(context, ratio_text(line), theme.muted);
  }
  ImGui::TableNextColumn();
  coloured_text(theme.muted, line.kernel);
}

void draw_table(Context& context, const PaperModel& model) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  const float inner = std::max(ImGui::GetContentRegionAvail().x, context.look.px(900));  // narrower: it scrolls
  const float row = context.look.px(24), rows = 1.2F * static_cast<float>(model.lines.size() + 1) * row;
  const float height = std::min(rows, std::max(ImGui::GetContentRegionAvail().y, 4 * row));
  if (!ImGui::BeginTable("paper", 10, flags, ImVec2(0, height), inner)) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  const auto column = [&](const char* name, float width) {
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed, context.look.px(width));
  };
  column("window", 96);
  column("w1 × w2", 72);
  column("paper, ms", 80);
  column("TFLOP/s, its count", 116);
  column("two products", 84);
  column("H100, ms", 80);
  column("here, ms", 80);
  ImGui::TableSetupColumn("paper and here", ImGuiTableColumnFlags_WidthStretch);
  column("paper / here", 80);
  column("kernel", 84);
  header_row(context, {false, true, true, true, true, true, true, false, true, false});
  for (const PaperLine& line : model.lines) draw_line(context, model, line);
  ImGui::EndTable();
}

void draw_kernel_line(const Context& context, const PaperKernelLine& line) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  coloured_text(theme.text, to_string(line.pass));
  ImGui::TableNextColumn();
  coloured_text(theme.text, format_windows(line.windows.window1, line.windows.window2));
  ImGui::TableNextColumn();
  number_right(context, format_count(line.seq_len));
  ImGui::TableNextColumn();
  coloured_text(theme.muted, fmt::format("{}/{}", line.q_heads, line.kv_heads));
  for (const std::string& text : {line.paper_ms, line.ours_ms}) {
    ImGui::TableNextColumn();
    number_right(context, text.empty() ? "–" : text);
  }
  ImGui::TableNextColumn();
  number_right(context, line.ratio > 0 ? format_fixed(line.ratio, 1) + "×" : "–");
  ImGui::TableNextColumn();
  coloured_text(theme.muted, line.ours);
  ImGui::TableNextColumn();
  number_right(context, line.dot_ms.empty() ? "–" : line.dot_ms, theme.muted);
  ImGui::TableNextColumn();
  coloured_text(theme.muted, line.dot);
}

/// The paper's own kernels on this device, where they were measured through the Python package.
void draw_kernels(const Context& context, const std::vector<PaperKernelLine>& lines) {
  section(context, "The paper's kernels in Triton on this device, in turns with ours");
  if (lines.empty()) {
    muted_text(context, "Not measured here. docs/own-kernel.md, \"On a GPU\", says how: they take a minute.", true);
    return;
  }
  wide_table(context, "paper kernels",
             {"pass", "windows", "tokens", "heads", "Triton, ms", "ours, ms", "Triton / ours", "our kernel",
              "attention, ms", "of"},
             {false, false, true, false, true, true, true, false, true, false}, [&] {
               for (const PaperKernelLine& line : lines) draw_kernel_line(context, line);
             });
}

}  // namespace

void draw_paper_panel(Context& context) {
  choose_paper_page(context);
  const PaperPage page = shown_paper_page(context);
  if (page != PaperPage::table1) return draw_paper_page(context, page);
  if (!draw_data_state(context)) return;
  const PaperModel& model = *context.models.paper(context.data);
  const Theme& theme = context.look.theme;
  panel_heading(context, "Table 1 of the paper beside this sweep", "", button_width("Copy"));
  copy_button(context, Panel::paper);
  if (model.measured == 0) {
    muted_text(context, "This sweep holds none of the paper's windows (trilinear, forward, sustained).", true);
    if (!context.ui.printing) ImGui::SameLine();
    if (!context.ui.printing && ImGui::SmallButton("Put them into the sweep setup")) {
      apply_preset(context.ui.form, WindowPreset::table1);
      context.ui.form.trilinear = context.ui.form.forward = context.ui.form.sustained = true;
      context.request(ask::PreviewPlan{});
      context.request(ask::ShowPanel{Panel::setup});
    }
  } else {
    muted_text(context, model.conditions, true);
    if (!model.same_shape) {
      const SmallFont font(context.look);
      ImGui::PushTextWrapPos(0);
      coloured_text(theme.unclear,
                    "The paper's shape is 32,768 tokens, 64 query heads on 1, head size 128. Where this sweep has "
                    "another there is no ratio: it would compare different problems.");
      ImGui::PopTextWrapPos();
    }
  }
  muted_text(context,
             fmt::format(
                 "{} They make its times at most {:.0f} TFLOP/s by its own count, 6 n w1 w2, beside the 520 of its "
                 "text, and {:.0f} by two products for each triple. H100: the forward of our kernel recorded on {}.",
                 kPaperTimesCaveat, model.highest.by_paper_count, model.highest.by_two_products, model.recorded_device),
             true);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_table(context, model);
  draw_kernels(context, model.kernels);
}

}  // namespace triscope
