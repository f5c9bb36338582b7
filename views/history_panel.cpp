// The sweeps of the database: choose what is shown, the baseline, what is compared.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "views/format.hpp"
#include "views/panel_list.hpp"
#include "views/widgets.hpp"

namespace triscope {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }) != text.end();
}

bool matches(const SweepInfo& sweep, const std::string& filter) {
  return filter.empty() || contains(sweep.note, filter) || contains(sweep.environment.device_name, filter) || contains(sweep.started, filter) || contains(sweep.command, filter);
}

/// "NVIDIA H200" -> "H200": the last words that fit a narrow column.
std::string short_device(const std::string& name) {
  for (const char* maker : {"NVIDIA ", "GeForce ", "AMD ", "Intel(R) ", "Intel "}) {
    if (name.starts_with(maker)) return short_device(name.substr(std::char_traits<char>::length(maker)));
  }
  return name;
}

std::string state_of(const SweepInfo& sweep, const RunState& run) {
  const std::int64_t done = sweep.ok + sweep.failed + sweep.skipped;
  if (run.running && run.sweep == sweep.id) return "measuring";
  if (sweep.finished.empty() && done < sweep.planned) return fmt::format("stopped at {} of {}", done, sweep.planned);
  if (sweep.failed > 0) return fmt::format("{} failed", sweep.failed);
  return {};
}

void draw_tooltip(const Context& context, const SweepInfo& sweep) {
  tooltip(context, fmt::format("{}\n{}, {} measured, {} failed, {} skipped of {} planned\n{}", sweep.environment.device_name, sweep.started, sweep.ok, sweep.failed, sweep.skipped, sweep.planned,
                               sweep.command));
}

void draw_menu(Context& context, const SweepInfo& sweep) {
  if (!ImGui::BeginPopupContextItem("sweep")) return;
  const auto item = [&](const char* label, CommandId id, const char* key = nullptr, bool enabled = true) {
    if (ImGui::MenuItem(label, key, false, enabled)) context.request(id, sweep.id);
  };
  const bool writable = !context.data.read_only;
  item("Show", CommandId::show_sweep);
  if (context.ui.selection.baseline_sweep == sweep.id) {
    item("Clear baseline", CommandId::clear_baseline);
  } else {
    item("Set as baseline", CommandId::set_baseline, "B");
  }
  item("Compare with the shown sweep", CommandId::compare, "C", sweep.id != context.ui.selection.shown_sweep);
  ImGui::Separator();
  item(sweep.starred ? "Remove star" : "Star", CommandId::star, "S", writable);
  item("Resume", CommandId::resume, nullptr, writable && !context.data.run.running && sweep.finished.empty());
  item("Delete...", CommandId::delete_sweep, nullptr, writable);
  ImGui::EndPopup();
}

void draw_sweep(Context& context, const SweepInfo& sweep) {
  const Look& look = context.look;
  const Theme& theme = look.theme;
  Selection& selection = context.ui.selection;
  ImGui::PushID(static_cast<int>(sweep.id));
  const bool shown = selection.shown_sweep == sweep.id;
  const bool compared = std::find(selection.compared.begin(), selection.compared.end(), sweep.id) != selection.compared.end();
  const std::string state = state_of(sweep, context.data.run);
  const std::string second = sweep.note.empty() ? state : state.empty() ? sweep.note : fmt::format("{} · {}", sweep.note, state);
  const float height = look.px(second.empty() ? 24 : 40);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable("##sweep", shown || compared, ImGuiSelectableFlags_AllowOverlap, ImVec2(0, height))) {
    context.request(ImGui::GetIO().KeyCtrl ? CommandId::compare : CommandId::show_sweep, sweep.id);
  }
  draw_tooltip(context, sweep);
  draw_menu(context, sweep);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (compared) list->AddRectFilled(at, ImVec2(at.x + look.px(2), at.y + height), theme.accent);
  const float line = look.px(24), text_y = at.y + (line - ImGui::GetTextLineHeight()) / 2;
  const char* mark = selection.baseline_sweep == sweep.id ? "●" : sweep.starred ? "★" : "";
  list->AddText(ImVec2(at.x + look.px(6), text_y), selection.baseline_sweep == sweep.id ? theme.accent : theme.unclear, mark);
  list->PushClipRect(at, ImVec2(at.x + width, at.y + height), true);
  list->AddText(ImVec2(at.x + look.px(24), text_y), theme.text, format_started(sweep.started, context.now).c_str());
  const std::string device = short_device(sweep.environment.device_name);
  const std::string count = format_count(sweep.ok);
  ImGui::PushFont(look.numbers, kNumberSize);
  const ImVec2 count_size = ImGui::CalcTextSize(count.c_str());
  list->AddText(ImVec2(at.x + look.px(140) - count_size.x, at.y + (line - count_size.y) / 2), theme.muted, count.c_str());
  ImGui::PopFont();
  list->PushClipRect(ImVec2(at.x + look.px(150), at.y), ImVec2(at.x + width - look.px(4), at.y + height), true);
  const float device_x = std::max(at.x + look.px(150), at.x + width - look.px(6) - ImGui::CalcTextSize(device.c_str()).x);
  list->AddText(ImVec2(device_x, text_y), theme.muted, device.c_str());
  list->PopClipRect();
  if (!second.empty()) {
    const SmallFont font(look);
    list->AddText(ImVec2(at.x + look.px(24), at.y + look.px(22)), state.empty() ? theme.muted : state == "measuring" ? theme.accent : theme.unclear, second.c_str());
  }
  list->PopClipRect();
  ImGui::PopID();
}

}  // namespace

void draw_history_panel(Context& context) {
  const WindowData& data = context.data;
  if (data.sweeps.empty()) {
    if (!data.problem.empty()) {
      empty_state(context, "No database is open.", {{"Open database...", {CommandId::open_database}}});
    } else if (data.loading) {
      empty_state(context, "Reading ...");
    } else {
      empty_state(context, "Sweeps appear here. Drop a database file on the window to open it.");
    }
    return;
  }
  UiState& ui = context.ui;
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##history_filter", "filter by device, date, note", &ui.history_filter, ImGuiInputTextFlags_EscapeClearsAll);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, context.look.px(1)));
  const float footer = ui.selection.compared.size() >= 2 ? ImGui::GetFrameHeightWithSpacing() : 0;
  if (ImGui::BeginChild("sweeps", ImVec2(0, ImGui::GetContentRegionAvail().y - footer))) {
    bool any = false;
    for (const SweepInfo& sweep : data.sweeps) {
      if (!matches(sweep, ui.history_filter)) continue;
      draw_sweep(context, sweep);
      any = true;
    }
    if (!any) muted_text(context, "No sweep matches.");
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (footer > 0) {
    if (ImGui::Button(fmt::format("Compare these {}", ui.selection.compared.size()).c_str(), ImVec2(-1, 0))) {
      context.request(CommandId::show_panel, static_cast<std::int64_t>(Panel::compare));
    }
  }
}

}  // namespace triscope
