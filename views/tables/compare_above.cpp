#include "views/tables/compare_above.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "views/model/tables/version_words.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// "Ratio = time A / time B, below 1 A takes shorter. A: 2c6a73, B: 63ca6c."
std::string ratio_text(const CompareModel& model) {
  const std::string& old = model.sweeps.front();
  if (!has_comparisons(model))
    return model.sweeps.size() == 2 ? fmt::format("A: {}, B: {}.", model.sweeps[1], old) : "";
  return model.sweeps.size() == 2
             ? fmt::format("Ratio = time A / time B, below 1 A takes shorter. A: {}, B: {}.", model.sweeps[1], old)
             : fmt::format("Ratio = time / that of B, {}: below 1 it takes shorter than B.", old);
}

/// A paragraph above the table. Where it would leave few rows to be seen it is a line that says the rest on hover.
struct Paragraph {
  std::string text;
  ImU32 colour = 0;
  float button = 0;  ///< room that it leaves at its right
  bool whole = true;

  float width() const { return ImGui::GetContentRegionAvail().x - button; }
  void draw(const Context& context) const {
    const SmallFont font(context.look);
    if (whole) {
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width());
      coloured_text(colour, text);
      ImGui::PopTextWrapPos();
    } else {
      std::string line = text;
      std::ranges::replace(line, '\n', ' ');
      text_in_whole_words(context, colour, line, width());
    }
  }
};

/// Leaves room for the first rows, and for what else differs: the most important paragraphs, which come first, are
/// whole.
void fit_paragraphs(const Context& context, const CompareModel& model, std::vector<Paragraph>& paragraphs) {
  if (context.ui.printing) return;
  constexpr std::size_t kLeastRows = 6;
  const std::size_t rows = std::min(kLeastRows, model.lines.size() + model.unchanged_lines.size());
  const SmallFont font(context.look);
  const float line = ImGui::GetTextLineHeight(), gap = ImGui::GetStyle().ItemSpacing.y;
  float room = ImGui::GetContentRegionAvail().y - context.look.px(28 + 24 * static_cast<float>(rows) + 4 + 20) -
               (line + gap) * static_cast<float>(paragraphs.size());
  for (Paragraph& one : paragraphs) {
    const float more = ImGui::CalcTextSize(one.text.c_str(), nullptr, false, one.width()).y - line;
    one.whole = more <= room;
    if (one.whole) room -= more;
  }
}

constexpr const char* kWidest = "Show these rows";  ///< of what its button says

/// A button beside what kernels that did not change differ by: it puts their rows among the others. True while it does.
bool draw_unchanged_button(const Context& context, bool listed) {
  if (!listed) return false;
  bool* shown = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("unchanged shown"));
  const SmallFont font(context.look);
  ImGui::SameLine();
  align_right(button_width(kWidest));
  if (ImGui::SmallButton(*shown ? "Hide these rows###unchanged" : "Show these rows###unchanged")) *shown = !*shown;
  tooltip(context, *shown ? "Leaves only the rows of what changed."
                          : "Puts the rows of kernels that did not change above the others.");
  return *shown;
}

/// What stands above the table: of two versions what became of each window; of others why rows have no verdict of their
/// own, and which way they went.
std::string words_above(const CompareModel& model, bool versions) {
  return versions && model.band ? by_window_text(model) : unjudged_text(model.unjudged);
}

}  // namespace

bool draw_words_above(const Context& context, const CompareModel& model) {
  const bool versions = !context.data.versions.kernel.empty();
  const Theme& theme = context.look.theme;
  const bool unchanged = !model.unchanged.times.empty();
  const bool listed = unchanged && !model.unchanged_lines.empty() && !context.ui.printing;
  std::vector<Paragraph> paragraphs;
  if (std::string words = words_above(model, versions); !words.empty())
    paragraphs.push_back({std::move(words), theme.text});
  if (unchanged) {
    const SmallFont font(context.look);
    const float button = listed ? button_width(kWidest) + ImGui::GetStyle().ItemSpacing.x : 0;
    paragraphs.push_back({unchanged_words(model), theme.text, button});
  }
  paragraphs.push_back({ratio_text(model) + " " + compare_explanation(model), theme.muted});
  fit_paragraphs(context, model, paragraphs);
  bool with_unchanged = false;
  for (std::size_t n = 0; n < paragraphs.size(); ++n) {
    paragraphs[n].draw(context);
    if (unchanged && n + 2 == paragraphs.size()) with_unchanged = draw_unchanged_button(context, listed);
  }
  return with_unchanged;
}

}  // namespace triscope
