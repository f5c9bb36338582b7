// An algorithm on a small problem: its lines, the step that stands, what it works on, registers and memory.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "views/model/paper/named_part.hpp"
#include "views/paper/page_parts.hpp"
#include "views/paper/step_grid.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kStepsLeft = 420;  // design pixels of the lines and the plane

void size_slider(const Context& context, const char* name, std::int64_t& value, int least, int most) {
  int kept = static_cast<int>(value);
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, name);
  ImGui::SameLine(0, context.look.px(6));
  ImGui::SetNextItemWidth(context.look.px(84));
  ImGui::SliderInt(fmt::format("##{}", name).c_str(), &kept, least, most, "", ImGuiSliderFlags_NoInput);
  value = kept;
  ImGui::SameLine(0, context.look.px(6));
  const NumberFont font(context.look);
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.text, fmt::format("{:<2}", kept));
}

void draw_choice(Context& context, StepsUi& ui) {
  const StepSizes before = ui.sizes;
  const Algorithm algorithm = ui.algorithm;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (int i = 0; i < kAlgorithms; ++i) {
    const char* name = algorithm_name(static_cast<Algorithm>(i));
    if (i > 0) ImGui::SameLine();
    if (i > 0 && ImGui::GetCursorScreenPos().x + button_width(name) > right) ImGui::NewLine();
    if (chip(context, name, ui.algorithm == static_cast<Algorithm>(i))) ui.algorithm = static_cast<Algorithm>(i);
    tooltip(context, algorithm_note(static_cast<Algorithm>(i)));
  }
  size_slider(context, "n", ui.sizes.n, 2, 16);
  ImGui::SameLine(0, context.look.px(12));
  size_slider(context, "w1", ui.sizes.window1, 1, 16);
  ImGui::SameLine(0, context.look.px(12));
  size_slider(context, "w2", ui.sizes.window2, 1, 16);
  ImGui::SameLine(0, context.look.px(12));
  size_slider(context, "d", ui.sizes.dim, 1, 8);
  ui.sizes = clamped(ui.sizes);
  if (!(ui.sizes == before) || ui.algorithm != algorithm) ui.step = 0, ui.playing = false;
}

/// Goes on by itself until the last step, or until the user takes one.
void draw_play(const Context& context, StepsUi& ui, std::int64_t count, bool keys) {
  const double now = ImGui::GetTime();
  if (chip(context, "Play", ui.playing) || (keys && ImGui::IsKeyChordPressed(ImGuiKey_P))) toggle_play(ui, count, now);
  tooltip(context, "Goes on by itself, or stops (P)");
  ImGui::SameLine(0, context.look.px(4));
  ImGui::SetNextItemWidth(context.look.px(84));
  ImGui::SliderInt("##speed", &ui.speed, 1, 20, "", ImGuiSliderFlags_NoInput);
  tooltip(context, "How many steps it takes in a second");
  ImGui::SameLine(0, context.look.px(6));
  {
    const NumberFont font(context.look);
    ImGui::AlignTextToFramePadding();
    coloured_text(context.look.theme.text, fmt::format("{:>2}", ui.speed));
  }
  ImGui::SameLine(0, context.look.px(6));
  coloured_text(context.look.theme.muted, "a second");
  ImGui::SameLine(0, context.look.px(12));
  play_on(ui, count, now);
}

