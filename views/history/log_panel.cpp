// What the program did, newest last.
#include <fmt/format.h>

#include <algorithm>

#include "views/data/format.hpp"
#include "views/history/history_panels.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void draw_log_line(const Theme& theme, const LogLine& line) {
  coloured_text(theme.muted, line.time);
  ImGui::SameLine();
  coloured_text(line.severity == Severity::error     ? theme.slower
                : line.severity == Severity::warning ? theme.unclear
                                                     : theme.text,
                line.text);
}

}  // namespace

void draw_log_panel(Context& context) {
  const auto& log = context.data.log;
  if (log.empty()) {
    empty_state(context, "Nothing has happened yet. Messages of the program and of its workers appear here.");
    return;
  }
  const Theme& theme = context.look.theme;
  muted_text(context, counted(log.size(), "line"));
  align_right(button_width("Copy"));
  if (ImGui::Button("Copy")) {
    std::string text;
    for (const LogLine& line : log) text += fmt::format("{} {}\n", line.time, line.text);
    context.request(ask::CopyText{std::move(text)});
  }
  if (ImGui::BeginChild("lines", ImVec2(0, 0), 0, ImGuiWindowFlags_HorizontalScrollbar)) {
    const NumberFont font(context.look);
    // A warning ends with what to do next: the newest lines are wrapped. The clipper wants lines of one height.
    constexpr std::size_t kWrapped = 200;
    const std::size_t older = log.size() - std::min(log.size(), kWrapped);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(older));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        draw_log_line(theme, log[static_cast<std::size_t>(i)]);
    }
    ImGui::PushTextWrapPos(ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize - context.look.px(4));
    for (std::size_t n = older; n < log.size(); ++n) draw_log_line(theme, log[n]);
    ImGui::PopTextWrapPos();
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  }
  ImGui::EndChild();
}

}  // namespace triscope
