#include "views/data/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "views/data/format.hpp"

namespace triscope {
namespace {

/// "32,768": one to three digits, then groups of three.
bool has_thousands(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == 0 || first > 3 || (text.size() - first) % 4 != 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool comma = i >= first && (i - first) % 4 == 0;
    if (comma ? text[i] != ',' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

}  // namespace

std::optional<double> read_number(std::string_view text, const NumberBounds& bounds) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  double factor = 1;
  if (bounds.whole && text.size() > 1 && (text.back() == 'k' || text.back() == 'K')) {
    factor = 1024;  // as in the sweep setup
    text.remove_suffix(1);
  }
  std::string digits(text);
  if (bounds.whole && has_thousands(text)) std::erase(digits, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  if (bounds.whole && value != std::trunc(value)) return std::nullopt;
  value *= factor;
  if (value < bounds.least || value > bounds.most) return std::nullopt;
  return value;
}

std::string number_problem(std::string_view text, const NumberBounds& bounds) {
  const auto number = [&](double one) {
    return bounds.whole ? format_count(std::llround(one)) : fmt::format("{:.6g}", one);
  };
  return fmt::format("'{}' is no {}number from {} to {}", text, bounds.whole ? "whole " : "", number(bounds.least),
                     number(bounds.most));
}

}  // namespace triscope
