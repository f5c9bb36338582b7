#include "app/cli/options/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/base/text/list_items.hpp"
#include "kernels/base/text/shell_word.hpp"

namespace triscope {
namespace {

/// A run of decimal digits, the whole of `text`; false when it is anything else. Sets `overflow` when it is too large.
bool read_digits(std::string_view text, std::int64_t& value, bool& overflow) {
  overflow = false;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  overflow = error == std::errc::result_out_of_range;
  return overflow || (error == std::errc() && end == text.data() + text.size());
}

/// A finite decimal number, the whole of `text`. One that a double cannot hold sets `beyond`, too.
bool read_decimal(std::string_view text, double& value, bool* beyond = nullptr) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (beyond != nullptr) *beyond = error == std::errc::result_out_of_range && end == text.data() + text.size();
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

void refuse_value(std::string_view option, std::string_view token, std::string_view why, std::string_view fix) {
  throw Error(fmt::format("{} {}", option, token.empty() ? "''" : fmt::format("'{}'", token)), std::string(why),
              std::string(fix), ExitCode::usage);
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view item : list_items(text)) {
    if (item.empty()) refuse_value(option, text, "an item of the list is empty", "separate items with single commas");
    items.emplace_back(item);
  }
  return items;
}

std::int64_t parse_count(std::string_view option, std::string_view token) {
  constexpr std::string_view kFix = "give a whole number above zero, such as 4096 or 8k";
  std::string_view digits = token;
  std::int64_t unit = 1;
  if (!digits.empty()) {
    const char suffix = digits.back();
    if (suffix == 'k' || suffix == 'K') unit = 1024;
    if (suffix == 'm' || suffix == 'M') unit = 1024 * 1024;
    if (unit != 1) digits.remove_suffix(1);
  }
  std::int64_t value = 0;
  bool overflow = false;
  if (!read_digits(digits, value, overflow)) refuse_value(option, token, "this is not a whole number above zero", kFix);
  if (overflow || value > std::numeric_limits<std::int64_t>::max() / unit)
    refuse_value(option, token, "the number is too large", kFix);
  if (value == 0) refuse_value(option, token, "zero is too few", "give 1 or more");
  return value * unit;
}

std::int64_t parse_id(std::string_view option, std::string_view token) {
  std::int64_t value = 0;
  bool overflow = false;
  if (!read_digits(token, value, overflow) || overflow || value == 0) {
    refuse_value(option, token, "this is not the number of a sweep or measurement",
                 "give one that `triscope list` or `triscope show` prints");
  }
  return value;
}

std::uint64_t parse_seed(std::string_view option, std::string_view token) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) {
    refuse_value(option, token, "this is not a whole number from 0 to 2^64 - 1", "give one such as 1");
  }
  return value;
}

double parse_number(std::string_view option, std::string_view token) {
  double value = 0;
  bool beyond = false;
  if (!read_decimal(token, value, &beyond)) {
    if (beyond)
      refuse_value(option, token, "it is too large, or too near zero, for a double",
                   "give 0, or one such as 0.125 or -1e-3");
    refuse_value(option, token, "this is not a finite decimal number", "give one such as 0.125 or -1e-3");
  }
  return value;
}

double parse_percent(std::string_view option, std::string_view token) {
  constexpr std::string_view kFix = "give a percentage with its sign, such as 0.5%";
  if (!token.ends_with('%')) refuse_value(option, token, "the percent sign is missing", kFix);
  double value = 0;
  if (!read_decimal(token.substr(0, token.size() - 1), value))
    refuse_value(option, token, "this is not a percentage", kFix);
  if (!(value > 0) || value > 100) refuse_value(option, token, "a percentage must be above 0 and at most 100", kFix);
  return value / 100;
}

std::int64_t parse_duration_ns(std::string_view option, std::string_view token) {
  constexpr std::string_view kFix = "give a time with its unit, such as 250ms, 10s, 2min or 1h";
  struct Unit {
    std::string_view suffix;
    double nanoseconds;
  };
  for (const Unit unit : {Unit{"ms", 1e6}, Unit{"min", 60e9}, Unit{"s", 1e9}, Unit{"h", 3600e9}}) {
    if (!token.ends_with(unit.suffix)) continue;
    double value = 0;
    if (!read_decimal(token.substr(0, token.size() - unit.suffix.size()), value)) break;
    const double nanoseconds = value * unit.nanoseconds;
    if (!(nanoseconds >= 1) || nanoseconds > 24 * 3600e9) {
      refuse_value(option, token, "the time must be above zero and at most 24 hours", kFix);
    }
    return static_cast<std::int64_t>(std::llround(nanoseconds));
  }
  refuse_value(option, token, "this is not a time with a unit", kFix);
}

std::vector<std::string> parse_words(std::string_view option, std::string_view text) {
  std::vector<std::string> words = split_words(text);
  if (words.empty()) refuse_value(option, text, "there is no command in it", "give one such as \"ssh host\"");
  return words;
}

}  // namespace triscope
