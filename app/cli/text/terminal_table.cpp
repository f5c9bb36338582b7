#include "app/cli/text/terminal_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/text/terminal.hpp"
#include "kernels/base/text/plain_text.hpp"

namespace triscope {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestCut = 8;  ///< a cut column keeps at least this many characters
constexpr std::size_t kWidestWhole = 60;  ///< and so many one that is not to be cut: no name of ours is longer

std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  const std::size_t kept = width > 3 ? width - 3 : 0;
  return std::string(first_columns(text, kept)) + std::string("...").substr(0, width);
}

std::string pad(const std::string& text, std::size_t width, Align align, bool last) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  if (align != Align::left) return last ? space + text.substr(0, text.find_last_not_of(' ') + 1) : space + text;
  return last ? text : text + space;
}

/// Where the number that a cell begins with ends or has its point; 0: it begins with none.
std::size_t point_of(const std::string& cell) { return std::min(cell.find_first_not_of("+-0123456789"), cell.size()); }

/// Puts blanks around what stands in a column of numbers, so that the points are below each other.
void align_points(TerminalTable& table) {
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].align != Align::point) continue;
    std::size_t point = 0, width = 0;
    for (const auto& row : table.rows) point = std::max(point, point_of(row[column]));
    for (auto& row : table.rows) {
      if (const std::size_t own = point_of(row[column]); own > 0) row[column].insert(0, std::string(point - own, ' '));
      width = std::max(width, display_width(row[column]));
    }
    for (auto& row : table.rows) {
      if (point_of(row[column]) == 0 && !row[column].starts_with(' ')) continue;  // words, or nothing
      row[column].append(width - display_width(row[column]), ' ');
    }
  }
}

struct Layout {
  std::vector<std::size_t> shown;   ///< column indices, in order
  std::vector<std::size_t> widths;  ///< by column index
  std::vector<std::string> left_out;
  std::size_t line() const {
    std::size_t sum = shown.empty() ? 0 : kGap * (shown.size() - 1);
    for (const std::size_t column : shown) sum += widths[column];
    return sum;
  }
};

void cut_columns(const TerminalTable& table, std::size_t width, Layout& layout) {
  while (layout.line() > width) {
    std::size_t widest = table.columns.size();
    for (const std::size_t column : layout.shown) {
      const std::size_t least = table.columns[column].may_cut ? kNarrowestCut : kWidestWhole;
      if (layout.widths[column] <= least) continue;
      if (widest == table.columns.size() || layout.widths[column] > layout.widths[widest]) widest = column;
    }
    if (widest == table.columns.size()) return;
    --layout.widths[widest];
  }
}

Layout lay_out(const TerminalTable& table, std::size_t width) {
  Layout layout;
  layout.widths.resize(table.columns.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::size_t content = 0;
    for (const auto& row : table.rows) content = std::max(content, display_width(row[column]));
    if (content == 0 && !table.rows.empty()) continue;
    layout.widths[column] =
        std::max(std::min(content, table.columns[column].most), display_width(table.columns[column].title));
    layout.shown.push_back(column);
  }
  // Cutting text costs less than losing a column, so columns go only when cutting is not enough.
  const auto narrowest = [&] {
    Layout trial = layout;
    cut_columns(table, width, trial);
    return trial.line();
  };
  while (layout.shown.size() > 1 && narrowest() > width) {
    const auto least = std::min_element(layout.shown.rbegin(), layout.shown.rend(), [&](std::size_t a, std::size_t b) {
      return table.columns[a].importance < table.columns[b].importance;
    });
    layout.left_out.insert(layout.left_out.begin(), table.columns[*least].title);
    layout.shown.erase(std::next(least).base());
  }
  cut_columns(table, width, layout);
  return layout;
}

}  // namespace

std::vector<std::string> wrapped_list(const std::vector<std::string>& words, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t n = 0; n < words.size(); ++n) {
    const std::string word = n + 1 < words.size() ? words[n] + "," : words[n];
    if (lines.back().empty()) {
      lines.back() = word;
    } else if (lines.back().size() + 1 + word.size() <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string first_words(std::vector<std::string> words) {
  constexpr std::size_t kMost = 3;
  const std::size_t more = words.size() > kMost + 1 ? words.size() - kMost : 0;
  words.resize(words.size() - more);
  const std::string text = fmt::format("{}", fmt::join(words, ", "));
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

std::string render(TerminalTable table, std::size_t width) {
  for (TerminalColumn& column : table.columns) column.title = plain_line(column.title);
  for (auto& row : table.rows) {
    for (std::string& cell : row) cell = plain_line(cell);
  }
  align_points(table);
  const Layout layout = lay_out(table, width);
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    for (const std::size_t column : layout.shown) {
      const bool last = column == layout.shown.back();
      const std::size_t cell_width = layout.widths[column];
      text += pad(cut(cell_of(column), cell_width), cell_width, table.columns[column].align, last);
      text += last ? "\n" : std::string(kGap, ' ');
    }
  };
  add_line([&](std::size_t column) { return table.columns[column].title; });
  for (const auto& row : table.rows) {
    add_line([&](std::size_t column) { return row[column]; });
  }
  if (!layout.left_out.empty()) {
    text +=
        cut(fmt::format("(not shown, the terminal is too narrow: {})", fmt::join(layout.left_out, ", ")), width) + "\n";
  }
  return text;
}

void say_aside(std::string_view sentence, bool for_programs) {
  if (for_programs) {
    print_error("triscope: {}", sentence);
  } else {
    print_output("{}\n", sentence);
  }
}

}  // namespace triscope
