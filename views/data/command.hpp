// Everything a user can do, in one table: menus, palette, shortcuts and the help page are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

enum class CommandId {
  open_database,
  open_recorded,
  import_database,
  save_table,
  save_chart,
  save_window_picture,
  quit,
  copy_table,
  copy_markdown,
  copy_csv,
  copy_latex,
  copy_chart,
  copy_chart_data,
  undo,
  filter,
  unpin,
  settings,
  show_panel,
  fit_charts,
  toggle_theme,
  scale_up,
  scale_down,
  scale_reset,
  reset_layout,
  palette,
  help,
  licences,
  run,
  stop,
  resume,
  set_baseline,
  clear_baseline,
  compare,
  star,
  delete_sweep,
  save_note,
  show_sweep,
  select_measurement,
  preview_plan,
  dismiss_notice,
  note_measurement,
  export_text,
  copy_text,
  inspect_again,
  save_slice,
  show_measurements,
  list_folder,
  save_copy,
  choose_tensors,
  choose_labels,
};

/// A command with its arguments, as a panel emits it. The application carries it out after the frame.
struct Request {
  CommandId id;
  std::int64_t number = 0;  ///< sweep or measurement id, panel index
  std::string text;         ///< path, note, notice id
};

struct Command {
  CommandId id;
  const char* menu;         ///< "File", "Edit", "View", "Sweep", "Help"; nullptr = not in menus, palette or help
  const char* label;        ///< imperative; "..." when it asks for more
  const char* shortcut;     ///< "Ctrl+Shift+P", ""; parsed by `parse_shortcut`
  const char* help;         ///< one sentence
  std::int64_t number = 0;  ///< the argument of `Request`
};

/// Panels in the order of the digit keys.
enum class Panel {
  latency,
  tflops,
  map,
  scaling,
  lengths,
  samples,
  compare,
  paper,
  details,
  setup,
  history,
  log,
  attention,
  count
};
struct PanelInfo {
  Panel panel;
  const char* id;     ///< "latency": --panel, settings, file names
  const char* title;  ///< window title
  const char* help;   ///< one sentence, on hovering the tab
};
std::span<const PanelInfo> panels();
const PanelInfo& panel_info(Panel panel);
/// The panel called `id`, or nullptr.
const PanelInfo* find_panel(std::string_view id);

std::span<const Command> commands();
const Command* find_command(CommandId id, std::int64_t number = 0);

/// Commands whose label, menu or help match `query`, best first. Matching is by words and, failing that, by letters in
/// order ("rsl" finds "Reset layout"). An empty query returns all.
std::vector<const Command*> search_commands(std::string_view query);

/// A key chord without Dear ImGui: modifiers and the key's name.
struct Shortcut {
  bool ctrl = false, shift = false, alt = false;
  std::string key;  ///< "P", "F5", "?", "1", "Esc", "-", "+", ","
};
Shortcut parse_shortcut(std::string_view text);

}  // namespace triscope
