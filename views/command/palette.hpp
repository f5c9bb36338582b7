// What the palette finds by a few letters: commands, and beside them everything that has a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/data/request.hpp"
#include "views/data/window_data.hpp"
#include "views/model/models.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

struct PaletteItem {
  std::string label;
  std::string kind;      ///< a command's menu; "row", "kernel", "sweep", "page of the paper", "counter", "manual"
  std::string shortcut;  ///< of a command
  std::string why;       ///< it cannot be chosen now; empty: it can
  Request request;
};

/// Commands first, as `search_commands` ranks them; then, for two letters or more, rows of the shown sweep, kernels,
/// sweeps, pages of the paper, counters and parts of the documentation whose words hold all of the query's. Of these
/// the ones whose names hold the query's words as one phrase stand first. At most a few of each. Commands that only
/// have the letters come last.
std::vector<PaletteItem> search_everything(std::string_view query, const WindowData& data, const UiState& ui,
                                           Models& models);

}  // namespace triscope
