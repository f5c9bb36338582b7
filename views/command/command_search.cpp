#include "views/command/command_search.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace triscope {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool letters_in_order(std::string_view text, std::string_view letters) {
  std::size_t found = 0;
  for (char c : text) {
    if (found < letters.size() && c == letters[found]) ++found;
  }
  return found == letters.size();
}

constexpr int kScattered = 5;  ///< rank of a command that only has the letters, in order

/// Lower is better; negative = no match.
int rank(const Command& command, const std::string& query) {
  const std::string label = lowered(command.label);
  if (label.starts_with(query)) return 0;
  if (label.find(" " + query) != std::string::npos) return 1;
  if (label.find(query) != std::string::npos) return 2;
  if (lowered(command.menu).starts_with(query)) return 3;
  if (lowered(command.help).find(query) != std::string::npos) return 4;
  if ((" " + lowered(command.words)).find(" " + query) != std::string::npos) return 4;
  if (!letters_in_order(label, query)) return -1;
  return label.front() == query.front() ? kScattered : kScattered + 1;
}

}  // namespace

FoundCommands find_commands(std::string_view query) {
  const std::string wanted = lowered(query);
  std::vector<std::pair<int, const Command*>> ranked;
  for (const Command& command : commands()) {
    const int value = wanted.empty() ? 0 : rank(command, wanted);
    if (value >= 0) ranked.emplace_back(value, &command);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  FoundCommands found;
  for (const auto& [value, command] : ranked)
    (value < kScattered ? found.by_words : found.by_letters).push_back(command);
  return found;
}

std::vector<const Command*> search_commands(std::string_view query) {
  FoundCommands found = find_commands(query);
  found.by_words.insert(found.by_words.end(), found.by_letters.begin(), found.by_letters.end());
  return found.by_words;
}

}  // namespace triscope
