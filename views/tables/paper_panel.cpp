// The paper's Table 1 beside what this machine does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiler/paper/paper_kernel.hpp"
#include "profiler/paper/table1.hpp"
#include "views/data/format.hpp"
#include "views/paper/page_parts.hpp"
#include "views/paper/paper_pages.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

/// Design pixels that the table needs for bars: without them every column of a small window stands whole.
constexpr float kBarsFrom = 980;
constexpr int kBeforeRates = 8;  ///< columns without the bars: what was measured here is never cut before them

/// The paper's time above, this device's below.
void draw_bars(const Context& context, const PaperModel& model, const PaperLine& line) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextColumn();
  const float top = ImGui::GetCursorPosY();
  const float height = context.look.px(5), width = ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosY(top + context.look.px(3));
  const ImVec2 at = ImGui::GetCursorPos();
  bar(context, static_cast<float>(line.paper_ms / model.longest_ms), ImVec2(width, height), theme.baseline);
  ImGui::SetCursorPos(ImVec2(at.x, at.y + height + context.look.px(2)));
  const auto own_share = static_cast<float>(*line.own_ms / model.longest_ms);
  if (line.known) {
    bar(context, own_share, ImVec2(width, height), theme.series[0]);
  } else {
    hollow_bar(context, own_share, ImVec2(width, height), theme.series[0]);
    tooltip(context, "Too few samples: the interval of this time is unknown.");
  }
}

/// What was measured here, beside the paper's.
void draw_own(Context& context, const PaperModel& model, const PaperLine& line, bool bars) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextColumn();
  if (!line.own_ms) {
    number_right(context, "–", theme.muted);
    if (model.measured > 0 && !bars) tooltip(context, sentence(line.missing));
    ImGui::TableNextColumn();
    ImGui::TableNextColumn();
    if (model.measured > 0 && bars) muted_text(context, line.missing);
    return;
  }
  number_right(context, format_fixed(*line.own_ms, line.decimals) + point_padding(line.decimals, model.decimals));
  ImGui::TableNextColumn();
  number_right(context, half_text(line), line.known ? theme.muted : theme.unclear);
  if (bars) draw_bars(context, model, line);
  ImGui::TableNextColumn();
  if (line.same_shape) {
    number_right(context, ratio_text(line) + "×");
  } else {
    number_right(context, ratio_text(line), theme.muted);
  }
  ImGui::TableNextColumn();
  coloured_text(theme.muted, line.kernel);
  ImGui::TableNextColumn();
  number_right(context, format_count(line.sweep), theme.muted);
}

void draw_line(Context& context, const PaperModel& model, const PaperLine& line, bool bars) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(0, context.look.px(24));
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(line.windows.window1 * 4096 + line.windows.window2));
  const bool pinned = line.measurement != 0 && context.ui.selection.pinned() == line.measurement;
  if (pinned) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, theme.accent_soft);
  if (ImGui::Selectable("##line", pinned, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap) &&
      line.measurement) {
    context.request(ask::SelectMeasurement{line.measurement, line.sweep});
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
  draw_own(context, model, line, bars);
  ImGui::TableSetColumnIndex(kBeforeRates - 1 + static_cast<int>(bars));
  for (const double rate : {line.implied.by_paper_count, line.implied.by_two_products}) {
    ImGui::TableNextColumn();
    number_right(context, format_fixed(rate, 0), theme.muted);
  }
  if (!model.recorded_device.empty()) {
    ImGui::TableNextColumn();
    number_right(context, line.recorded_ms ? format_fixed(*line.recorded_ms, 1) : "–", theme.muted);
  }
}

struct Table1Column {
  const char* name;
  float width;  ///< in design pixels; 0: what the others leave, for the bars
  bool right = true;
};
std::vector<Table1Column> table1_columns(bool bars, bool beside) {
  std::vector<Table1Column> columns{
      {"window", 84, false}, {"w1 × w2", 52}, {"paper, ms", 60}, {"here, ms", 64}, {"±%", 40}};
  if (bars) columns.push_back({"paper and here", 0, false});
  columns.insert(columns.end(), {{"paper / here", 74},
                                 {"kernel", 60, false},
                                 {"sweep", 40},
                                 {"TFLOP/s, its count", 110},
                                 {"by two products", 92}});
  if (beside) columns.push_back({"H100, ms", 58});
  return columns;
}

