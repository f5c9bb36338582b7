// One table, four notations: nothing in a cell breaks the table around it.
#include "profiler/export/text_table.hpp"

#include <gmock/gmock.h>

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TextTable, csv_quotes_and_markdown_and_latex_escape) {
  const TextTable table{{"a,b", "n"}, {false, true}, {{"say \"x\"\nline", "1"}, {"p|q & 5 % × _", "2"}}};
  EXPECT_EQ(write_table(table, TableFormat::csv), "\"a,b\",n\n\"say \"\"x\"\"\nline\",1\np|q & 5 % × _,2\n");
  EXPECT_EQ(write_table(table, TableFormat::tsv), "a,b\tn\nsay \"x\" line\t1\np|q & 5 % × _\t2\n");
  EXPECT_THAT(write_table(table, TableFormat::markdown), HasSubstr("| p\\|q &amp; 5 % × \\_ | 2 |\n"));
  EXPECT_THAT(write_table(table, TableFormat::markdown), HasSubstr("| --- | ---: |"));
  EXPECT_THAT(write_table(table, TableFormat::latex), HasSubstr("p|q \\& 5 \\% $\\times$ \\_ & 2 \\\\"));
  EXPECT_THAT(write_table(table, TableFormat::latex), HasSubstr("\\begin{tabular}{lr}"));
}

TEST(TextTable, text_from_elsewhere_does_nothing_in_a_spreadsheet) {
  for (const TableFormat format : {TableFormat::csv, TableFormat::tsv}) {
    for (const std::string formula : {"=1+1", "=cmd|' /C calc'!A0", "+1+cmd", "-2+A1", "@SUM(1)"})
      EXPECT_EQ(escape_text(formula, format), "'" + formula);
    for (const std::string number : {"-1.5", "+2", "-1e-9", "+-0.5 %", "1,2"})
      EXPECT_THAT(escape_text(number, format), testing::AnyOf(number, "\"" + number + "\""));
    EXPECT_EQ(escape_text("\tx", format).find('\''), format == TableFormat::csv ? 1U : 0U);
  }
  EXPECT_EQ(escape_text("a;=1", TableFormat::csv), "\"a;=1\"");
}

TEST(TextTable, text_from_elsewhere_links_and_commands_nothing) {
  const std::string text = "[a](https://x.y) <b onclick=1> www.x.y me@x.y \\input{/etc/passwd} ~~x~~ $x$ # x";
  const std::string markdown = escape_text(text, TableFormat::markdown);
  for (const char* active : {"[a]", "://", "www.", "@", "<", ">", " ~~", " $x", " # "})
    EXPECT_THAT(markdown, Not(HasSubstr(active)));
  EXPECT_THAT(escape_text(text, TableFormat::latex), HasSubstr("\\textbackslash{}input\\{/etc/passwd\\}"));
}

TEST(TextTable, control_characters_are_written_out) {
  for (const TableFormat format : {TableFormat::csv, TableFormat::tsv, TableFormat::markdown, TableFormat::latex})
    EXPECT_THAT(escape_text("\x1b[31m\x07\xc2\x9b", format),
                testing::MatchesRegex("[ -~]*x1b[ -~]*x07[ -~]*x9b[ -~]*"));
}

}  // namespace
}  // namespace triscope
