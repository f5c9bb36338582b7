#include "views/shell/shell.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>

#include "views/command/shortcut.hpp"
#include "views/data/format.hpp"
#include "views/panels/panels.hpp"
#include "views/parts/widgets.hpp"
#include "views/shell/row_menu.hpp"

namespace triscope {
namespace {

/// Room in which the whole sweep setup stands without scrolling; what is left of a high window goes to the history,
/// which keeps room for eight sweeps in a low one.
constexpr float kSetupHeight = 632, kHistoryHeight = 257;

/// "Latency###latency": the title may change, the identity does not.
std::string window_name(const PanelInfo& info) { return fmt::format("{}###{}", info.title, info.id); }

void dock(Panel panel, ImGuiID node) { ImGui::DockBuilderDockWindow(window_name(panel_info(panel)).c_str(), node); }

/// Little room, as on a small screen or at a large scale. A bar that comes and goes must not change it.
bool is_small(const Look& look, ImVec2 size) {
  return size.x < look.px(900) || ImGui::GetMainViewport()->Size.y < look.px(600);
}

/// Two groups of tabs.
void build_small_layout(ImGuiID root) {
  ImGuiID middle = root;
  const ImGuiID left = ImGui::DockBuilderSplitNode(middle, ImGuiDir_Left, 0.42F, nullptr, &middle);
  for (Panel panel : {Panel::setup, Panel::history, Panel::queue, Panel::details}) dock(panel, left);
  for (const PanelInfo& info : panels()) {
    const bool on_the_left = info.panel == Panel::setup || info.panel == Panel::history || info.panel == Panel::queue ||
                             info.panel == Panel::details;
    if (!on_the_left && info.workspace == Workspace::measure) dock(info.panel, middle);
  }
  ImGui::DockBuilderFinish(root);
}

/// Left: setup over history. Middle: tables over charts. Right: details. A wide window shows two charts side by side.
void build_layout(const Look& look, ImGuiID root, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(root);
  ImGui::DockBuilderAddNode(root, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(root, size);
  if (is_small(look, size)) return build_small_layout(root);
  ImGuiID middle = root;
  const float left_width = std::min(std::clamp(size.x * 0.2F, look.px(272), look.px(340)), size.x * 0.3F),
              right_width = std::min(look.px(288), size.x * 0.3F);
  ImGuiID left = ImGui::DockBuilderSplitNode(middle, ImGuiDir_Left, left_width / size.x, nullptr, &middle);
  const ImGuiID right =
      ImGui::DockBuilderSplitNode(middle, ImGuiDir_Right, right_width / (size.x - left_width), nullptr, &middle);
  const float history_share =
      std::clamp(1 - look.px(kSetupHeight) / size.y, std::min(look.px(kHistoryHeight) / size.y, 0.4F), 0.55F);
  const ImGuiID history = ImGui::DockBuilderSplitNode(left, ImGuiDir_Down, history_share, nullptr, &left);
  ImGuiID charts = ImGui::DockBuilderSplitNode(middle, ImGuiDir_Down, 0.52F, nullptr, &middle);
  ImGuiID second = charts;
  const float middle_width = size.x - left_width - right_width;
  if (middle_width > look.px(1200))
    second = ImGui::DockBuilderSplitNode(charts, ImGuiDir_Right, 0.5F, nullptr, &charts);
  dock(Panel::setup, left);
  dock(Panel::history, history);
  dock(Panel::queue, history);
  for (Panel panel : {Panel::latency, Panel::compare, Panel::log}) dock(panel, middle);
  dock(Panel::tflops, charts);
  dock(Panel::scaling, charts);
  dock(Panel::lengths, charts);
  dock(Panel::explore, charts);
  dock(Panel::map, second);
  dock(Panel::samples, second);
  dock(Panel::details, right);
  ImGui::DockBuilderFinish(root);
}

/// What another size or scale of the window does to the layout: one of the small window takes its place and goes again,
/// charts keep their share of the height, and side panels their width in design pixels.
void follow_size(const Look& look, UiState& ui, ImGuiID root, ImVec2 size) {
  const bool small = is_small(look, size);
  if (!ui.reset_layout && small != ui.small_layout) {
    if (small) ui.wide_layout = ImGui::SaveIniSettingsToMemory();
    ui.reset_layout = small || ui.wide_layout.empty();
    if (!small) ui.layout_to_load = std::exchange(ui.wide_layout, {});
  }
  ui.small_layout = small;
  const ImGuiDockNode* node = ImGui::DockBuilderGetNode(root);
  const float before = std::exchange(ui.layout_scale, look.scale);
  if (!node || node->Size.y <= 0 || size.y <= 0) return;
  // Dear ImGui gives the panels what the bars left in the frame before, so its own height is no measure of a change.
  const float height = ui.layout_height > 0 ? ui.layout_height : node->Size.y;
  ui.layout_height = size.y;
  const ImVec2 factor(before > 0 ? look.scale / before : 1, size.y / height);
  if (factor.x == 1 && factor.y == 1) return;
  for (const ImGuiStoragePair& pair : ImGui::GetCurrentContext()->DockContext.Nodes.Data) {
    auto* part = static_cast<ImGuiDockNode*>(pair.val_p);
    if (part && ImGui::DockNodeGetRootNode(part)->ID == root)
      part->SizeRef = ImVec2(part->SizeRef.x * factor.x, part->SizeRef.y * factor.y);
  }
}

/// A click with the right button on a tab: a button on every tab would close panels by accident.
void draw_tab_menu(Context& context, bool asked) {
  UiState& ui = context.ui;
  if (asked) ImGui::OpenPopup("tab");
  if (!ui.tab_menu || !ImGui::BeginPopup("tab")) return;
  if (ImGui::MenuItem(fmt::format("Close {}", panel_info(*ui.tab_menu).title).c_str()))
    ui.settings.visible[static_cast<std::size_t>(*ui.tab_menu)] = false;
  tooltip(context, "The View menu and its key bring it back.");
  ImGui::EndPopup();
}

/// A layout that was kept before there was a queue has no place for it.
void dock_beside_history(const PanelInfo& info) {
  if (info.panel != Panel::queue) return;
  const ImGuiWindow* history = ImGui::FindWindowByName(window_name(panel_info(Panel::history)).c_str());
  if (history && history->DockId != 0) ImGui::SetNextWindowDockID(history->DockId, ImGuiCond_FirstUseEver);
}

ImGuiKeyChord chord_of(const Shortcut& shortcut) {
  ImGuiKeyChord chord =
      (shortcut.ctrl ? ImGuiMod_Ctrl : 0) | (shortcut.shift ? ImGuiMod_Shift : 0) | (shortcut.alt ? ImGuiMod_Alt : 0);
  const std::string& key = shortcut.key;
  if (key == "Esc") return chord | ImGuiKey_Escape;
  if (key == "Up") return chord | ImGuiKey_UpArrow;
  if (key == "Down") return chord | ImGuiKey_DownArrow;
  if (key == "+") return chord | ImGuiKey_Equal;
  if (key == "-") return chord | ImGuiKey_Minus;
  if (key == ",") return chord | ImGuiKey_Comma;
  if (key == "?") return chord | ImGuiMod_Shift | ImGuiKey_Slash;
  if (key.size() >= 2 && key[0] == 'F')
    return chord | static_cast<ImGuiKey>(ImGuiKey_F1 + std::stoi(key.substr(1)) - 1);
  if (key.size() == 1 && key[0] >= '0' && key[0] <= '9')
    return chord | static_cast<ImGuiKey>(ImGuiKey_0 + (key[0] - '0'));
  if (key.size() == 1 && key[0] >= 'A' && key[0] <= 'Z')
    return chord | static_cast<ImGuiKey>(ImGuiKey_A + (key[0] - 'A'));
  return 0;
}

bool pressed(const Shortcut& shortcut) {
  if (ImGui::IsKeyChordPressed(chord_of(shortcut))) return true;
  if (shortcut.key == "+" && (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_KeypadAdd) ||
                              ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal)))
    return true;
  return shortcut.key == "-" && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract);
}