/// Slider, single steps and programs; the arrow keys do the same.
void draw_controls(const Context& context, StepsUi& ui, const AlgorithmSteps& run) {
  const auto last = static_cast<std::int64_t>(run.steps.size()) - 1;
  const bool keys = !ImGui::IsAnyItemActive() && !ImGui::GetIO().WantTextInput &&
                    !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  const bool left = keys && ImGui::IsKeyPressed(ImGuiKey_LeftArrow);
  const bool right = keys && ImGui::IsKeyPressed(ImGuiKey_RightArrow), by_program = ImGui::GetIO().KeyShift;
  draw_play(context, ui, last + 1, keys);
  const std::int64_t before = ui.step;
  if (ImGui::Button("|<") || (left && by_program)) ui.step = next_program(run, ui.step, false);
  tooltip(context, "The program before (Shift + left)");
  ImGui::SameLine(0, context.look.px(4));
  if (ImGui::Button("<") || (left && !by_program)) --ui.step;
  tooltip(context, "A step back (left)");
  ImGui::SameLine(0, context.look.px(4));
  if (ImGui::Button(">") || (right && !by_program)) ++ui.step;
  tooltip(context, "The next step (right)");
  ImGui::SameLine(0, context.look.px(4));
  if (ImGui::Button(">|") || (right && by_program)) ui.step = next_program(run, ui.step, true);
  tooltip(context, "The next program (Shift + right)");
  ImGui::SameLine(0, context.look.px(8));
  ui.step = std::clamp<std::int64_t>(ui.step, 0, last);
  int step = static_cast<int>(ui.step) + 1;
  ImGui::SetNextItemWidth(-1);
  ImGui::SliderInt("##step", &step, 1, static_cast<int>(last) + 1,
                   fmt::format("step %d of {}", run.steps.size()).c_str(), ImGuiSliderFlags_NoInput);
  ui.step = step - 1;
  if (ui.step != before) ui.playing = false;
}

const char* kind_name(StepKind kind) {
  switch (kind) {
    case StepKind::load:
      return "load";
    case StepKind::elementwise:
      return "elementwise, CUDA cores";
    case StepKind::product:
      return "matrix product, tensor cores";
    case StepKind::store:
      return "store";
  }
  return "";
}

void draw_listing(const Context& context, const AlgorithmSteps& run, int line) {
  const Look& look = context.look;
  const NumberFont font(look, kSecondarySize);
  const float height = ImGui::GetTextLineHeight() + look.px(4), width = ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t n = 0; n < run.listing.size(); ++n) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool now = static_cast<int>(n) == line;
    if (now) list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), look.theme.accent_soft, look.px(2));
    list->AddText(ImVec2(at.x + look.px(6), at.y + look.px(2)), now ? look.theme.text : look.theme.muted,
                  run.listing[n].c_str());
    ImGui::Dummy(ImVec2(width, height));
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height));
  }
}

/// The pairs of keys: what the queries of the step see, what the program has done, and what this step does.
class Plane {
 public:
  Plane(const Context& context, const AlgorithmSteps& run, float side)
      : look_(context.look), run_(run), low_(ImGui::GetCursorScreenPos()) {
    low_.x += look_.px(20);
    cell_ = side / static_cast<float>(run.sizes.n);
  }

  void draw(std::int64_t shown) {
    const AlgorithmStep& step = run_.steps[static_cast<std::size_t>(shown)];
    const float side = cell_ * static_cast<float>(run_.sizes.n);
    list_->AddRectFilled(low_, ImVec2(low_.x + side, low_.y + side), look_.theme.ground);
    for (std::int64_t n = shown - 1; n >= 0 && run_.steps[static_cast<std::size_t>(n)].program == step.program; --n) {
      const AlgorithmStep& before = run_.steps[static_cast<std::size_t>(n)];
      if (before.kind == StepKind::product) fill(before.keys1, before.keys2, faded(look_.theme.series[0], 0.06F));
    }
    const bool first = step.keys1.end > step.keys1.first, second = step.keys2.end > step.keys2.first;
    const StepSpan every{0, run_.sizes.n};
    // A step of no keys, such as the load of queries, has no pairs.
    if (first || second)
      fill(first ? step.keys1 : every, second ? step.keys2 : every, faded(look_.theme.accent, 0.35F));
    for (std::int64_t i = step.queries.first; i < std::min(step.queries.end, run_.sizes.n); ++i) draw_window(i);
    for (std::int64_t n = 0; n <= run_.sizes.n; ++n) {
      const float at = cell_ * static_cast<float>(n);
      list_->AddLine(ImVec2(low_.x + at, low_.y), ImVec2(low_.x + at, low_.y + side), look_.theme.line);
      list_->AddLine(ImVec2(low_.x, low_.y + at), ImVec2(low_.x + side, low_.y + at), look_.theme.line);
    }
    draw_numbers();
    ImGui::Dummy(ImVec2(side + look_.px(24), side + look_.px(20)));
  }

