// The sweeps of the database: choose what is shown, the baseline, what is compared.
#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "views/data/format.hpp"
#include "views/history/history_panels.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }) != text.end();
}

bool matches(const SweepInfo& sweep, const std::string& title, const std::string& filter) {
  return filter.empty() || contains(title, filter) || contains(sweep.note, filter) ||
         contains(sweep.environment.device_name, filter) || contains(sweep.started, filter) ||
         contains(sweep.command, filter);
}

/// "NVIDIA H200" -> "H200": the last words that fit a narrow column.
std::string short_device(const std::string& name) {
  for (const char* maker : {"NVIDIA ", "GeForce ", "AMD ", "Intel(R) ", "Intel "}) {
    if (name.starts_with(maker)) return short_device(name.substr(std::char_traits<char>::length(maker)));
  }
  return name;
}

std::string state_of(const SweepInfo& sweep, const WindowData& data) {
  const std::int64_t done = sweep.ok + sweep.failed + sweep.skipped;
  if (sweep.running || (measures_here(data.run, data) && data.run.sweep == sweep.id))
    return fmt::format("measuring, {} of {}", done, sweep.planned);
  if (sweep.finished.empty() && done < sweep.planned) return fmt::format("stopped at {} of {}", done, sweep.planned);
  if (sweep.failed > 0) return fmt::format("{} failed", sweep.failed);
  return {};
}

void draw_tooltip(Context& context, const SweepInfo& sweep) {
  tooltip(context, fmt::format("{}\n{}\n{}, {} measured, {} failed, {} skipped of {} planned\n{}",
                               context.models.title(context.data, sweep), sweep.environment.device_name, sweep.started,
                               sweep.ok, sweep.failed, sweep.skipped, sweep.planned, sweep.command));
}

void draw_menu(Context& context, const SweepInfo& sweep) {
  if (!ImGui::BeginPopupContextItem("sweep")) return;
  const auto item = [&](const char* label, Request request, const char* key = nullptr, bool enabled = true) {
    if (ImGui::MenuItem(label, key, false, enabled)) context.request(std::move(request));
  };
  const bool writable = !context.data.read_only;
  if (ImGui::IsWindowAppearing()) context.ui.sweep_note = sweep.note;
  ImGui::BeginDisabled(!writable);
  ImGui::SetNextItemWidth(context.look.px(220));
  if (ImGui::InputTextWithHint("##note", "name this sweep, then Enter", &context.ui.sweep_note,
                               ImGuiInputTextFlags_EnterReturnsTrue)) {
    context.request(ask::NoteSweep{sweep.id, context.ui.sweep_note});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndDisabled();
  item("Show", ask::ShowSweep{sweep.id});
  if (context.ui.selection.baseline_sweep == sweep.id) {
    item("Clear baseline", ask::ClearBaseline{});
  } else {
    item("Set as baseline", ask::SetBaseline{sweep.id}, "B");
  }
  item("Compare with the shown sweep", ask::Compare{sweep.id}, "C", sweep.id != context.ui.selection.shown_sweep);
  ImGui::Separator();
  item(sweep.starred ? "Remove star" : "Star", ask::Star{sweep.id}, "S", writable);
  item("Resume", ask::Resume{sweep.id}, nullptr,
       writable && !context.data.run.running && sweep.finished.empty() && !sweep.running);
  item("Delete...", ask::AskToDelete{sweep.id}, nullptr, writable && !sweep.running);
  ImGui::EndPopup();
}

void draw_sweep(Context& context, const SweepInfo& sweep) {
  const Look& look = context.look;
  const Theme& theme = look.theme;
  Selection& selection = context.ui.selection;
  ImGui::PushID(static_cast<int>(sweep.id));
  const bool shown = selection.shown_sweep == sweep.id;
  const bool compared =
      std::find(selection.compared.begin(), selection.compared.end(), sweep.id) != selection.compared.end();
  const bool baseline = selection.baseline_sweep == sweep.id;
  const std::string state = state_of(sweep, context.data);
  const float height = look.px(40), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable("##sweep", shown || compared, ImGuiSelectableFlags_AllowOverlap, ImVec2(0, height))) {
    context.request(ImGui::GetIO().KeyCtrl ? Request(ask::Compare{sweep.id}) : ask::ShowSweep{sweep.id});
  }
  if (shown && std::exchange(context.ui.history_followed, sweep.id) != sweep.id && !ImGui::IsItemVisible())
    ImGui::SetScrollHereY();  // what was shown by another panel comes into view
  draw_tooltip(context, sweep);
  draw_menu(context, sweep);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (compared) list->AddRectFilled(at, ImVec2(at.x + look.px(2), at.y + height), theme.accent);
  const float top = at.y + look.px(3), right = at.x + width - look.px(8);
  const std::string device = short_device(sweep.environment.device_name);
  const float device_x = std::max(at.x + look.px(110), right - ImGui::CalcTextSize(device.c_str()).x);
  float x = at.x + look.px(8);
  const auto word = [&](ImU32 colour, const std::string& text, float y, float end) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str()), low(std::round(x), std::round(y));
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::RenderTextEllipsis(list, low, ImVec2(end, low.y + size.y), end, text.data(), text.data() + text.size(),
                              &size);
    ImGui::PopStyleColor();
    x += size.x + look.px(6);
  };
  if (baseline) word(theme.accent, "●", top, right);
  if (sweep.starred) word(theme.unclear, "★", top, right);
  word(theme.text, format_started(sweep.started, context.now), top, device_x - look.px(6));
  {
    const SmallFont font(look);
    const ImU32 colour = state.starts_with("measuring") ? theme.accent : theme.unclear;
    if (!state.empty()) word(colour, state, top + look.px(2), device_x - look.px(6));
  }
  x = device_x;
  word(theme.muted, device, top, right);
  const SmallFont font(look);
  x = at.x + look.px(8);
  word(theme.muted, context.models.title(context.data, sweep), at.y + look.px(21), right);
  ImGui::PopID();
}

}  // namespace

void draw_history_panel(Context& context) {
  const WindowData& data = context.data;
  if (data.sweeps.empty()) {
    if (!data.problem.empty()) {
      empty_state(context, "No database is open.", {{"Open database...", ask::OpenDatabase{}}});
    } else if (data.loading) {
      empty_state(context, "Reading ...");
    } else {
      empty_state(context, "Sweeps appear here. Drop a database file on the window to open it.");
    }
    return;
  }
  UiState& ui = context.ui;
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##history_filter", "filter by device, date, note", &ui.history_filter,
                           ImGuiInputTextFlags_EscapeClearsAll);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, context.look.px(1)));
  const float footer = ui.selection.compared.size() >= 2 ? ImGui::GetFrameHeightWithSpacing() : 0;
  if (ImGui::BeginChild("sweeps", ImVec2(0, ImGui::GetContentRegionAvail().y - footer))) {
    bool any = false;
    for (const SweepInfo& sweep : data.sweeps) {
      if (!matches(sweep, context.models.title(data, sweep), ui.history_filter)) continue;
      draw_sweep(context, sweep);
      any = true;
    }
    if (!any) muted_text(context, "No sweep matches.");
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (footer > 0) {
    if (ImGui::Button(fmt::format("Compare these {}", ui.selection.compared.size()).c_str(), ImVec2(-1, 0))) {
      context.request(ask::ShowPanel{Panel::compare});
    }
  }
}

}  // namespace triscope
