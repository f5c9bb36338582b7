#include "views/parts/number_field.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

struct FieldRules {
  NumberBounds bounds;
  const char* hint = "";      ///< shown while it is empty
  const char* unit = "";      ///< behind the number
  bool may_be_empty = false;  ///< which is no number
  bool when_left = true;      ///< else with each key
  const char* counts = "It stays";
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_None;
};

std::string shown_text(const std::optional<double>& number, const FieldRules& rules) {
  if (!number) return "";
  return (rules.bounds.whole ? fmt::format("{:.0f}", *number) : fmt::format("{:.6g}", *number)) + rules.unit;
}

/// What is wrong with `text`; empty: `number` is now what it says.
std::string take_text(std::string_view text, std::optional<double>& number, const FieldRules& rules) {
  if (rules.may_be_empty && text.find_first_not_of(' ') == std::string_view::npos) {
    number.reset();
    return {};
  }
  std::string_view digits = text;
  if (const std::string_view unit = rules.unit; !unit.empty()) {
    const std::string_view bare = unit.substr(unit.find_first_not_of(' '));
    if (digits.ends_with(bare)) digits.remove_suffix(bare.size());
  }
  if (const std::optional<double> read = read_number(digits, rules.bounds)) {
    number = read;
    return {};
  }
  std::string problem = number_problem(text, rules.bounds);
  if (rules.may_be_empty) problem += ", nor empty";
  const std::string kept =
      rules.bounds.whole && number ? format_count(std::llround(*number)) : shown_text(number, rules);
  return problem + fmt::format(". {} {}.", rules.counts, kept.empty() ? "empty" : kept);
}

/// True: `number` is another one than before.
bool draw_number(const Context& context, const char* id, std::optional<double>& number, float width,
                 const FieldRules& rules) {
  FieldTexts& fields = context.ui.fields;
  const ImGuiID key = ImGui::GetID(id);
  auto wrong = fields.wrong.find(key);
  const bool anew = (ImGui::GetCurrentWindow()->Flags & ImGuiWindowFlags_Popup) != 0 && ImGui::IsWindowAppearing();
  if (wrong != fields.wrong.end() && (anew || wrong->second.value != number)) {
    fields.wrong.erase(wrong);
    wrong = fields.wrong.end();
  }
  const bool bad = wrong != fields.wrong.end();
  std::string shown = bad ? wrong->second.text : shown_text(number, rules);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, bad ? std::max(1.0F, context.look.px(1)) : 0);
  ImGui::PushStyleColor(ImGuiCol_Border, context.look.theme.slower);
  bool edited = false;
  {
    const NumberFont font(context.look);
    ImGui::SetNextItemWidth(width);
    edited = ImGui::InputTextWithHint(id, rules.hint, &shown, rules.flags);
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  const std::optional<double> before = number;
  if (rules.when_left ? ImGui::IsItemDeactivatedAfterEdit() : edited) {
    fields.wrong.erase(key);
    if (std::string problem = take_text(shown, number, rules); !problem.empty())
      fields.wrong[key] = {shown, std::move(problem), number};
  }
  if (const auto now = fields.wrong.find(key); now != fields.wrong.end())
    fields.problems.push_back(now->second.problem);
  return number != before;
}

bool draw_whole(const Context& context, const char* id, std::int64_t& value, float width, const FieldRules& rules) {
  std::optional<double> number = static_cast<double>(value);
  const bool changed = draw_number(context, id, number, width, rules);
  if (changed) value = std::llround(*number);
  return changed;
}

}  // namespace

void number_field(const Context& context, const char* id, int& value, float width, const NumberBounds& bounds) {
  std::int64_t number = value;
  if (draw_whole(context, id, number, width, {.bounds = bounds, .when_left = false, .counts = "The page goes by"}))
    value = static_cast<int>(number);
}

void number_field(const Context& context, const char* id, float& value, float width, NumberBounds bounds) {
  bounds.whole = false;
  std::optional<double> number = static_cast<double>(value);
  if (draw_number(context, id, number, width, {.bounds = bounds, .when_left = false, .counts = "The page goes by"}))
    value = static_cast<float>(*number);
}

void number_field(const Context& context, const char* id, double& value, float width, NumberBounds bounds,
                  const char* unit) {
  bounds.whole = false;
  std::optional<double> number = value;
  if (draw_number(context, id, number, width, {.bounds = bounds, .unit = unit, .when_left = false})) value = *number;
}

bool typed_field(const Context& context, const char* id, std::int64_t& value, float width, const NumberBounds& bounds) {
  return draw_whole(context, id, value, width, {.bounds = bounds});
}

bool typed_field(const Context& context, const char* id, double& value, float width, NumberBounds bounds,
                 const char* unit) {
  bounds.whole = false;
  std::optional<double> number = value;
  const bool changed = draw_number(context, id, number, width, {.bounds = bounds, .unit = unit});
  if (changed) value = *number;
  return changed;
}

bool typed_field(const Context& context, const char* id, std::optional<double>& value, float width,
                 const NumberBounds& bounds, const char* hint, const char* unit) {
  return draw_number(context, id, value, width, {.bounds = bounds, .hint = hint, .unit = unit, .may_be_empty = true});
}

bool dragged_field(const Context& context, const char* id, std::int64_t& value, float width,
                   const NumberBounds& bounds) {
  unsigned& typed = context.ui.fields.typed;
  const ImGuiID key = ImGui::GetID(id);
  if (typed == key || is_wrong(context, id)) {
    if (typed == key && ImGui::GetActiveID() != key) ImGui::SetKeyboardFocusHere();
    const bool changed =
        draw_whole(context, id, value, width, {.bounds = bounds, .flags = ImGuiInputTextFlags_AutoSelectAll});
    if (ImGui::IsItemDeactivated()) typed = 0;
    return changed;
  }
  const std::int64_t before = value, least = std::llround(bounds.least), most = std::llround(bounds.most);
  {
    const NumberFont font(context.look);
    ImGui::SetNextItemWidth(width);
    ImGui::DragScalar(id, ImGuiDataType_S64, &value, 0.1F, &least, &most, nullptr,
                      ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput);
  }
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 1.0F);
  if (ImGui::IsItemDeactivated() && value == before && moved.x == 0 && moved.y == 0) typed = key;
  return value != before;
}

bool is_wrong(const Context& context, const char* id) { return context.ui.fields.wrong.contains(ImGui::GetID(id)); }

std::string wrong_words(const Context& context, const char* id) {
  const auto found = context.ui.fields.wrong.find(ImGui::GetID(id));
  return found == context.ui.fields.wrong.end() ? std::string() : found->second.problem;
}

void field_problems(const Context& context) {
  for (const std::string& problem : std::exchange(context.ui.fields.problems, {})) problem_line(context, problem);
}

void problem_line(const Context& context, const std::string& problem) {
  if (problem.empty()) return;
  const SmallFont font(context.look);
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.slower, sentence(problem));
  ImGui::PopTextWrapPos();
}

}  // namespace triscope
