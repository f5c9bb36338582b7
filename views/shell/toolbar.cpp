// The top line: menus, run and stop, progress with time left, device, palette. The bottom line: status.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "profiler/plan/progress.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "profiler/record/columns.hpp"
#include "views/command/command.hpp"
#include "views/data/format.hpp"
#include "views/model/measure_more.hpp"
#include "views/parts/widgets.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

/// In this little room the menus are one, and Run and Stop keep their places.
bool is_narrow(const Look& look) { return ImGui::GetMainViewport()->Size.x < look.px(560); }

bool is_shown(const UiState& ui, Panel panel) {
  const Workspace workspace = panel_info(panel).workspace;
  return workspace == Workspace::measure ? ui.settings.visible[static_cast<std::size_t>(panel)]
                                         : ui.workspace == workspace;
}

/// What stands together in a menu, apart from what surrounds it.
enum class CommandGroup { other, panel, attention_view };

CommandGroup group_of(const Command& command) {
  if (std::string_view(command.label).starts_with("Attention: ")) return CommandGroup::attention_view;
  return std::holds_alternative<ask::ShowPanel>(command.request) ? CommandGroup::panel : CommandGroup::other;
}

/// What a device can do, for its tooltip: size, peak, how it is timed, what it lacks.
std::string device_facts(const Device& device) {
  const bool gpu = device.kind == DeviceKind::cuda;
  std::string text = fmt::format("{} {}, {} of memory", device.multiprocessors, gpu ? "multiprocessors" : "threads",
                                 format_bytes(device.memory_bytes));
  if (gpu) text += fmt::format(", compute capability {}", device.compute_capability);
  if (device.peak_tflops_at_max_clock)
    text += fmt::format("\n{} TFLOP/s dense {} at the highest clock",
                        significant_text(*device.peak_tflops_at_max_clock), gpu ? "bf16" : "fp32");
  if (device.max_sm_clock_mhz) text += fmt::format(", {:.0f} MHz", *device.max_sm_clock_mhz);
  if (device.power_limit_w) text += fmt::format(", {:.0f} W", *device.power_limit_w);
  text += gpu ? "\nTimed by CUPTI, cross-checked by CUDA events" : "\nTimed by the CPU's clock";
  for (const std::string& limit : device.limits) text += "\nNot here: " + limit;
  return text;
}

/// What the next sweep can run on.
void draw_devices(Context& context) {
  const Machine& machine = context.data.machine;
  SetupForm& form = context.ui.form;
  const auto item = [&](const char* label, const std::string& id) {
    if (!ImGui::MenuItem(label, nullptr, form.device == id)) return;
    form.device = id;
    context.request(ask::PreviewPlan{});
  };
  item("Automatic: the first GPU, else the CPU", "auto");
  if (machine.catalog) {
    for (const Device& device : machine.catalog->devices) {
      item(fmt::format("{}: {}", device.id, device.name).c_str(), device.id);
      tooltip(context, device_facts(device));
    }
    if (!machine.catalog->gpu_problem.empty())
      muted_text(context, "No GPU can be used: " + machine.catalog->gpu_problem, true);
  } else {
    muted_text(context,
               machine.loading ? std::string_view("Asking the worker ...") : std::string_view(machine.problem));
  }
}

void draw_menus(Context& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context.look.px(8), context.look.px(7)));
  const bool folded = is_narrow(context.look);
  if (folded && !ImGui::BeginMenu("Menu")) {
    ImGui::PopStyleVar();
    return;
  }
  for (const char* menu : {"File", "Edit", "View", "Sweep", "Help"}) {
    if (!ImGui::BeginMenu(menu)) continue;
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.theme.text);
    bool first = true;
    CommandGroup before = CommandGroup::other;
    for (const Command& command : commands()) {
      if (std::string_view(command.menu) != menu) continue;
      const auto* panel = std::get_if<ask::ShowPanel>(&command.request);
      const CommandGroup group = group_of(command);
      if (!first && group != before) ImGui::Separator();
      if (!first && std::holds_alternative<ask::Quit>(command.request)) ImGui::Separator();
      first = false;
      before = group;
      const bool shown = panel && is_shown(context.ui, panel->panel);
      if (ImGui::MenuItem(label_now(command, context.data), command.shortcut, shown, is_enabled(context, command)))
        context.request(command.request);
      const bool needs = *command.needs && !is_enabled(context, command);
      tooltip(context, needs ? fmt::format("{}. It needs {}.", command.help, command.needs) : command.help);
    }
    if (std::string_view(menu) == "Sweep") {  // beside Run there is no room for it in a small window
      ImGui::Separator();
      if (ImGui::BeginMenu("Run on")) {
        draw_devices(context);
        ImGui::EndMenu();
      }
    }
    ImGui::PopStyleColor();
    ImGui::EndMenu();
  }
  if (folded) ImGui::EndMenu();
  ImGui::PopStyleVar();
}