 private:
  /// Axis 2 grows upwards.
  ImVec2 at(std::int64_t j, std::int64_t k) const {
    return {low_.x + cell_ * static_cast<float>(j), low_.y + cell_ * static_cast<float>(run_.sizes.n - k)};
  }
  void fill(StepSpan keys1, StepSpan keys2, ImU32 colour) {
    const std::int64_t n = run_.sizes.n;
    const auto inside = [n](std::int64_t key) { return std::clamp<std::int64_t>(key, 0, n); };
    const ImVec2 a = at(inside(keys1.first), inside(keys2.end)), b = at(inside(keys1.end), inside(keys2.first));
    if (a.x < b.x && a.y < b.y) list_->AddRectFilled(a, b, colour);
  }
  void draw_window(std::int64_t i) {
    const auto first = [i](std::int64_t window) { return std::max<std::int64_t>(0, i - window + 1); };
    list_->AddRect(at(first(run_.sizes.window1), i + 1), at(i + 1, first(run_.sizes.window2)), look_.theme.unclear, 0,
                   look_.px(1.5F));
  }
  void draw_numbers() {
    const NumberFont font(look_, 11);
    for (std::int64_t n = 0; n < run_.sizes.n; ++n) {
      const std::string text = std::to_string(n);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      const ImVec2 below = at(n, 0), left = at(0, n + 1);
      list_->AddText(ImVec2(below.x + (cell_ - size.x) / 2, below.y + look_.px(3)), look_.theme.muted, text.c_str());
      list_->AddText(ImVec2(left.x - size.x - look_.px(4), left.y + (cell_ - size.y) / 2), look_.theme.muted,
                     text.c_str());
    }
  }

  const Look& look_;
  const AlgorithmSteps& run_;
  ImVec2 low_;
  float cell_;
  ImDrawList* list_ = ImGui::GetWindowDrawList();
};

void draw_left(Context& context, StepsUi& ui, const AlgorithmSteps& run) {
  draw_listing(context, run, run.steps[static_cast<std::size_t>(ui.step)].line);
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  const AlgorithmStep& step = run.steps[static_cast<std::size_t>(ui.step)];
  coloured_text(context.look.theme.text,
                fmt::format("Program {} of {}: {}", step.program + 1, run.programs, step.where));
  muted_text(context, kind_name(step.kind));
  // Three lines are kept for the sentence, so that nothing below moves from step to step.
  const float top = ImGui::GetCursorPosY();
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.text, step.says);
  ImGui::PopTextWrapPos();
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + 3 * ImGui::GetTextLineHeightWithSpacing()));
  const float room = std::min(ImGui::GetContentRegionAvail().x - context.look.px(28),
                              std::max(context.look.px(180), ImGui::GetContentRegionAvail().y - context.look.px(64)));
  Plane(context, run, std::min(room, context.look.px(320))).draw(ui.step);
  muted_text(context,
             "Across: keys of axis 1. Upwards: axis 2. Blue: this step's pairs. Frames: windows of its queries.", true);
}

/// What the paper writes of the algorithm, folded away until it is asked for.
void draw_as_written(const Context& context, Algorithm algorithm) {
  const std::vector<std::string_view> written = written_of(algorithm);
  if (written.empty()) return;
  if (!ImGui::CollapsingHeader("As written in the paper")) return;
  for (const std::string_view part : written) draw_written(context, part);
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
}

void draw_right(const Context& context, Algorithm algorithm, const AlgorithmStep& step) {
  draw_as_written(context, algorithm);
  muted_text(context, "Registers");
  draw_step_grids(context, step.registers);
  section(context, "Memory: · is not written yet");
  draw_step_grids(context, step.memory);
}

}  // namespace

void draw_steps_page(Context& context) {
  StepsUi& ui = context.ui.paper.steps;
  if (!ImGui::BeginChild("steps", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  draw_choice(context, ui);
  const AlgorithmSteps& run = context.models.steps(ui.algorithm, ui.sizes);
  draw_controls(context, ui, run);
  muted_text(context, algorithm_note(ui.algorithm), true);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(kStepsLeft);
  const bool beside = width > 1.8F * left;
  if (ImGui::BeginChild("lines", ImVec2(beside ? left : width, beside ? 0 : context.look.px(600))))
    draw_left(context, ui, run);
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(24));
  if (ImGui::BeginChild("numbers", ImVec2(0, beside ? 0 : context.look.px(600)), ImGuiChildFlags_None))
    draw_right(context, ui.algorithm, run.steps[static_cast<std::size_t>(ui.step)]);
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
