#include "profiler/export/text_table.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "kernels/base/text/plain_text.hpp"

namespace triscope {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

// Also "://", "www." and "@": GitHub's Markdown makes links of bare addresses.
constexpr Replacement kMarkdown[] = {{"://", "&#58;//"}, {"www.", "www&#46;"}, {"@", "&#64;"}, {"|", "\\|"},
                                     {"\\", "\\\\"},     {"`", "\\`"},         {"*", "\\*"},   {"_", "\\_"},
                                     {"[", "\\["},       {"]", "\\]"},         {"#", "\\#"},   {"~", "\\~"},
                                     {"$", "\\$"},       {"<", "&lt;"},        {">", "&gt;"},  {"&", "&amp;"}};
// The few characters outside ASCII that our tables use have LaTeX names; other UTF-8 passes through.
constexpr Replacement kLatex[] = {{"&", "\\&"},
                                  {"%", "\\%"},
                                  {"$", "\\$"},
                                  {"#", "\\#"},
                                  {"_", "\\_"},
                                  {"[", "{[}"},  // after the \\ of the row before, [ and * would be its arguments
                                  {"*", "{*}"},
                                  {"{", "\\{"},
                                  {"}", "\\}"},
                                  {"~", "\\textasciitilde{}"},
                                  {"^", "\\textasciicircum{}"},
                                  {"\\", "\\textbackslash{}"},
                                  {"<", "\\textless{}"},
                                  {">", "\\textgreater{}"},
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

/// Text that a spreadsheet would compute, also after blanks and with full-width signs. Numbers, alone or with signs,
/// percent and blanks, are left.
bool is_formula(const std::string& text) {
  constexpr std::array<std::string_view, 4> kFullWidth{"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
  const std::size_t first = text.find_first_not_of(" \n");
  const std::string_view rest = std::string_view(text).substr(std::min(first, text.size()));
  if (std::ranges::any_of(kFullWidth, [&](std::string_view sign) { return rest.starts_with(sign); })) return true;
  if (rest.empty() || std::string_view("=+-@\t\r").find(rest.front()) == std::string_view::npos) return false;
  return rest.front() == '=' || rest.find_first_not_of("+-.,% 0123456789eE") != std::string_view::npos;
}

/// Also a semicolon is quoted: where the comma is the decimal mark, spreadsheets separate cells by it. A line break is
/// a line feed.
std::string csv_cell(const std::string& text) {
  static constexpr Replacement kBreak[] = {{"\r\n", "\n"}};
  const std::string cell = (is_formula(text) ? "'" : "") + plain_text(replaced(text, kBreak));
  if (cell.find_first_of(",;\"\n\t") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Line feeds, tabs and carriage returns as blanks, other control characters written out.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return plain_line(text);
}

void append_row(std::string& out, const std::vector<std::string>& cells, TableFormat format, std::string_view begin,
                std::string_view separator, std::string_view end) {
  out += begin;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += separator;
    out += escape_text(cells[i], format);
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
  switch (format) {
    case TableFormat::csv:
      return csv_cell(text);
    case TableFormat::tsv:
      return (is_formula(text) ? "'" : "") + one_line(text);
    case TableFormat::markdown:
      return replaced(one_line(text), kMarkdown);
    case TableFormat::latex:
      return replaced(one_line(text), kLatex);
  }
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