/// While a menu is open Dear ImGui gives a click beside it to nobody: it would only close the menu. One on what stands
/// right of the menus' names is meant for that.
void close_menu_for_click() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left) || context.HoveredWindow != ImGui::GetCurrentWindow()) return;
  const auto& popups = context.OpenPopupStack;
  const bool menu = popups.Size > 0 && popups[0].Window && (popups[0].Window->Flags & ImGuiWindowFlags_ChildMenu) != 0;
  if (menu && ImGui::GetMousePos().x >= ImGui::GetCursorScreenPos().x) ImGui::ClosePopupToLevel(0, true);
}

std::string device_name(const Context& context) {
  const Machine& machine = context.data.machine;
  if (!machine.catalog) return machine.loading ? "looking for devices ..." : "no known device";
  try {
    return choose_device(*machine.catalog, context.ui.form.device).name;
  } catch (const std::exception&) {
    return "no such device";
  }
}

/// Drawn, not laid out: in a menu bar every size of text has another base line. Returns where the text ends.
float draw_word(ImFont* font, float size, float x, float middle, ImU32 colour, const std::string& text) {
  ImGui::PushFont(font, size);
  ImGui::GetWindowDrawList()->AddText(ImVec2(std::round(x), std::round(middle - ImGui::GetTextLineHeight() / 2)),
                                      colour, text.c_str());
  const float end = x + ImGui::CalcTextSize(text.c_str()).x;
  ImGui::PopFont();
  return end;
}

/// What the progress counts: a row with several restarts is done with its last. Empty before the plan is known.
const char* counted_things(const RunState& run) {
  const SweepQueue* queue = run.live.queue.get();
  if (!queue) return "";
  return std::ranges::any_of(queue->groups, [](const SweepQueue::Group& group) { return group.restart > 0; })
             ? "restarts"
             : "rows";
}

/// How the running sweep stands, or how the last one ended, in `width` pixels from the cursor on.
void draw_progress(Context& context, float width) {
  const Look& look = context.look;
  const RunState& run = context.data.run;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float middle = at.y + ImGui::GetFrameHeight() / 2;
  if (!run.running) {
    if (width > look.px(120))
      draw_word(look.text, kBodySize, at.x, middle, look.theme.muted, shortened(run.message, width));
    return;
  }
  const std::string count = fmt::format("{} / {}", run.progress.done, run.progress.total);
  const std::string left = run.stopping              ? "stopping"
                           : run.progress.total == 0 ? "starting the worker"
                           : run.progress.seconds_left
                               ? fmt::format("{} left", format_seconds(*run.progress.seconds_left))
                               : std::string();
  const float count_width = look.px(84), bar_height = look.px(5), bar_width = width - count_width - look.px(200);
  if (bar_width < look.px(40)) {
    if (run.progress.total > 0 && width > count_width)
      draw_word(look.numbers, kNumberSize, at.x, middle, look.theme.text, count);
    return;
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, middle - bar_height / 2));
  bar(context, static_cast<float>(progress_share(run.progress)), ImVec2(bar_width, bar_height), look.theme.accent);
  tooltip(context, run.progress.current.empty() ? std::string_view("Starting the worker.")
                                                : std::string_view(run.progress.current));
  float x = at.x + bar_width + look.px(12);
  if (run.progress.total > 0) {
    x = draw_word(look.numbers, kNumberSize, x, middle, look.theme.text, count) + look.px(6);
    x = draw_word(look.text, kSecondarySize, x, middle, look.theme.muted, counted_things(run)) + look.px(12);
  }
  draw_word(look.text, kSecondarySize, x, middle, look.theme.muted, left);
}

