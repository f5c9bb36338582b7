#include "views/text_table.hpp"

#include <algorithm>
#include <string_view>

namespace triscope {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string tsv_cell(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

/// The few characters outside ASCII that our tables use have LaTeX names; other UTF-8 passes through.
std::string latex_cell(const std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"×", "$\\times$"}, {"±", "$\\pm$"}, {"\\", "\\textbackslash{}"}, {"&", "\\&"}, {"%", "\\%"}, {"$", "\\$"},
      {"#", "\\#"},       {"_", "\\_"},    {"{", "\\{"},                {"}", "\\}"}, {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"}, {"−", "$-$"}, {"\n", " "}};
  std::string escaped;
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& name) {
      return text.compare(i, name.first.size(), name.first) == 0;
    });
    if (found == std::end(kNames)) {
      escaped += text[i++];
    } else {
      escaped += found->second;
      i += found->first.size();
    }
  }
  return escaped;
}

template <typename Cell>
void append_row(std::string& out, const std::vector<std::string>& cells, std::string_view begin, std::string_view separator,
                std::string_view end, Cell cell) {
  out += begin;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += separator;
    out += cell(cells[i]);
  }
  out += end;
}

std::string write_latex(const TextTable& table) {
  std::string out = "\\begin{tabular}{";
  for (std::size_t i = 0; i < table.header.size(); ++i) out += i < table.numeric.size() && table.numeric[i] ? 'r' : 'l';
  out += "}\n\\hline\n";
  append_row(out, table.header, "", " & ", " \\\\\n", latex_cell);
  out += "\\hline\n";
  for (const auto& row : table.rows) append_row(out, row, "", " & ", " \\\\\n", latex_cell);
  return out + "\\hline\n\\end{tabular}\n";
}

std::string write_markdown(const TextTable& table) {
  std::string out;
  append_row(out, table.header, "| ", " | ", " |\n", markdown_cell);
  out += '|';
  for (std::size_t i = 0; i < table.header.size(); ++i) out += i < table.numeric.size() && table.numeric[i] ? "---:|" : "---|";
  out += '\n';
  for (const auto& row : table.rows) append_row(out, row, "| ", " | ", " |\n", markdown_cell);
  return out;
}

}  // namespace

std::string write_table(const TextTable& table, TableFormat format) {
  if (format == TableFormat::latex) return write_latex(table);
  if (format == TableFormat::markdown) return write_markdown(table);
  const bool csv = format == TableFormat::csv;
  std::string out;
  const auto append = [&](const std::vector<std::string>& row) {
    append_row(out, row, "", csv ? "," : "\t", "\n", [&](const std::string& cell) { return csv ? csv_cell(cell) : tsv_cell(cell); });
  };
  append(table.header);
  for (const auto& row : table.rows) append(row);
  return out;
}

}  // namespace triscope
