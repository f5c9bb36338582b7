// The tokens of Match3 in the column of figures: which have two others that complete them, and what was answered.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "kernels/tensors/match3.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void draw_match3_row(Context& context, int i, const Match3Row& row) {
  AttentionUi& ui = context.ui.attention;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(i);
  if (ImGui::Selectable("##token", ui.query == i, ImGuiSelectableFlags_SpanAllColumns)) ui.query = i;
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  number_right(context, fmt::format("{}", i), context.look.theme.muted);
  ImGui::TableNextColumn();
  number_right(context, fmt::format("{}", row.number));
  ImGui::TableNextColumn();
  number_right(context, fmt::format("{}", row.matches));
  ImGui::TableNextColumn();
  number_right(context, format_fixed(row.output, 3));
  ImGui::TableNextColumn();
  coloured_text(row.right ? context.look.theme.text : context.look.theme.slower,
                fmt::format("{}{}", row.told ? "yes" : "no", row.right ? "" : ", wrong"));
}

/// The constant c of the construction; false: it is smaller than what suffices.
bool draw_match3_c(Context& context, const AttentionSource& source, const std::vector<Match3Row>& rows) {
  const auto n = static_cast<std::int64_t>(source.numbers.size());
  const double least = match3_least_c(n, source.modulus), used = source.c.value_or(match3_usual_c(n, source.modulus));
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  fact_line(context, "c", significant_text(used, 4));
  fact_line(context, "c that suffices", significant_text(least, 4));
  muted_text(context,
             "ln(3 n²) / (1 - cos(2π/M)): n² pairs that miss by one step then weigh at most a third of the blank pair. "
             "Output above 1/4 means a match; b matching pairs give b / (b + 1).",
             true);
  if (std::ranges::any_of(rows, [](const Match3Row& row) { return row.matches > 0; }))
    muted_text(context, "Red frames: matching pairs.");
  if (used >= least) return true;
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.unclear, "c is smaller than that: near misses may pass for a match.");
  ImGui::PopTextWrapPos();
  return false;
}

}  // namespace

void draw_match3_tokens(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const AttentionSideData& side = context.data.attention.sides[0];
  const std::vector<Match3Row>& rows = context.models.attention().match3(context.data.attention);
  const AttentionSource& source = *side.asked;
  const auto wrong = std::count_if(rows.begin(), rows.end(), [](const Match3Row& row) { return !row.right; });
  muted_text(context, fmt::format("x + x' + x'' = 0 mod {}?", source.modulus));
  if (!rows.empty()) {
    coloured_text(wrong ? context.look.theme.slower : context.look.theme.text,
                  wrong ? fmt::format("✗ {} of {} answers are wrong", wrong, rows.size())
                        : fmt::format("✓ all {} answers are right", rows.size()));
  }
  if (rows.empty()) {
    draw_survey_state(context, context.data.attention.overview.pending.has_value(),
                      context.data.attention.overview.problem);
  } else if (ImGui::BeginTable("tokens", 5,
                               ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH |
                                   ImGuiTableFlags_PadOuterX | ImGuiTableFlags_ScrollY,
                               ImVec2(0, context.look.px(300)))) {
    for (const char* name : {"i", "x", "pairs", "output", "match"}) ImGui::TableSetupColumn(name);
    ImGui::TableSetupScrollFreeze(0, 1);
    header_row(context, {true, true, true, true, false});
    ImGuiListClipper visible;
    visible.Begin(static_cast<int>(rows.size()));
    while (visible.Step()) {
      for (int i = visible.DisplayStart; i < visible.DisplayEnd; ++i)
        draw_match3_row(context, i, rows[static_cast<std::size_t>(i)]);
    }
    ImGui::EndTable();
  }
  const bool suffices = draw_match3_c(context, source, rows);
  Arithmetic& arithmetic = ui.sides[0].arithmetic;
  if (wrong > 0 && suffices && arithmetic == Arithmetic::bf16_kernel) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.unclear,
                  "That c suffices in exact arithmetic. In bf16 angles are rounded, and may miss.");
    ImGui::PopTextWrapPos();
  }
  ImGui::AlignTextToFramePadding();
  muted_text(context, "computed in");
  ImGui::SameLine();
  if (chip(context, "fp64", arithmetic == Arithmetic::exact)) arithmetic = Arithmetic::exact;
  ImGui::SameLine(0, context.look.px(4));
  if (chip(context, "bf16 kernel", arithmetic == Arithmetic::bf16_kernel)) arithmetic = Arithmetic::bf16_kernel;
  tooltip(context, "What a tensor-core kernel rounds: with a large modulus the angles no longer fit into 8 bits");
}

}  // namespace triscope