/// The device of the next sweep, as a button that lists what there is.
void draw_device(Context& context, const std::string& shown, float width) {
  if (ImGui::Button(fmt::format("{}###device", shown).c_str(), ImVec2(width, 0))) ImGui::OpenPopup("devices");
  tooltip(context, fmt::format("The next sweep runs on {}. What is shown may have been measured elsewhere.",
                               device_name(context)));
  if (!ImGui::BeginPopup("devices")) return;
  draw_devices(context);
  ImGui::EndPopup();
}

/// What the window can show.
void draw_workspaces(Context& context, float height) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(context.look.px(10), context.look.px(4)));
  const float top = (height - ImGui::GetFrameHeight()) / 2;
  ImGui::Dummy(ImVec2(context.look.px(4), 0));
  for (const WorkspaceInfo& info : workspaces()) {
    if (info.workspace != Workspace::measure) ImGui::SameLine(0, context.look.px(4));
    ImGui::SetCursorPosY(top);
    if (chip(context, info.name, context.ui.workspace == info.workspace)) {
      if (info.panel == Panel::count) {
        context.request(ask::ShowMeasurements{});
      } else {
        context.request(ask::ShowPanel{info.panel});
      }
    }
    tab_tooltip(context, info.help);  // clear of the buttons that a workspace begins with
  }
  ImGui::SetCursorPosY(top);
  ImGui::PopStyleVar();
}

/// What the next sweep runs on, beside Run; `after` pixels to its right are kept free. Nothing where no letters fit.
void draw_run_device(Context& context, float top, float after) {
  const Look& look = context.look;
  const std::string arrow = "  ▼";
  const float edges = ImGui::CalcTextSize(arrow.c_str()).x + look.px(24);
  const float room = std::min(look.px(200), ImGui::GetWindowWidth() - look.px(12) - ImGui::GetCursorPosX() - after);
  if (room < look.px(84)) return;
  const std::string device = shortened("on " + short_device(device_name(context)), room - edges) + arrow;
  ImGui::SetCursorPosY(top);
  draw_device(context, device, ImGui::CalcTextSize(device.c_str()).x + look.px(24));
}

/// Run, what it runs on, Stop, and Resume where a sweep waits for it; with little room it takes the place of Stop.
void draw_run_buttons(Context& context, float top) {
  const Look& look = context.look;
  const bool running = context.data.run.running;
  const bool resume = is_enabled(context, command_for<ask::Resume>()) && !is_narrow(look);
  if (primary_button(context, "▶ Run  F5", why_not_run(context.data, context.ui.form).empty()))
    context.request(ask::Run{});
  tooltip(context, sentence(run_words(context.data, context.ui.form)));
  ImGui::SameLine(0, look.px(4));
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  // While a sweep runs its progress goes before the device's name.
  const float room = ImGui::GetWindowWidth() - look.px(12) - ImGui::GetCursorPosX();
  const bool stop = running || !resume || button_width("■ Stop") + gap + button_width("Resume") <= room;
  const float after = (stop ? button_width("■ Stop") + gap : 0) + (resume ? button_width("Resume") + gap : 0) +
                      (running ? look.px(110) : 0);
  draw_run_device(context, top, after);
  if (stop) {
    ImGui::SetCursorPosY(top);
    ImGui::BeginDisabled(!is_enabled(context, command_for<ask::Stop>()));
    if (ImGui::Button("■ Stop")) context.request(ask::Stop{});
    ImGui::EndDisabled();
    tooltip(context, "Stop after the current sample (Shift+F5). Everything measured is kept.");
  }
  if (!resume) return;
  ImGui::SetCursorPosY(top);
  if (ImGui::Button("Resume")) context.request(ask::Resume{});
  tooltip(context, "Continue the shown sweep where it stopped (Ctrl+F5).");
}

