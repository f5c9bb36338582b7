// Whether what the means say depends on windows that a file does not give: the check at wider ones.
#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/wider_windows.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// What is asked, done, or impossible, with the buttons that go with it.
void draw_check(Context& context, const WiderCheck& check) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const MeanMaps *maps = shown_means(ui, data), *wider = shown_wider(ui, data);
  if (wider && maps) {
    muted_text(context, wider_sentence(*maps, *wider), true);
    const Problem& problem = data.wider.of.query.problem;
    const std::string windows = format_windows(problem.window1, problem.window2);
    if (ImGui::Button(fmt::format("Show {}###show_wider", windows).c_str())) show_wider(ui, data.wider.of);
    tooltip(context, "Shows everything at these windows; a button leads back");
    ImGui::SameLine(0, context.look.px(4));
  } else if (!check.problem.empty()) {
    muted_text(context, check.problem, true);
  } else if (check.request && data.wider.of == *check.request && (!data.wider.problem.empty() || data.wider.stopped)) {
    draw_means_state(context, data.wider);
  } else if (!maps && !context.data.run.running && !awaits_means(ui, data)) {
    muted_text(context, "There is no mean at these windows that wider ones could be compared with.", true);
  } else if (data.wider.pending && data.wider.total > 0) {
    draw_means_state(context, data.wider);
  } else {
    muted_text(context, context.data.run.running ? kWhileMeasuring : "Averaging at wider windows ...", true);
  }
  if (ImGui::Button("Close check")) ui.check_wider = false;
}

}  // namespace

void draw_wider_windows(Context& context) {
  AttentionUi& ui = context.ui.attention;
  if (ui.sides[0].source.kind != SourceKind::file || ui.mask != Mask::causal) return;
  if (ui.before_wider) {
    const std::string before = format_windows(ui.before_wider->window1, ui.before_wider->window2);
    if (ImGui::Button(fmt::format("Back to {}###former_windows", before).c_str())) back_from_wider(ui);
    tooltip(context, "The windows that were shown before the wider ones");
  }
  if (ui.check_wider) {
    draw_check(context, wider_check(ui, context.data.attention));
  } else {
    if (ImGui::Button("Check wider windows")) ui.check_wider = true;
    tooltip(context,
            "Averages a second time at twice the windows, at most all tokens, and says beside each peak whether it is "
            "still the largest of its head. What is shown stays as it is.");
  }
}

}  // namespace triscope
