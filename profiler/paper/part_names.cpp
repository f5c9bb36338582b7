#include "profiler/paper/part_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace triscope {
namespace {

/// The numbers of one kind: "Table 2", "Tables 3 and 4", "Listings 1 to 3".
std::string kind_text(const std::string& kind, const std::vector<int>& numbers) {
  const std::string name = fmt::format("{}{}", static_cast<char>(kind[0] - 'a' + 'A'), kind.substr(1));
  if (numbers.size() == 1) return fmt::format("{} {}", name, numbers[0]);
  return fmt::format("{}s {} {} {}", name, numbers.front(), numbers.size() == 2 ? "and" : "to", numbers.back());
}

}  // namespace

std::string paper_numbers(std::string_view PartName::*of, std::string_view id) {
  std::vector<std::pair<std::string, std::vector<int>>> kinds;  // in the order of the names
  for (const PartName& one : kPartNames) {
    const char last = one.name.back();
    if (one.*of != id || last < '0' || last > '9') continue;
    const std::string kind(one.name.substr(0, one.name.size() - 1));
    if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, std::vector<int>{});
    kinds.back().second.push_back(last - '0');
  }
  std::vector<std::string> texts;
  for (const auto& [kind, numbers] : kinds) texts.push_back(kind_text(kind, numbers));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace triscope
