// Palette, help, settings, and the two questions the window asks.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "kernels/base/third_party.hpp"
#include "profiler/plan/done_count.hpp"
#include "profiler/search/documents.hpp"
#include "views/command/palette.hpp"
#include "views/data/format.hpp"
#include "views/parts/dialog.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

void palette_rows(Context& context, const std::vector<PaletteItem>& found, bool chosen, bool moved) {
  UiState& ui = context.ui;
  const Look& look = context.look;
  ui.palette_row = std::clamp(ui.palette_row, 0, std::max(0, static_cast<int>(found.size()) - 1));
  ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0, 0.5F));
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);  // the arrow keys choose a row; the field keeps the keyboard
  const ImGuiStyle& style = ImGui::GetStyle();
  const float highest = ImGui::GetMainViewport()->WorkSize.y - 2 * style.DisplaySafeAreaPadding.y;  // of a low window
  const float room = highest - ImGui::GetCursorPosY() - style.WindowPadding.y;
  if (ImGui::BeginChild("found", ImVec2(0, std::min(look.px(320), room)))) {
    ImGui::Dummy(ImVec2(0, look.px(1)));
    for (int i = 0; i < static_cast<int>(found.size()); ++i) {
      const PaletteItem& item = found[static_cast<std::size_t>(i)];
      const bool enabled = item.why.empty();
      ImGui::PushID(i);
      const bool clicked = ImGui::Selectable(item.label.c_str(), i == ui.palette_row,
                                             enabled ? 0 : ImGuiSelectableFlags_Disabled, ImVec2(0, look.px(24)));
      if (i == ui.palette_row && moved) ImGui::SetScrollHereY();
      const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
      ImGui::PushFont(look.text, kSecondarySize);
      const std::string right =
          enabled ? item.shortcut.empty() ? item.kind : item.kind + "   " + item.shortcut : item.why;
      const float width = ImGui::CalcTextSize(right.c_str()).x;
      const float y = std::round((low.y + high.y - ImGui::GetTextLineHeight()) / 2);
      const float left = high.x - width - look.px(8);
      // Over the end of a long label.
      ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(left - look.px(8), low.y + 1), ImVec2(high.x, high.y - 1),
                                                i == ui.palette_row ? look.theme.accent_soft : look.theme.panel);
      ImGui::GetWindowDrawList()->AddText(ImVec2(left, y), look.theme.muted, right.c_str());
      ImGui::PopFont();
      ImGui::PopID();
      if ((clicked || (chosen && i == ui.palette_row)) && enabled) {
        context.request(item.request);
        ImGui::CloseCurrentPopup();
      }
    }
    if (found.empty()) muted_text(context, "Nothing has that in its name.");
  }
  ImGui::EndChild();
  ImGui::PopItemFlag();
  ImGui::PopStyleVar();
}

void draw_close_button(const Context& context) {
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  if (primary_button(context, "Close") || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
}

/// Help, one group per menu.
void help_group(const Context& context, const char* menu) {
  section(context, menu);
  if (!ImGui::BeginTable(menu, 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, context.look.px(84));
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  for (const Command& command : commands()) {
    if (std::string_view(command.menu) != menu) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    {
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() +
                           context.look.px(1));  // onto the base line of the larger text beside it
      const NumberFont font(context.look, kSecondarySize);
      coloured_text(context.look.theme.accent, command.shortcut);
    }
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(command.label);
    tooltip(context, command.help);
  }
  ImGui::EndTable();
}

/// One part; what can be fetched says what is downloaded, and copies the command that does it.
void licence_row(Context& context, const ThirdPartyPart& part) {
  const Theme& theme = context.look.theme;
  const auto cell = [](ImU32 colour, std::string_view text) {
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    coloured_text(colour, text);
    ImGui::PopTextWrapPos();
  };
  ImGui::TableNextRow();
  cell(theme.text, part.name);
  cell(theme.muted, part.version);
  cell(theme.text, part.licence);
  ImGui::TableNextColumn();
  muted_text(context, sentence(std::string(part.use)), true);
  if (part.command.empty()) return;
  const std::string command(part.command);
  ImGui::PushID(command.c_str());
  if (ImGui::SmallButton("Copy command")) context.request(ask::CopyText{command});
  ImGui::PopID();
  {
    const NumberFont font(context.look, kSecondarySize);
    ImGui::PushTextWrapPos(0);
    coloured_text(theme.accent, command);
    ImGui::PopTextWrapPos();
  }
  muted_text(context, fmt::format("Downloads {}.", part.download), true);
}

}  // namespace