ImU32 severity_colour(const Theme& theme, Severity severity) {
  return severity == Severity::error ? theme.slower : severity == Severity::warning ? theme.unclear : theme.accent;
}

/// What takes a notice away; where `more` older ones have no room, it says that they come then.
std::string dismiss_label(std::size_t more) {
  return more == 0 ? std::string("Dismiss") : fmt::format("Dismiss, {} more###more", more);
}

/// Width of what can be pressed at a notice.
float buttons_width(const Notice& notice, std::size_t more) {
  const ImGuiStyle& style = ImGui::GetStyle();
  float width = ImGui::CalcTextSize(dismiss_label(more).c_str(), nullptr, true).x + 2 * style.FramePadding.x;
  for (const auto& action : notice.actions)
    width += ImGui::CalcTextSize(action.label.c_str()).x + 2 * style.FramePadding.x + style.ItemSpacing.x;
  return width;
}

/// Where a notice's text goes, and its buttons: beside it, or below where they would leave it no room.
struct NoticePlace {
  float wrap = 0, height = 0;  ///< of the text
  float below = 0;             ///< how much lower the buttons stand
  bool cut = false;            ///< it has more lines than are shown
  std::size_t more = 0;        ///< notices that are older and have no room
};

NoticePlace place_of(const Look& look, const Notice& notice, float width, std::size_t more) {
  constexpr float kMostLines = 3;
  const float beside = width - buttons_width(notice, more) - look.px(8);
  const bool below = beside < look.px(160);
  NoticePlace place;
  place.more = more;
  place.wrap = below ? width : beside;
  const float row = ImGui::GetTextLineHeight(),
              text = ImGui::CalcTextSize(sentence(notice.text).c_str(), nullptr, false, place.wrap).y;
  place.cut = text > kMostLines * row + 1;
  place.height = look.px(36) + std::min(text, kMostLines * row) - row;
  place.below = below ? place.height : 0;
  return place;
}

