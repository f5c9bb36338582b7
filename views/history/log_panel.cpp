// What the program did, newest last.
#include <fmt/format.h>

#include "views/data/format.hpp"
#include "views/history/history_panels.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

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
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(log.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const LogLine& line = log[static_cast<std::size_t>(i)];
        coloured_text(theme.muted, line.time);
        ImGui::SameLine();
        coloured_text(line.severity == Severity::error     ? theme.slower
                      : line.severity == Severity::warning ? theme.unclear
                                                           : theme.text,
                      line.text);
      }
    }
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  }
  ImGui::EndChild();
}

}  // namespace triscope
