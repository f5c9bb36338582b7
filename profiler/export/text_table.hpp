// A table of finished texts, written for programs and papers: exports, and what is copied from tables and charts.
#pragma once

#include <string>
#include <vector>

namespace triscope {

struct TextTable {
  std::vector<std::string> header;
  std::vector<bool> numeric;                   ///< by column: right-aligned in Markdown and LaTeX
  std::vector<std::vector<std::string>> rows;  ///< each as long as `header`

  void add_column(std::string name, bool is_numeric) {
    header.push_back(std::move(name));
    numeric.push_back(is_numeric);
  }
};

enum class TableFormat { tsv, csv, markdown, latex };

/// UTF-8 text ending with a newline. Tabs and newlines in TSV cells become spaces; CSV follows RFC 4180 with LF; LaTeX
/// is a tabular that needs the package booktabs. Special characters of Markdown and LaTeX are escaped.
std::string write_table(const TextTable& table, TableFormat format);

/// Text outside the table, escaped as its cells are; unchanged for tsv and csv.
std::string escape_text(const std::string& text, TableFormat format);

}  // namespace triscope