float height_of(const Look& look, const NoticePlace& place) {
  return place.height + (place.below > 0 ? look.px(36) : 0);
}

void draw_notice(Context& context, const Notice& notice, const NoticePlace& place) {
  const Look& look = context.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, end = at.y + height_of(look, place);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - look.px(12), at.y - look.px(5)),
                                            ImVec2(at.x - look.px(9), end - look.px(5)),
                                            severity_colour(look.theme, notice.severity));
  ImGui::AlignTextToFramePadding();
  ImGui::PushClipRect(at, ImVec2(at.x + place.wrap, at.y + place.height - look.px(7)), true);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + place.wrap);
  coloured_text(look.theme.text, sentence(notice.text));
  ImGui::PopTextWrapPos();
  ImGui::PopClipRect();
  if (place.cut) tooltip(context, notice.text);
  ImGui::SetCursorScreenPos(
      ImVec2(at.x + std::max(0.0F, width - buttons_width(notice, place.more)), at.y + place.below));
  for (const auto& action : notice.actions) {
    if (primary_button(context, action.label.c_str())) {
      context.request(action.request);
      context.request(ask::DismissNotice{notice.id});
    }
    ImGui::SameLine();
  }
  ImGui::PushStyleColor(ImGuiCol_Button, look.theme.line);
  const bool dismissed = ImGui::Button(dismiss_label(place.more).c_str());
  ImGui::PopStyleColor();
  if (place.more > 0) tooltip(context, fmt::format("{} below this one; Log has all.", counted(place.more, "notice")));
  if (dismissed) context.request(ask::DismissNotice{notice.id});
  ImGui::SetCursorScreenPos(ImVec2(at.x, end));
}

}  // namespace

namespace {

/// A popup that stood in the frame before: what closes it, such as Esc, is meant for it alone.
bool popup_stood() {
  return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const ImGuiWindow* window) {
    return (window->Flags & ImGuiWindowFlags_Popup) != 0 && window->WasActive;
  });
}

/// To Dear ImGui an arrow key moves the keyboard's ring, and Alt sends it to the tab. It drops the latter when another
/// key follows in a later frame; where frames are rare, as while something is timed, both come in one.
void keep_ring() {
  ImGui::NavMoveRequestCancel();
  ImGui::GetCurrentContext()->NavWindowingToggleLayer = false;
}

}  // namespace

bool is_enabled(const Context& context, const Command& command) { return command.enabled(context.data, context.ui); }

namespace {

void carry_out_shortcuts(Context& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool popup =
      ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel) || popup_stood();
  for (const Command& command : commands()) {
    if (!*command.shortcut) continue;
    const Shortcut shortcut = parse_shortcut(command.shortcut);
    const bool copies_table = std::holds_alternative<ask::CopyTable>(command.request);
    const bool function_key = shortcut.key.size() >= 2 && shortcut.key[0] == 'F';
    // A letter belongs to the text box, and Ctrl+C and Ctrl+Z to the text in it, while one has the keyboard.
    if (io.WantTextInput &&
        (!(shortcut.ctrl || function_key) || copies_table || std::holds_alternative<ask::Undo>(command.request)))
      continue;
    if (popup && !std::holds_alternative<ask::OpenPalette>(command.request) && !shortcut.ctrl && !function_key)
      continue;
    if (const Panel alone = workspace_info(context.ui.workspace).panel; alone != Panel::count) {
      // What the letters do to sweeps would not be seen; copying takes what is shown.
      if (std::string_view(command.menu) == "Sweep" && !shortcut.ctrl && !function_key) continue;
      if (copies_table) {
        if (pressed(shortcut)) context.request(ask::CopyPanelData{alone});
        continue;
      }
    }
    if (!pressed(shortcut)) continue;
    if (copies_table && !context.ui.table_in_focus.empty()) {
      context.request(ask::CopyText{context.ui.table_in_focus});
      continue;
    }
    if (shortcut.alt) keep_ring();
    if (is_enabled(context, command)) context.request(command.request);
  }
}

}  // namespace

