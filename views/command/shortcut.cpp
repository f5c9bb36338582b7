#include "views/command/shortcut.hpp"

namespace triscope {

Shortcut parse_shortcut(std::string_view text) {
  Shortcut shortcut;
  const auto take = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    if (take("Ctrl+")) shortcut.ctrl = more = true;
    if (take("Shift+")) shortcut.shift = more = true;
    if (take("Alt+")) shortcut.alt = more = true;
  }
  shortcut.key = text;
  return shortcut;
}

}  // namespace triscope
