// The panels of the window: each has a name, a title and one sentence of help.
#pragma once

#include <span>
#include <string_view>

namespace triscope {

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

}  // namespace triscope