void handle_shortcuts(Context& context) {
  carry_out_shortcuts(context);
  context.ui.table_in_focus.clear();  // a table in the panel that has the keyboard says so in each frame
}

namespace {

/// The pointer is over a panel, a menu or a dialog, or holds something: what stands there may not move.
bool pointer_works() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.MovingWindow != nullptr || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return true;
  if (g.HoveredWindow == nullptr) return false;
  const std::string_view name = g.HoveredWindow->RootWindow->Name;
  return name != kNoticesWindow && name != "##MainMenuBar" && name != "##status";
}

/// Height of the room that the panels leave to notices of `height`. It changes only while the pointer is elsewhere:
/// until then a notice lies over their lower edge.
float room_for_notices(float height) {
  ImGuiWindow* window = ImGui::FindWindowByName(kNoticesWindow);
  if (window == nullptr) return pointer_works() ? 0 : height;  // the first one
  float* room = window->StateStorage.GetFloatRef(ImGui::GetID("room"));
  if (!pointer_works()) *room = height;
  return *room;
}

}  // namespace

void draw_notices(Context& context) {
  std::vector<Notice> notices = context.data.notices;
  std::erase_if(notices, [](const Notice& notice) { return notice.passes(); });
  const Look& look = context.look;
  auto* viewport = static_cast<ImGuiViewportP*>(ImGui::GetMainViewport());
  const ImVec2 size = viewport->Size;
  const std::size_t shown = std::min<std::size_t>(notices.size(), size.y < look.px(450) ? 1 : 3);
  const std::size_t hidden = notices.size() - shown;
  const auto place = [&](const Notice& notice) {
    return place_of(look, notice, size.x - 2 * look.px(12), &notice == &notices[hidden] ? hidden : 0);
  };
  float height = 0;
  for (std::size_t i = hidden; i < notices.size(); ++i) height += height_of(look, place(notices[i]));
  const float room = room_for_notices(height);
  const ImRect free = viewport->GetBuildWorkRect();
  viewport->BuildWorkInsetMax.y += room;
  if (notices.empty()) return;
  ImGui::SetNextWindowPos(ImVec2(free.Min.x, free.Max.y - height));
  ImGui::SetNextWindowSize(ImVec2(free.GetWidth(), height));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, look.theme.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(5)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(0, 0));
  // What comes unasked takes the keyboard from nobody.
  if (ImGui::Begin(kNoticesWindow, nullptr,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings |
                       ImGuiWindowFlags_NoFocusOnAppearing)) {
    if (ImGui::GetCurrentContext()->OpenPopupStack.empty()) ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    for (std::size_t i = hidden; i < notices.size(); ++i) {
      ImGui::PushID(static_cast<int>(notices[i].id));
      draw_notice(context, notices[i], place(notices[i]));
      ImGui::PopID();
    }
    ImGui::Dummy(ImVec2(0, 0));  // Dear ImGui wants an item where the cursor was set
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

namespace {

/// With its tab in view: Dear ImGui scrolls a bar of tabs only to what was clicked there.
void bring_to_front(Panel panel) {
  const std::string name = window_name(panel_info(panel));
  ImGui::SetWindowFocus(name.c_str());
  const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str());
  if (window && window->DockNode && window->DockNode->TabBar)
    window->DockNode->TabBar->NextScrollToTabId = window->TabId;
}

/// Dear ImGui gives the keyboard of a window that goes to the one in front, and brings its tab to the front: after a
/// start with a kept layout that would be the last panel of all.
void keep_shown_tabs_first() {
  const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
  for (const PanelInfo& info : panels()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(window_name(info).c_str());
    const ImGuiDockNode* node = window ? window->DockNode : nullptr;
    if (!node || !node->VisibleWindow || node->VisibleWindow == window || window == focused) continue;
    if (window->FocusOrder > node->VisibleWindow->FocusOrder) ImGui::BringWindowToFocusFront(node->VisibleWindow);
  }
}

}  // namespace

