// What stands beside the paper's Table 1, against the database that it was taken from.
#include "profiler/paper/table1.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "profiler/paper/printed_values.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

TEST(Table1, of_the_h100_is_sweep_1_of_its_recorded_database) {
  const RecordedTable1& table = recorded_table1();
  const std::filesystem::path file = std::filesystem::path(TRISCOPE_RECORDED_DATABASE).parent_path() / table.database;
  const std::vector<ResultRow> rows = Snapshot(file).results(1);
  ASSERT_EQ(table.lines.size(), paper_table1().size());
  for (const PaperRow& paper : paper_table1()) {
    const RecordedTable1::Line* line = table.of(paper.windows);
    ASSERT_NE(line, nullptr);
    const ResultRow* fastest = nullptr;
    for (const ResultRow& row : rows) {
      const bool asked = row.pass == Pass::forward && has_paper_shape(row.problem) && row.median_ms &&
                         Windows{row.problem.window1, row.problem.window2} == paper.windows;
      if (asked && (fastest == nullptr || *row.median_ms < *fastest->median_ms)) fastest = &row;
    }
    ASSERT_NE(fastest, nullptr);
    EXPECT_EQ(fastest->device, table.device);
    EXPECT_EQ(fastest->kernel, line->kernel);
    EXPECT_NEAR(*fastest->median_ms, line->ms, 5.1e-5);
    EXPECT_NEAR(fastest->ci_low_ms.value(), line->low_ms, 5.1e-5);
    EXPECT_NEAR(fastest->ci_high_ms.value(), line->high_ms, 5.1e-5);
  }
}

TEST(Table1, implies_at_most_507_and_333_tflops) {
  double by_paper = 0, by_products = 0;
  for (const PaperRow& row : paper_table1()) {
    by_paper = std::max(by_paper, implied_rates(row).by_paper_count);
    by_products = std::max(by_products, implied_rates(row).by_two_products);
  }
  EXPECT_NEAR(by_paper, 6.0 * 32'768 * 1024 * 32 * 64 * 128 / 104.1 * 1e-9, 1e-6);
  EXPECT_NEAR(by_paper, 507, 0.5);
  EXPECT_NEAR(by_products, 333, 0.5);
}

}  // namespace
}  // namespace triscope
