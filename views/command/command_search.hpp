// Finds commands by a few letters.
#pragma once

#include <string_view>
#include <vector>

#include "views/command/command.hpp"

namespace triscope {

/// Commands whose label, menu or help match `query`, best first. Matching is by words and, failing that, by letters in
/// order ("rsl" finds "Reset layout"). An empty query returns all.
std::vector<const Command*> search_commands(std::string_view query);

/// The same in two: those that hold the words of `query`, and those that only have its letters in order.
struct FoundCommands {
  std::vector<const Command*> by_words, by_letters;
};
FoundCommands find_commands(std::string_view query);

}  // namespace triscope
