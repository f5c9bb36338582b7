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

/// UTF-8 text ending with a newline, each cell by `escape_text`. CSV follows RFC 4180 with LF; LaTeX is a tabular that
/// needs the package booktabs.
std::string write_table(const TextTable& table, TableFormat format);

/// Text from anywhere as a cell, or beside the table: it shows what it says and does nothing. Control characters are
/// written out (`plain_text`); outside CSV, line feeds and tabs become blanks. In CSV and TSV a text that begins a
/// formula (= + - @) gets an apostrophe before it; numbers stay numbers. In Markdown no link, HTML or markup is left,
/// in LaTeX no command.
std::string escape_text(const std::string& text, TableFormat format);

}  // namespace triscope
