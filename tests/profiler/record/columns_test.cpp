// The descriptors, the view and docs/schema.md say the same, column by column.
#include "profiler/record/columns.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>

#include "profiler/record/words/factor_text.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

// A descriptor's line in the table of docs/schema.md.
std::string line_of(const ResultColumn& column) {
  return fmt::format("| `{}` | {} | {} | {} | {} |", column.id, column.unit, to_string(column.better), column.meaning,
                     column.formula);
}

std::string schema_page() {
  std::ifstream in(source_file("docs/schema.md"));
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Columns, the_schema_page_lists_every_column_in_order_in_the_same_words) {
  std::string expected;
  for (const ResultColumn& column : result_columns()) expected += line_of(column) + "\n";
  const std::string page = schema_page();
  const std::size_t first = page.find("| `measurement` |");
  ASSERT_NE(first, std::string::npos) << expected;
  EXPECT_EQ(page.substr(first, expected.size()), expected);
  EXPECT_EQ(page.substr(first + expected.size(), 1), "\n") << "the table ends with the last column";
}

TEST(Columns, the_schema_page_names_every_table) {
  TemporaryFolder folder;
  { Store store(folder / "results.db"); }
  SQLite::Database database((folder / "results.db").string());
  SQLite::Statement tables(database,
                           "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const std::string page = schema_page();
  while (tables.executeStep()) {
    const std::string line = "| `" + tables.getColumn(0).getString() + "` |";
    EXPECT_THAT(page, testing::HasSubstr(line));
  }
}

TEST(Columns, values_are_those_of_the_view) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "results.db", 100, 20);
  const std::vector<ResultRow> rows = Snapshot(folder / "results.db").results();
  SQLite::Database database((folder / "results.db").string());
  SQLite::Statement view(database, "SELECT * FROM result ORDER BY measurement");
  ASSERT_EQ(static_cast<std::size_t>(view.getColumnCount()), result_columns().size());
  for (const ResultRow& row : rows) {
    ASSERT_TRUE(view.executeStep());
    for (int n = 0; n < view.getColumnCount(); ++n) {
      const ResultColumn& column = result_columns()[static_cast<std::size_t>(n)];
      const SQLite::Column cell = view.getColumn(n);
      const ColumnValue value = column.value(row);
      ASSERT_EQ(column.id, cell.getName());
      if (cell.isNull())
        EXPECT_EQ(value, ColumnValue()) << column.id;
      else if (cell.isInteger())
        EXPECT_EQ(value, ColumnValue(cell.getInt64())) << column.id;
      else if (cell.isFloat())
        EXPECT_EQ(value, ColumnValue(cell.getDouble())) << column.id;
      else
        EXPECT_EQ(value, ColumnValue(cell.getString())) << column.id;
    }
  }
  EXPECT_FALSE(view.executeStep());
}

TEST(Columns, every_column_explains_itself) {
  std::set<std::string_view> ids;
  for (const ResultColumn& column : result_columns()) {
    EXPECT_TRUE(ids.insert(column.id).second) << column.id;
    EXPECT_EQ(find_result_column(column.id), &column);
    EXPECT_FALSE(column.label.empty()) << column.id;
    EXPECT_TRUE(column.meaning.ends_with('.')) << column.id;
    EXPECT_EQ(column.meaning.find('|'), std::string_view::npos) << "would break the table in docs/schema.md";
  }
  EXPECT_EQ(find_result_column("no such column"), nullptr);
}

TEST(Columns, numbers_are_shown_rounded_and_kept_exactly) {
  ResultRow row;
  row.median_ms = 24.40367;
  row.tflops = 719.64;
  row.peak_fraction = 0.72749;
  row.error = 0.0016004;
  const auto text = [&](std::string_view id) { return find_result_column(id)->text(row); };
  EXPECT_EQ(text("median_ms"), "24.40");
  EXPECT_EQ(text("tflops"), "720");
  EXPECT_EQ(text("peak_fraction"), "72.7");
  EXPECT_EQ(text("error"), "1.6e-3");
  EXPECT_EQ(text("ci_low_ms"), "");
  EXPECT_EQ(text("pass"), "forward");
  EXPECT_EQ(number_of(*find_result_column("median_ms"), row), 24.40367);
  EXPECT_EQ(number_of(*find_result_column("ci_low_ms"), row), std::nullopt);
  EXPECT_EQ(number_of(*find_result_column("kernel"), row), std::nullopt);
  EXPECT_EQ(header_of(*find_result_column("peak_fraction")), "of peak, %");
  EXPECT_EQ(header_of(*find_result_column("kernel")), "kernel");
}

TEST(SignificantText, keeps_the_digits_across_magnitudes_and_carries) {
  EXPECT_EQ(significant_text(0, 3), "0");
  EXPECT_EQ(significant_text(1234.4, 3), "1234");
  EXPECT_EQ(significant_text(12.345, 4), "12.35");
  EXPECT_EQ(significant_text(9.996, 3), "10.0");
  EXPECT_EQ(significant_text(0.09996, 3), "0.100");
  EXPECT_EQ(significant_text(0.0012345, 3), "0.00123");
  EXPECT_EQ(significant_text(-0.5, 2), "-0.50");
  EXPECT_EQ(significant_text(1.5e-9, 2), "1.5e-9");
  EXPECT_EQ(significant_text(2.5e9, 2), "2.5e9");
}

TEST(FactorText, shows_on_which_side_of_1_it_lies) {
  EXPECT_EQ(factor_text(0.996), "0.996");
  EXPECT_EQ(factor_text(1.004), "1.004");
  EXPECT_EQ(factor_text(1), "1.00");
  EXPECT_EQ(factor_text(1.0001), "1.000") << "one digit more, no digits without end";
  EXPECT_EQ(factor_text(1.0002, 4), "1.0002");
  EXPECT_EQ(factor_text(1.006), "1.01");
  EXPECT_EQ(factor_text(12.34), "12.3");
  EXPECT_EQ(factor_decimals(0.996, 2), 3);
  EXPECT_EQ(factor_decimals(0.994, 2), 2);
  EXPECT_EQ(factor_decimals(1, 2), 2);
}

}  // namespace
}  // namespace triscope
