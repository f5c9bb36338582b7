// Everything a user can do by name, in one table: menus, palette, shortcuts and the help page are made from it.
#pragma once

#include <span>
#include <stdexcept>
#include <variant>

#include "views/data/request.hpp"
#include "views/data/window_data.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

struct Command {
  Request request;       ///< what it does; handlers: app/window/application_requests.cpp
  const char* menu;      ///< "File", "Edit", "View", "Sweep", "Help"; "Lengths": not in a menu, of that panel
  const char* label;     ///< imperative; "..." when it asks for more
  const char* shortcut;  ///< "Ctrl+Shift+P", ""; parsed by `parse_shortcut`
  const char* help;      ///< one sentence
  /// Whether it makes sense now; menus and palette grey it out otherwise, and its key does nothing.
  bool (*enabled)(const WindowData& data, const UiState& ui);
  const char* words = "";  ///< that a person may look for instead: "figure export"
  const char* needs = "";  ///< what it takes to be enabled, where that is not plain: "a baseline (B)"
};

std::span<const Command> commands();

/// Its label as menu and palette show it now: the star of a sweep that has one is taken away.
const char* label_now(const Command& command, const WindowData& data);

/// The first command that asks for `Kind`. Throws `std::logic_error` where there is none: a test names each kind that
/// is looked up. What needs a sweep, a measurement or a text to be named comes from a panel and has no command.
/// Requests for a file have some, but are not looked up here: `Request` knows them as one kind, `FileRequest`.
template <typename Kind>
const Command& command_for() {
  for (const Command& command : commands()) {
    if (std::holds_alternative<Kind>(command.request)) return command;
  }
  throw std::logic_error("no command asks for this");
}

}  // namespace triscope
