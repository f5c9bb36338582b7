// The panels of the window: each has a name, a title and one sentence of help.
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
  compare,
  paper,
  details,
  setup,
  history,
  log,
  attention,
  count
};

/// Whether row i of a table is that of panel i, so that panels are its indices.
template <typename Rows>
constexpr bool is_by_panel(const Rows& rows) {
  if (std::size(rows) != static_cast<std::size_t>(Panel::count)) return false;
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    if (rows[i].panel != static_cast<Panel>(i)) return false;
  }
  return true;
}

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

}  // namespace triscope
