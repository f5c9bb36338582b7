// A key chord without Dear ImGui: modifiers and the key's name.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

struct Shortcut {
  bool ctrl = false, shift = false, alt = false;
  std::string key;  ///< "P", "F5", "?", "1", "Esc", "-", "+", ","
};
/// "Ctrl+Shift+P" taken apart.
Shortcut parse_shortcut(std::string_view text);

}  // namespace triscope