void draw_palette(Context& context) {
  UiState& ui = context.ui;
  if (ui.palette_open) {
    ui.palette_open = false;
    ui.palette_text.clear();
    ui.palette_row = 0;
    ImGui::OpenPopup("Find a command");
  }
  place_dialog(context.look, 620, 0.12F);
  if (!ImGui::BeginPopup("Find a command", ImGuiWindowFlags_NoMove)) return;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool chosen =
      ImGui::InputTextWithHint("##find", "A command, row, kernel, sweep, counter, or a word of the manual",
                               &ui.palette_text, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) ui.palette_row = 0;
  const int step = (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
  ui.palette_row += step;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  palette_rows(context, search_everything(ui.palette_text, context.data, ui, context.models), chosen, step != 0);
  ImGui::EndPopup();
}

void draw_help(Context& context) {
  UiState& ui = context.ui;
  if (ui.help_open) {
    ui.help_open = false;
    ImGui::OpenPopup("Keyboard and commands");
  }
  if (!begin_dialog(context.look, "Keyboard and commands", 1040)) return;
  dialog_heading(context.look, "Keyboard and commands");
  begin_dialog_text(context.look, "commands");
  const int columns = std::clamp(static_cast<int>(ImGui::GetContentRegionAvail().x / context.look.px(300)), 1, 3);
  if (ImGui::BeginTable("groups", columns, ImGuiTableFlags_SizingStretchSame)) {
    ImGui::TableNextColumn();
    help_group(context, "Sweep");
    help_group(context, "File");
    ImGui::TableNextColumn();
    help_group(context, "View");
    ImGui::TableNextColumn();
    help_group(context, "Edit");
    help_group(context, "Lengths");
    help_group(context, "Help");
    section(context, "Charts");
    muted_text(context,
               "Drag to pan, wheel to zoom, drag with the right button to zoom into a box, double-click to fit, click "
               "the legend to hide. Click a bar, point or cell to select it.",
               true);
    section(context, "Selecting several");
    muted_text(context,
               "Ctrl+click adds or takes out, Shift+click selects all between. In a table drag over rows, in a chart "
               "drag with Shift, or with Ctrl to add. Arrow keys walk on, with Shift they add; Ctrl+A takes all rows.",
               true);
    section(context, "Without the mouse");
    muted_text(context,
               "Ctrl+Tab goes to another panel, Tab and the arrow keys from control to control, Space presses, Enter "
               "types into a field. Alt reaches the menus.",
               true);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  draw_close_button(context);
  ImGui::EndPopup();
}

void draw_document(Context& context) {
  UiState& ui = context.ui;
  if (ui.document.empty()) return;
  const Document* document = find_document(ui.document);
  if (!ImGui::IsPopupOpen("document")) ImGui::OpenPopup("document");
  if (!document || !begin_dialog(context.look, "document", 760)) return ui.document.clear();
  dialog_heading(context.look, ui.document.c_str());
  const Look& look = context.look;
  if (begin_dialog_text(look, "text")) {
    for (const DocumentPart& part : parts_of(document->text)) {
      if (part.level == 1) {
        ImGui::PushFont(look.heading, kHeadingSize);
        ImGui::TextUnformatted(part.heading.c_str());
        ImGui::PopFont();
      } else {
        section(context, part.heading.c_str());
      }
      if (!ui.document_heading.empty() && part.heading == ui.document_heading) {
        ImGui::SetScrollHereY(0);
        ui.document_heading.clear();
      }
      ImGui::PushTextWrapPos(0);
      for (const std::string& line : part.lines) {
        if (line.starts_with("    ")) {
          const NumberFont font(look, kSecondarySize);
          ImGui::TextUnformatted(line.c_str());
        } else {
          ImGui::TextUnformatted(line.c_str());
        }
      }
      ImGui::PopTextWrapPos();
    }
  }
  ImGui::EndChild();
  ImGui::Dummy(ImVec2(0, look.px(8)));
  if (primary_button(context, "Close") || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    ui.document.clear();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void draw_licences(Context& context) {
  if (context.ui.licences_open) {
    context.ui.licences_open = false;
    ImGui::OpenPopup("Third-party parts and licences");
  }
  if (!begin_dialog(context.look, "Third-party parts and licences", 940)) return;
  dialog_heading(context.look, "Third-party parts and licences");
  muted_text(context,
             "Triscope itself: MIT. Baselines are other people's libraries: Triscope contains nothing of them, and "
             "you download them yourself.",
             true);
  ImGui::PushItemFlag(ImGuiItemFlags_NoNavDefaultFocus, true);  // of the keyboard: Close has it
  begin_dialog_text(context.look, "licences");
  if (ImGui::BeginTable(
          "parts", 4,
          ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_NoPadOuterX)) {
    ImGui::TableSetupColumn("part", ImGuiTableColumnFlags_WidthStretch, 150);
    ImGui::TableSetupColumn("version", ImGuiTableColumnFlags_WidthStretch, 180);
    ImGui::TableSetupColumn("licence", ImGuiTableColumnFlags_WidthStretch, 210);
    ImGui::TableSetupColumn("use", ImGuiTableColumnFlags_WidthStretch, 380);
    header_row(context, {false, false, false, false});
    for (const ThirdPartyPart& part : third_party_parts()) licence_row(context, part);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  ImGui::PopItemFlag();
  draw_close_button(context);
  ImGui::EndPopup();
}

void draw_settings(Context& context) {
  UiState& ui = context.ui;
  Settings& settings = ui.settings;
  if (ui.settings_open) {
    ui.settings_open = false;
    ImGui::OpenPopup("Settings");
  }
  if (!begin_dialog(context.look, "Settings", 460)) return;
  dialog_heading(context.look, "Settings");
  const float label = context.look.px(140);
  const auto name = [&](const char* text) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(label);
  };
  name("Theme");
  const auto theme = [&](const char* text, ThemeChoice choice) {
    if (chip(context, text, settings.theme == choice)) settings.theme = choice;
    ImGui::SameLine();
  };
  theme("System", ThemeChoice::system);
  theme("Dark", ThemeChoice::dark);
  theme("Light", ThemeChoice::light);
  ImGui::NewLine();
  name("Interface scale");
  float percent = settings.scale * 100;
  ImGui::SetNextItemWidth(-1);
  // Applied when the slider is let go: scaling under the pointer would move the slider away from it.
  ImGui::SliderFloat("##scale", &percent, kSmallestScale * 100, kLargestScale * 100, "%.0f %%",
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput);
  if (ImGui::IsItemActive()) {
    ui.pending_scale = percent / 100;
  } else if (ui.pending_scale > 0) {
    settings.scale = ui.pending_scale;
    ui.pending_scale = 0;
  }
  name("Counts as the same");
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("within");
  ImGui::SameLine();
  double tolerance = settings.tolerance * 100;
  if (typed_field(context, "##tolerance", tolerance, -1, {.least = 0, .most = 50}, " %"))
    settings.tolerance = tolerance / 100;
  field_problems(context);
  muted_text(context,
             "A verdict is \"same\" when the whole interval of the ratio lies within this; between separate runs "
             "within 4 times this, since their intervals are wider.",
             true);
  draw_close_button(context);
  ImGui::EndPopup();
}

void draw_delete_dialog(Context& context) {
  UiState& ui = context.ui;
  if (ui.delete_asked == 0) return;
  if (!ImGui::IsPopupOpen("delete")) ImGui::OpenPopup("delete");
  if (!begin_dialog(context.look, "delete", 420)) return;
  dialog_heading(context.look, "Delete this sweep?");
  const auto found = std::find_if(context.data.sweeps.begin(), context.data.sweeps.end(),
                                  [&](const SweepInfo& sweep) { return sweep.id == ui.delete_asked; });
  if (found != context.data.sweeps.end()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(
        fmt::format("{} ({}, {}): {} with all samples. Undo brings it back until this database is closed.",
                    context.models.name(*found).title, format_started(found->started, context.now),
                    found->environment.device_name, counted(done_count(*found), "measurement"))
            .c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
  const bool keep = primary_button(context, "Keep it");
  ImGui::SetItemDefaultFocus();
  ImGui::SameLine();
  const bool yes = ImGui::Button("Delete");
  const bool kept_by_key = ImGui::IsKeyPressed(ImGuiKey_Escape) || (enter && !ImGui::IsItemFocused());
  const bool no = !yes && (keep || kept_by_key);
  if (yes) context.request(ask::DeleteSweep{ui.delete_asked});
  if (yes || no) {
    ui.delete_asked = 0;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void draw_run_dialog(Context& context) {
  UiState& ui = context.ui;
  const PlanPreview* preview = context.data.preview.get();
  if (!ui.run_asked || !preview) return;
  if (!ImGui::IsPopupOpen("run")) ImGui::OpenPopup("run");
  if (!begin_dialog(context.look, "run", 420)) return;
  dialog_heading(context.look, "Start this sweep?");
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(fmt::format("{}: {}. Stop keeps what was measured by then.",
                                     counted(preview->measurements, "measurement"),
                                     plan_warning(*preview, ui.form, context.data.machine.catalog.get()))
                             .c_str());
  ImGui::PopTextWrapPos();
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  const bool yes = primary_button(context, "Measure");
  ImGui::SameLine();
  const bool no = ImGui::Button("Change it") || ImGui::IsKeyPressed(ImGuiKey_Escape);
  ImGui::SetItemDefaultFocus();
  if (yes) context.request(ask::Run{true});
  if (no) context.request(ask::ShowPanel{Panel::setup});
  if (yes || no) {
    ui.run_asked = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace triscope
