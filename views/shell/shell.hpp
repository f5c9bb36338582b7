// What stands around the panels: menus, toolbar, notices, docking, status bar, palette, help, settings, dialogs.
#pragma once

#include "views/command/command.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// Draws the whole window for one frame.
void draw_shell(Context& context);

/// Draws one panel over the whole window, under its title: for pictures in reports.
void draw_alone(Context& context, Panel panel);

// Parts, each drawn by `draw_shell`.
void draw_toolbar(Context& context);
void draw_notices(Context& context);
void draw_status_bar(Context& context);
void draw_docked_panels(Context& context);
void draw_palette(Context& context);
void draw_help(Context& context);
void draw_document(Context& context);
void draw_licences(Context& context);
void draw_settings(Context& context);
void draw_path_dialog(Context& context);
void draw_delete_dialog(Context& context);
/// Asks before a sweep that takes long or much memory.
void draw_run_dialog(Context& context);
void draw_prefix_dialog(Context& context);

/// Emits the requests of pressed shortcuts, unless text is being typed.
void handle_shortcuts(Context& context);

/// Whether a command makes sense now; menus and palette grey it out otherwise.
bool is_enabled(const Context& context, const Command& command);

/// What lies behind everything, to be cleared with. A panel that has the window to itself draws no ground of its own.
inline ImU32 ground_of(const UiState& ui, const Theme& theme) {
  return ui.workspace == Workspace::measure ? theme.ground : theme.panel;
}

}  // namespace triscope