/// The palette, where there is room for it right of `begin`. Returns where it begins.
float draw_palette_button(Context& context, float begin, float top) {
  const Look& look = context.look;
  const float width = ImGui::GetWindowWidth(), right = width - look.px(12);
  const float kept = context.data.run.running ? look.px(110) : 0;  // of the progress; the keyboard reaches the palette
  const char* palette = width > look.px(1360) ? "Find a command   Ctrl+Shift+P" : "Ctrl+Shift+P";
  const float palette_width = button_width(palette);
  if (right - palette_width < begin + kept) return right;
  ImGui::SetCursorPos(ImVec2(right - palette_width, top));
  ImGui::PushStyleColor(ImGuiCol_Text, look.theme.muted);
  if (ImGui::Button(palette)) context.request(ask::OpenPalette{});
  ImGui::PopStyleColor();
  tooltip(context, "Find any command by a few letters.");
  return right - palette_width - look.px(8);
}

/// Without what stands before a file's name where all of it is too wide: "... figure.svg."
std::string with_its_end(std::string text, float width) {
  constexpr std::string_view kDots = "... ";
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const std::size_t slash = text.rfind('/');
  if (slash != std::string::npos) text.replace(0, slash + 1, kDots);
  while (text.size() > 2 * kDots.size() && ImGui::CalcTextSize(text.c_str()).x > width) text.erase(kDots.size(), 1);
  return text;
}

/// What was said that goes by itself. False: there is nothing.
template <typename Item>
bool draw_passing_notice(const Context& context, float room, const Item& item) {
  const auto& notices = context.data.notices;
  const auto passing = std::ranges::find_if(notices, [](const Notice& notice) { return notice.passes(); });
  if (passing == notices.end()) return false;
  const std::string whole = sentence(passing->text), text = with_its_end(whole, room);
  item(context.look.theme.accent, text);
  if (text != whole) tooltip(context, whole);
  return true;
}

}  // namespace

void draw_toolbar(Context& context) {
  const Look& look = context.look;
  const float height = look.px(40);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(8), (height - ImGui::GetFontSize()) / 2));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), 0));
  const bool open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar(2);
  if (!open) return;
  const float width = ImGui::GetWindowWidth();
  if (width > look.px(760)) {
    ImGui::PushFont(look.heading, kBodySize);
    ImGui::TextUnformatted("Triscope");
    ImGui::PopFont();
  }
  ImGui::Dummy(ImVec2(look.px(4), 0));
  ImGui::PushStyleColor(ImGuiCol_Text, look.theme.muted);
  draw_menus(context);
  ImGui::PopStyleColor();
  close_menu_for_click();
  if (!is_narrow(look)) draw_workspaces(context, height);  // the View menu has them too
  const float menus_end = ImGui::GetCursorPosX();

  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(12), look.px(4)));
  const float top = (height - ImGui::GetFrameHeight()) / 2;
  const float left = std::max(menus_end + look.px(16), std::min(look.px(392), width * 0.28F));
  ImGui::SetCursorPos(ImVec2(left, top));
  draw_run_buttons(context, top);
  ImGui::SetCursorPosY(top);
  const float begin = ImGui::GetCursorPosX() + look.px(12);
  const float end = draw_palette_button(context, begin, top);
  ImGui::SetCursorPos(ImVec2(begin, top));
  draw_progress(context, end - begin - look.px(16));
  ImGui::Dummy(ImVec2(0, 0));  // Dear ImGui wants an item where the cursor was set
  ImGui::PopStyleVar();
  const ImVec2 at = ImGui::GetWindowPos();
  ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, at.y + height - 1), ImVec2(at.x + width, at.y + height - 1),
                                      look.theme.line);
  ImGui::EndMainMenuBar();
}

/// Whether something held the device down while the selected measurement was taken.
template <typename Item>
void draw_flags(Context& context, const Item& item) {
  const SampleChart* chart = context.models.samples(context.data);
  if (!chart) return;
  const Theme& theme = context.look.theme;
  if (chart->flags.empty()) {
    if (!chart->conditions.empty()) item(theme.muted, "no throttling");
    return;
  }
  item(theme.unclear, "⚠ " + chart->flags.front());
  const bool burst = context.data.selected && context.data.selected->row.regime == Regime::burst;
  const std::string note = burst ? burst_power_note(*chart, Regime::burst) : std::string();
  tooltip(context, fmt::format("{} of {} samples of the selected measurement are flagged (throttled, preempted). "
                               "They are kept; the time of several restarts is made without preempted ones.{}{}",
                               format_count(static_cast<std::int64_t>(chart->flagged)),
                               format_count(static_cast<std::int64_t>(chart->samples)), note.empty() ? "" : " ", note));
}

