// Fields and small figures that several of the pages have.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kFactColumn = 400, kFactGap = 32;  // design pixels

void fact_column(const Context& context, const char* name, float width, const std::function<void()>& draw) {
  const ImVec2 size(std::min(width, context.look.px(kFactColumn)), 0);
  if (ImGui::BeginChild(name, size, ImGuiChildFlags_AutoResizeY)) draw();
  ImGui::EndChild();
}

}  // namespace

void field_label(const Context& context, const char* text, const char* help) {
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.text, text);
  tooltip(context, help);
  ImGui::SameLine(left + context.look.px(104));
}

void pair_field(const Context& context, const char* first_id, int& first, const char* between, const char* second_id,
                int& second, const NumberBounds& bounds) {
  const float width = context.look.px(72);
  number_field(context, first_id, first, width, bounds);
  ImGui::SameLine(0, context.look.px(6));
  coloured_text(context.look.theme.muted, between);
  ImGui::SameLine(0, context.look.px(6));
  number_field(context, second_id, second, width, bounds);
}

void counting_line(const Context& context) {
  const std::string& problem = context.data.work.problem;
  muted_text(context, problem.empty() ? "Counting what the kernels compute for these windows ..." : problem, true);
}

void reading_line(const Context& context) { muted_text(context, "Reading the measurements ...", true); }

void wide_table(const Context& context, const char* name, std::initializer_list<const char*> columns,
                const std::vector<bool>& right, const std::function<void()>& rows) {
  const ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit |
                                ImGuiTableFlags_PadOuterX | ImGuiTableFlags_NoHostExtendX;
  const std::string child = std::string(name) + " table";
  if (ImGui::BeginChild(child.c_str(), ImVec2(0, 0), ImGuiChildFlags_AutoResizeY,
                        ImGuiWindowFlags_HorizontalScrollbar) &&
      ImGui::BeginTable(name, static_cast<int>(columns.size()), flags)) {
    for (const char* column : columns) ImGui::TableSetupColumn(column);
    header_row(context, right);
    rows();
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

void fact_columns(const Context& context, const std::function<void()>& left, const std::function<void()>& right) {
  const float room = ImGui::GetContentRegionAvail().x, gap = context.look.px(kFactGap);
  const bool beside = room > context.look.px(1.5F * kFactColumn) + gap;
  const float width = beside ? (room - gap) / 2 : room;
  fact_column(context, "left facts", width, left);
  if (beside) ImGui::SameLine(0, gap);
  fact_column(context, "right facts", width, right);
}

ModelSizes edited_sizes(Context& context) {
  ResultsUi& ui = context.ui.paper.results;
  field_label(context, "parameters", "Active parameters of the three models: the paper prints 1, 2 and 3.5 billion");
  for (std::size_t i = 0; i < ui.sizes.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    number_field(context, fmt::format("##size {}", i).c_str(), ui.sizes.at(i), context.look.px(72),
                 {.least = 0.01, .most = 1000});
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, "billion");
  ImGui::SameLine();
  if (ImGui::Button("Solve")) take_sizes(ui, solve_sizes().sizes);
  tooltip(context, "The sizes that bring all 32 printed values of the fits nearest to what is printed");
  ImGui::SameLine();
  if (ImGui::Button("As printed")) take_sizes(ui, kPrintedSizes);
  field_problems(context);
  return model_sizes(ui);
}

void wrapped_text(ImU32 colour, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  coloured_text(colour, text);
  ImGui::PopTextWrapPos();
}

}  // namespace triscope
