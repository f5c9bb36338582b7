// Settings and layout, per user: $XDG_CONFIG_HOME/triscope/window.json and layout.ini.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "views/model/ui_state.hpp"

namespace triscope {

/// Raised when panels are added or renamed: an older layout is not restored.
inline constexpr int kLayoutVersion = 1;

/// $XDG_CONFIG_HOME/triscope, or ~/.config/triscope; empty when neither is known.
std::filesystem::path settings_folder();

struct StoredSettings {
  Settings settings;
  std::string request_json;                           ///< the setup form as a sweep request; empty = none
  bool counters = false;                              ///< of the form: a request names them only where a GPU has them
  std::vector<std::string> excluded_kernels{};        ///< likewise
  FramedKeeps framed_keeps = FramedKeeps::as_framed;  ///< of the attention panel
  std::string layout;                                 ///< Dear ImGui's ini text; empty = default layout
  std::string problem;  ///< what could not be read and what was done about it; empty = fine
};

/// Never throws: what cannot be read is replaced by defaults, the file is kept as *.unreadable, and `problem` says so.
StoredSettings load_settings(const std::filesystem::path& folder);

/// Defaults, after a start that crashed: both files are kept as *.unreadable, and `problem` says so.
StoredSettings settings_after_crash(const std::filesystem::path& folder);

/// Throws `Error` when the files cannot be written; the old ones stay as they were.
void save_settings(const std::filesystem::path& folder, const StoredSettings& stored);

}  // namespace triscope
