#include "kernels/base/text/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace triscope {
namespace {

constexpr std::size_t kFarthest = 2;

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

/// Edits (insert, delete, replace) between two words; capitals are as good as small letters.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest_name(const std::string& word, std::span<const std::string> known) {
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  if (nearest == known.end() || edit_distance(word, *nearest) > kFarthest) return std::nullopt;
  return *nearest;
}

std::string nearest_name_hint(const std::string& word, std::span<const std::string> known) {
  const std::optional<std::string> nearest = nearest_name(word, known);
  return nearest ? fmt::format("did you mean {}? ", *nearest) : "";
}

}  // namespace triscope