/// What the device did while the selected measurement was taken.
template <typename Item>
void draw_conditions(Context& context, const Item& item) {
  const SampleChart* chart = context.models.samples(context.data);
  if (!chart) return;
  const Theme& theme = context.look.theme;
  const bool burst = context.data.selected && context.data.selected->row.regime == Regime::burst;
  for (const std::string& word : chart->conditions) {
    const bool pauses = burst && word.ends_with(" W");
    item(theme.muted, pauses ? word + " with pauses" : word);
    tooltip(context, pauses
                         ? "Median over the samples of the selected measurement. NVML's power is a mean over a launch "
                           "and the pauses around it."
                         : "Median over the samples of the selected measurement.");
  }
}

void draw_status_bar(Context& context) {
  const Look& look = context.look;
  const WindowData& data = context.data;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(4)));
  const float height = look.px(26);
  if (ImGui::BeginViewportSideBar("##status", ImGui::GetMainViewport(), ImGuiDir_Down, height,
                                  ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings)) {
    const ImVec2 at = ImGui::GetWindowPos();
    ImGui::GetWindowDrawList()->AddLine(at, ImVec2(at.x + ImGui::GetWindowWidth(), at.y), look.theme.line);
    const SmallFont font(look);
    const std::size_t slash = data.database.rfind('/');
    const std::string name =
        data.database.empty() ? "no database" : data.database.substr(slash == std::string::npos ? 0 : slash + 1);
    const std::string right = fmt::format("{}{} · {}     ? shortcuts", name, data.read_only ? " (read-only)" : "",
                                          counted(data.sweeps.size(), "sweep"));
    const float right_width = ImGui::CalcTextSize(right.c_str()).x;
    float end = 0, room = ImGui::GetContentRegionAvail().x - right_width;
    // What finds no room is left out: the same stands in Details.
    const auto item = [&](ImU32 colour, const std::string& text) {
      const float width = ImGui::CalcTextSize(text.c_str()).x + look.px(16);
      if (end + width > room) return;
      if (end > 0) ImGui::SameLine(0, look.px(16));
      end += width;
      coloured_text(colour, text);
    };
    if (draw_passing_notice(context, room - look.px(16), item)) room = 0;  // what else stands here comes back
    if (data.run.running) {
      const Progress& progress = data.run.progress;
      // The toolbar of a small window has no room for it.
      if (progress.total > 0 && ImGui::GetWindowWidth() < look.px(760))
        item(look.theme.accent, fmt::format("{} / {} {}", progress.done, progress.total, counted_things(data.run)));
      item(look.theme.accent, progress.current.empty() ? "starting the worker" : progress.current);
    }
    const bool measures = context.ui.workspace == Workspace::measure;
    if (context.ui.workspace == Workspace::attention) {
      // The shown sweep's machine made none of this.
      const AttentionSideData& side = data.attention.sides[0];
      item(look.theme.muted, fmt::format("slices in fp64 on the {}", device_title(context.ui.attention.device)));
      if (side.slice)
        item(look.theme.muted,
             fmt::format("{} × {} pairs", format_count(side.slice->count1), format_count(side.slice->count2)));
    } else if (data.shown) {
      const Environment& e = data.shown->info.environment;
      item(look.theme.muted, "measured on " + e.device_name);
      if (measures) draw_flags(context, item);  // before what says less, in a bar that has no room for all
      if (e.power_limit_w) item(look.theme.muted, fmt::format("power limit {:.0f} W", *e.power_limit_w));
      if (!data.shown->rows.empty())
        item(look.theme.muted, fmt::format("timed by {}", timing_label(data.shown->rows.front().timing_source)));
    }
    if (measures) draw_conditions(context, item);
    align_right(right_width);
    coloured_text(look.theme.muted, right);
    tooltip(context,
            data.database.empty() ? std::string_view("No database is open.") : std::string_view(data.database));
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace triscope