void draw_docked_panels(Context& context) {
  UiState& ui = context.ui;
  const ImGuiID root = ImGui::GetID("dock");
  const ImVec2 size = static_cast<ImGuiViewportP*>(ImGui::GetMainViewport())
                          ->GetBuildWorkRect()
                          .GetSize();  // what the bars leave in this frame
  follow_size(context.look, ui, root, size);
  const bool rebuilt = ui.reset_layout && size.x > 0 && size.y > 0;
  if (rebuilt) {
    build_layout(context.look, root, size);
    ui.layout_height = size.y;
  }
  const ImVec2 tab(context.look.px(kTabPadding.x), context.look.px(kTabPadding.y));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.theme.ground);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, tab);
  ImGui::DockSpaceOverViewport(root, ImGui::GetMainViewport());
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  bool menu_asked = false;
  for (const PanelInfo& info : panels()) {
    if (info.workspace != Workspace::measure) continue;  // has the window to itself
    if (!ui.settings.visible[static_cast<std::size_t>(info.panel)]) continue;
    ImGui::SetNextWindowSize(ImVec2(context.look.px(480), context.look.px(320)), ImGuiCond_FirstUseEver);
    dock_beside_history(info);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, tab);
    const bool open = ImGui::Begin(window_name(info).c_str(), nullptr,
                                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::PopStyleVar();
    tab_tooltip(context, info.help);
    if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
      ui.tab_menu = info.panel;
      menu_asked = true;
    }
    if (open) draw_panel(context, info.panel);
    if (open) ask_row_menu(context, info.panel);
    // Also by its tab, a key, or a control in it.
    if (ui.chart_areas.contains(info.panel) && ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows))
      ui.front_chart = info.panel;
    ImGui::End();
  }
  draw_tab_menu(context, menu_asked);
  draw_row_menu(context);
  // A fresh layout shows any tab of each group: bring the first ones to the front instead, one a frame, once they are
  // there.
  static constexpr std::array kFront{Panel::history, Panel::setup, Panel::map, Panel::tflops, Panel::latency};
  if (ui.front_pending > 0 && --ui.front_pending < static_cast<int>(kFront.size())) {
    bring_to_front(kFront[kFront.size() - 1 - static_cast<std::size_t>(ui.front_pending)]);
  }
  if (rebuilt) {
    ui.reset_layout = false;
    ui.front_pending = static_cast<int>(kFront.size()) + 2;
  }
  if (ui.focus != Panel::count && ui.front_pending == 0) {
    bring_to_front(ui.focus);
    ui.focus = Panel::count;
  }
  if (ui.front_pending == 0) keep_shown_tabs_first();
  ui.fit_charts = false;
}

void draw_workspace_alone(Context& context, Panel panel) {
  // The measurements keep their places meanwhile, unseen: a ground under this window's would cost a screen of pixels.
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);
  ImGui::DockSpaceOverViewport(ImGui::GetID("dock"), ImGui::GetMainViewport(), ImGuiDockNodeFlags_KeepAliveOnly);
  ImGui::PopStyleColor();
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  const float padding = panel == Panel::attention ? 0 : context.look.px(16);  // that one has rules from edge to edge
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, padding));
  ImGui::Begin(window_name(panel_info(panel)).c_str(), nullptr,
               ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  draw_panel(context, panel);
  ImGui::End();
}

void draw_alone(Context& context, Panel panel) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(context.look.px(kControlPadding.x), context.look.px(kControlPadding.y)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.look.px(16), context.look.px(16)));
  ImGui::Begin(fmt::format("##alone_{}", panel_info(panel).id).c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  draw_panel(context, panel);
  ImGui::End();
  ImGui::PopStyleVar();
}

void draw_shell(Context& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(context.look.px(kControlPadding.x), context.look.px(kControlPadding.y)));
  handle_shortcuts(context);
  draw_toolbar(context);
  draw_status_bar(context);
  draw_notices(context);
  const Panel alone = workspace_info(context.ui.workspace).panel;
  if (alone != Panel::count && !context.ui.reset_layout) {
    draw_workspace_alone(context, alone);
  } else {
    draw_docked_panels(context);
  }
  draw_palette(context);
  draw_help(context);
  draw_document(context);
  draw_licences(context);
  draw_settings(context);
  draw_path_dialog(context);
  draw_delete_dialog(context);
  draw_run_dialog(context);
  draw_prefix_dialog(context);
  ImGui::PopStyleVar();
}

}  // namespace triscope
