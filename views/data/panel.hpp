// The panels of the window: each has a name, a title, one sentence of help, and the workspace that shows it.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace triscope {

/// Panels, in the order in which menus list them.
enum class Panel {
  latency,
  tflops,
  map,
  scaling,
  lengths,
  samples,
  explore,
  compare,
  paper,
  details,
  setup,
  history,
  queue,
  log,
  attention,
  mean,
  count
};

/// Whether its picture can be made of lines and text; one of another panel has pixels alone.
constexpr bool has_vectors(Panel panel) {
  return panel != Panel::setup && panel != Panel::history && panel != Panel::queue && panel != Panel::log;
}

/// Whether row i of a table is that of panel i, so that panels are its indices.
template <typename Rows>
constexpr bool is_by_panel(const Rows& rows) {
  if (std::size(rows) != static_cast<std::size_t>(Panel::count)) return false;
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    if (rows[i].panel != static_cast<Panel>(i)) return false;
  }
  return true;
}

/// What the window shows at a time, as the toolbar lists it: panels side by side, or one that has it to itself.
enum class Workspace { measure, attention, paper, count };

struct PanelInfo {
  Panel panel;
  const char* id;     ///< "latency": --panel, settings, file names
  const char* title;  ///< window title
  const char* help;   ///< one sentence, on hovering the tab
  Workspace workspace = Workspace::measure;
};
struct WorkspaceInfo {
  Workspace workspace;
  const char* name;
  const char* help;  ///< with its key
  Panel panel;       ///< that has it to itself; Panel::count: panels side by side
};
std::span<const WorkspaceInfo> workspaces();
const WorkspaceInfo& workspace_info(Workspace workspace);
std::span<const PanelInfo> panels();
const PanelInfo& panel_info(Panel panel);
/// The panel called `id`, or nullptr.
const PanelInfo* find_panel(std::string_view id);

}  // namespace triscope
