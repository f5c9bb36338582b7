#include "profiler/export/text_table.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace triscope {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

constexpr Replacement kTsv[] = {{"\t", " "}, {"\n", " "}, {"\r", " "}};
constexpr Replacement kMarkdown[] = {{"|", "\\|"},  {"\\", "\\\\"}, {"`", "\\`"}, {"*", "\\*"}, {"_", "\\_"},
                                     {"<", "&lt;"}, {"&", "&amp;"}, {"\n", " "},  {"\r", " "}};
// The few characters outside ASCII that our tables use have LaTeX names; other UTF-8 passes through.
constexpr Replacement kLatex[] = {{"&", "\\&"},
                                  {"%", "\\%"},
                                  {"$", "\\$"},
                                  {"#", "\\#"},
                                  {"_", "\\_"},
                                  {"{", "\\{"},
                                  {"}", "\\}"},
                                  {"~", "\\textasciitilde{}"},
                                  {"^", "\\textasciicircum{}"},
                                  {"\\", "\\textbackslash{}"},
                                  {"<", "\\textless{}"},
                                  {">", "\\textgreater{}"},
                                  {"\n", " "},
                                  {"\r", " "},
                                  {"×", "$\\times$"},
                                  {"±", "$\\pm$"},
                                  {"−", "$-$"}};

std::string replaced(const std::string& text, std::span<const Replacement> replacements) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::find_if(replacements.begin(), replacements.end(), [&](const Replacement& one) {
      return text.compare(at, one.first.size(), one.first) == 0;
    });
    if (found == replacements.end()) {
      result += text[at++];
    } else {
      result += found->second;
      at += found->first.size();
    }
  }
  return result;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void append_row(std::string& out, const std::vector<std::string>& cells, TableFormat format, std::string_view begin,
                std::string_view separator, std::string_view end) {
  out += begin;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += separator;
    out += format == TableFormat::csv   ? csv_cell(cells[i])
           : format == TableFormat::tsv ? replaced(cells[i], kTsv)
                                        : escape_text(cells[i], format);
  }
  out += end;
}

std::string write_latex(const TextTable& table) {
  std::string out = "% needs \\usepackage{booktabs}\n\\begin{tabular}{";
  for (const bool numeric : table.numeric) out += numeric ? 'r' : 'l';
  out += "}\n\\toprule\n";
  append_row(out, table.header, TableFormat::latex, "", " & ", " \\\\\n");
  out += "\\midrule\n";
  for (const auto& row : table.rows) append_row(out, row, TableFormat::latex, "", " & ", " \\\\\n");
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string write_markdown(const TextTable& table) {
  std::string out;
  append_row(out, table.header, TableFormat::markdown, "| ", " | ", " |\n");
  out += '|';
  for (const bool numeric : table.numeric) out += numeric ? " ---: |" : " --- |";
  out += '\n';
  for (const auto& row : table.rows) append_row(out, row, TableFormat::markdown, "| ", " | ", " |\n");
  return out;
}

}  // namespace

std::string escape_text(const std::string& text, TableFormat format) {
  if (format == TableFormat::markdown) return replaced(text, kMarkdown);
  if (format == TableFormat::latex) return replaced(text, kLatex);
  return text;
}

std::string write_table(const TextTable& table, TableFormat format) {
  if (format == TableFormat::latex) return write_latex(table);
  if (format == TableFormat::markdown) return write_markdown(table);
  const std::string_view separator = format == TableFormat::csv ? "," : "\t";
  std::string out;
  append_row(out, table.header, format, "", separator, "\n");
  for (const auto& row : table.rows) append_row(out, row, format, "", separator, "\n");
  return out;
}

}  // namespace triscope
