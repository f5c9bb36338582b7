// A table of text that fits a terminal: the least important columns go first, then the widest text is cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

enum class Align {
  left,
  right,
  point,  ///< as `right`, and the decimal points of numbers, which words may follow, stand below each other
};

struct TerminalColumn {
  std::string title;
  Align align = Align::left;
  int importance = 0;    ///< columns of the lowest importance are left out first; equal ones from the right
  bool may_cut = false;  ///< its cells may end in "..."
  std::size_t most = static_cast<std::size_t>(-1);  ///< of more columns they do, however wide the output is
};

struct TerminalTable {
  std::vector<TerminalColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`
};

/// "a, b, c" in lines of at most `width` characters (a longer word has one to itself), for rows below each other; never
/// none.
std::vector<std::string> wrapped_list(const std::vector<std::string>& words, std::size_t width);

/// "a, b, c and 5 more": the first of very many.
std::string first_words(std::vector<std::string> words);

/// The table with a header line, two spaces between columns, no line longer than `width` characters as long as that is
/// at least 20, and every line ended. Columns that are empty in every row are left out. When columns did not fit, a
/// last line names them.
std::string render(TerminalTable table, std::size_t width);

/// What a command says of what it prints, or in its place: below a table on stdout; beside JSON or CSV, which programs
/// read, on stderr.
void say_aside(std::string_view sentence, bool for_programs);

}  // namespace triscope
