#include "profiler/plan/windows.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/list_items.hpp"
#include "kernels/base/text/nearest_name.hpp"

namespace triscope {
namespace {

constexpr std::string_view kFix = "write table1, 512x32,256x64 or grid:16..1024";

constexpr std::int64_t kLargestWindow = std::int64_t{1} << 31;  // what validate() allows

[[noreturn]] void refuse(std::string_view token, const std::string& why, const std::string& hint = "") {
  throw Error(fmt::format("the windows \"{}\" cannot be read", token), why, hint + std::string(kFix), ExitCode::usage);
}

/// The unit a size ends in: k for 1024, m for 1024 x 1024, otherwise 1.
std::int64_t unit_of(std::string_view text) {
  if (text.ends_with('k') || text.ends_with('K')) return 1024;
  if (text.ends_with('m') || text.ends_with('M')) return 1024 * 1024;
  return 1;
}

std::int64_t parse_window(std::string_view text, std::string_view token) {
  const std::int64_t unit = unit_of(text);
  const std::string_view digits = unit == 1 ? text : text.substr(0, text.size() - 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool too_large = error == std::errc() && value > std::numeric_limits<std::int64_t>::max() / unit;
  if (error == std::errc::result_out_of_range || too_large)
    refuse(token, fmt::format("{} is too large a number", text));
  if (error != std::errc() || end != digits.data() + digits.size()) {
    refuse(token, text.empty() ? "a number is missing" : fmt::format("\"{}\" is not a number", text));
  }
  if (value < 1) refuse(token, fmt::format("a window is {}, but must be at least 1", value));
  value *= unit;
  if (value > kLargestWindow)
    refuse(token, fmt::format("a window is {}, but must be at most {}", value, kLargestWindow));
  return value;
}

void append_grid(std::vector<Windows>& list, std::string_view range, std::string_view token) {
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) refuse(token, "a grid is two sizes with .. between them");
  const std::int64_t low = parse_window(range.substr(0, dots), token);
  const std::int64_t high = parse_window(range.substr(dots + 2), token);
  if (low > high) refuse(token, fmt::format("{} is more than {}", low, high));
  std::vector<std::int64_t> sizes{low};
  while (sizes.back() <= high / 2) sizes.push_back(sizes.back() * 2);
  for (const std::int64_t window1 : sizes) {
    for (const std::int64_t window2 : sizes) list.push_back({window1, window2});
  }
}

}  // namespace

std::vector<Windows> parse_windows(const std::string& text) {
  std::vector<Windows> list;
  for (const std::string_view token : list_items(text)) {
    if (token == "table1") {
      for (const PaperRow& row : paper_table1()) list.push_back(row.windows);
    } else if (token.starts_with("grid:")) {
      append_grid(list, token.substr(5), token);
    } else {
      const std::size_t cross = token.find('x');
      if (cross == std::string_view::npos) {
        const std::array<std::string, 1> names{"table1"};
        refuse(token, "it is neither a name nor two sizes with an x between them",
               nearest_name_hint(std::string(token), names));
      }
      list.push_back({parse_window(token.substr(0, cross), token), parse_window(token.substr(cross + 1), token)});
    }
  }
  return list;
}

}  // namespace triscope
