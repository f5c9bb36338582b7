// One table, four notations: nothing in a cell breaks the table around it.
#include "profiler/export/text_table.hpp"

#include <gmock/gmock.h>

namespace triscope {
namespace {

using testing::HasSubstr;

TEST(TextTable, csv_quotes_and_markdown_and_latex_escape) {
  const TextTable table{{"a,b", "n"}, {false, true}, {{"say \"x\"\nline", "1"}, {"p|q & 5 % × _", "2"}}};
  EXPECT_EQ(write_table(table, TableFormat::csv), "\"a,b\",n\n\"say \"\"x\"\"\nline\",1\np|q & 5 % × _,2\n");
  EXPECT_EQ(write_table(table, TableFormat::tsv), "a,b\tn\nsay \"x\" line\t1\np|q & 5 % × _\t2\n");
  EXPECT_THAT(write_table(table, TableFormat::markdown), HasSubstr("| p\\|q &amp; 5 % × \\_ | 2 |\n"));
  EXPECT_THAT(write_table(table, TableFormat::markdown), HasSubstr("| --- | ---: |"));
  EXPECT_THAT(write_table(table, TableFormat::latex), HasSubstr("p|q \\& 5 \\% $\\times$ \\_ & 2 \\\\"));
  EXPECT_THAT(write_table(table, TableFormat::latex), HasSubstr("\\begin{tabular}{lr}"));
}

}  // namespace
}  // namespace triscope
