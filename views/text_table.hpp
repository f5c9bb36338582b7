// A table as text: what is copied and exported from every table and chart.
#pragma once

#include <string>
#include <vector>

namespace triscope {

struct TextTable {
  std::vector<std::string> header;
  std::vector<bool> numeric;                    ///< by column: right-aligned in Markdown and LaTeX
  std::vector<std::vector<std::string>> rows;   ///< each as long as `header`
};

enum class TableFormat { tsv, csv, markdown, latex };

/// UTF-8 text ending with a newline. Tabs and newlines in TSV cells become spaces; CSV follows RFC 4180; Markdown and
/// LaTeX special characters are escaped.
std::string write_table(const TextTable& table, TableFormat format);

}  // namespace triscope