/// In pixels, with what Dear ImGui puts around a column.
float width_without_bars(const Look& look, bool beside) {
  float width = 0;
  for (const Table1Column& column : table1_columns(false, beside))
    width += look.px(column.width) + 2 * ImGui::GetStyle().CellPadding.x;
  return std::ceil(width + 1);
}

void draw_table(Context& context, const PaperModel& model) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  const bool beside = !model.recorded_device.empty();
  const float room = ImGui::GetContentRegionAvail().x, cell = 2 * ImGui::GetStyle().CellPadding.y;
  const float least = width_without_bars(context.look, beside);
  const float row = std::max(context.look.px(24), ImGui::GetTextLineHeight() + cell);
  // Whole: the page scrolls.
  const float height =
      row * static_cast<float>(model.lines.size()) + 1.2F * row + (room < least ? ImGui::GetStyle().ScrollbarSize : 0);
  // Bars side by side compare: where a shape is not the paper's there are none.
  const bool bars = model.same_shape && room > context.look.px(kBarsFrom);
  if (!ImGui::BeginTable("paper", 10 + beside + bars, flags, ImVec2(0, height), std::max(room, least))) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  std::vector<bool> right;
  for (const Table1Column& column : table1_columns(bars, beside)) {
    const bool fixed = column.width > 0;
    ImGui::TableSetupColumn(column.name, fixed ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                            context.look.px(column.width));
    right.push_back(column.right);
  }
  header_row(context, right);
  for (const PaperLine& line : model.lines) draw_line(context, model, line, bars);
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
  number_right(context, line.ratio.empty() ? "–" : line.ratio);
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
  muted_text(context, std::string(kPaperKernelCaveat) + kRatioOfMedians, true);
  wide_table(context, "paper kernels",
             {"pass", "windows", "tokens", "heads", "Triton, ms", "ours, ms", "Triton / ours", "our kernel",
              "attention, ms", "of"},
             {false, false, true, false, true, true, true, false, true, false}, [&] {
               for (const PaperKernelLine& line : lines) draw_kernel_line(context, line);
             });
}

/// The page of Table 1, which scrolls as the other pages do.
void draw_table1(Context& context) {
  const PaperModel* made = context.models.paper(context.data);
  if (!made) return empty_state(context, "Reading the measurements ...");
  const PaperModel& model = *made;
  const Theme& theme = context.look.theme;
  panel_heading(context, "Table 1 of the paper beside this device", "", button_width("Copy"));
  copy_button(context, Panel::paper);
  if (model.measured == 0) {
    muted_text(context, "No sweep on this device holds any of the paper's windows (trilinear, forward, sustained).",
               true);
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
      coloured_text(
          theme.unclear,
          "The paper's shape is 32,768 tokens, 64 query heads on 1, head size 128. Where another was measured "
          "there is no ratio: it would compare different problems.");
      ImGui::PopTextWrapPos();
    }
  }
  muted_text(context,
             fmt::format("{} {}{}", kPaperTimesCaveat, highest_rates_text(),
                         model.recorded_device.empty()
                             ? ""
                             : " H100: the forward of our kernel recorded on " + model.recorded_device + "."),
             true);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_table(context, model);
  draw_kernels(context, model.kernels);
}

}  // namespace

void draw_paper_panel(Context& context) {
  choose_paper_page(context);
  const PaperPage page = context.ui.paper.page;
  if (page != PaperPage::table1) return draw_paper_page(context, page);
  if (!draw_data_state(context)) return;
  if (context.ui.printing) return draw_table1(context);  // as high as it is
  if (ImGui::BeginChild("table 1", ImVec2(0, 0), ImGuiChildFlags_None)) draw_table1(context);
  ImGui::EndChild();
}

}  // namespace triscope
