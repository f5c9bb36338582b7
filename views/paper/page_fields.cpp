// Fields and small figures that several of the pages have.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

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

/// `shown` is the text of `number` where the user has typed nothing else.
void typed_number(const Context& context, const char* id, std::string shown, double& number, float width,
                  const NumberBounds& bounds) {
  FieldTexts& fields = context.ui.paper.fields;
  const ImGuiID key = ImGui::GetID(id);
  auto wrong = fields.wrong.find(key);
  if (wrong != fields.wrong.end() && wrong->second.value != number) {
    fields.wrong.erase(wrong);
    wrong = fields.wrong.end();
  }
  const bool bad = wrong != fields.wrong.end();
  if (bad) shown = wrong->second.text;
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, bad ? std::max(1.0F, context.look.px(1)) : 0);
  ImGui::PushStyleColor(ImGuiCol_Border, context.look.theme.slower);
  bool edited = false;
  {
    const NumberFont font(context.look);
    ImGui::SetNextItemWidth(width);
    edited = ImGui::InputText(id, &shown);
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (edited) {
    const std::optional<double> read = read_number(shown, bounds);
    number = read.value_or(number);
    fields.wrong.erase(key);
    if (!read) fields.wrong[key] = {shown, number_problem(shown, bounds, number), number};
  }
  if (const auto now = fields.wrong.find(key); now != fields.wrong.end())
    fields.problems.push_back(now->second.problem);
}

}  // namespace

void number_field(const Context& context, const char* id, int& value, float width, const NumberBounds& bounds) {
  double number = value;
  typed_number(context, id, std::to_string(value), number, width, bounds);
  value = static_cast<int>(number);
}

void number_field(const Context& context, const char* id, float& value, float width, NumberBounds bounds) {
  bounds.whole = false;
  const auto before = static_cast<double>(value);
  double number = before;
  typed_number(context, id, fmt::format("{:.6g}", value), number, width, bounds);
  if (number != before) value = static_cast<float>(number);
}

void field_problems(const Context& context) {
  for (const std::string& problem : std::exchange(context.ui.paper.fields.problems, {})) problem_line(context, problem);
}

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

void problem_line(const Context& context, const std::string& problem) {
  if (problem.empty()) return;
  const SmallFont font(context.look);
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.slower, sentence(problem));
  ImGui::PopTextWrapPos();
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
