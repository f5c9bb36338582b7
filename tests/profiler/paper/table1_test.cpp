// What stands beside the paper's Table 1, against the database that it was taken from.
#include "profiler/paper/table1.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "profiler/paper/laws/printed_values.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

TEST(Table1, of_the_h100_is_sweep_1_of_its_recorded_database) {
  const RecordedTable1& table = recorded_table1();
  const std::filesystem::path file = recorded_file(table.database);
  const std::vector<ResultRow> rows = Snapshot(file).results(1);
  ASSERT_EQ(table.lines.size(), paper_table1().size());
  for (const PaperRow& paper : paper_table1()) {
    const RecordedTable1::Line* line = table.of(paper.windows);
    ASSERT_NE(line, nullptr);
    const ResultRow* fastest = fastest_table1_forward(rows, paper.windows);
    ASSERT_NE(fastest, nullptr);
    EXPECT_EQ(fastest->device, table.device);
    EXPECT_EQ(fastest->kernel, line->kernel);
    EXPECT_NEAR(*fastest->median_ms, line->ms, 5.1e-5);
    EXPECT_NEAR(fastest->ci_low_ms.value(), line->low_ms, 5.1e-5);
    EXPECT_NEAR(fastest->ci_high_ms.value(), line->high_ms, 5.1e-5);
  }
}

TEST(Table1, of_the_recorded_h200_is_the_row_known_best) {
  const std::vector<ResultRow> rows = Snapshot(recorded_file()).results();
  for (const PaperRow& paper : paper_table1()) {
    const ResultRow* row = fastest_table1_forward(rows, paper.windows);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->kernel, "cuda.hopper");
    const auto half = [](const ResultRow& one) { return (*one.ci_high_ms - *one.ci_low_ms) / *one.median_ms; };
    for (const ResultRow& other : rows) {
      const bool alike = other.problem == row->problem && other.pass == row->pass && other.kernel == row->kernel &&
                         other.regime == row->regime && other.instance == row->instance &&
                         other.source_hash == row->source_hash;
      EXPECT_TRUE(!alike || half(*row) <= half(other)) << "sweep " << other.sweep;
    }
  }
}

TEST(Table1, knows_the_rows_that_it_was_recorded_from) {
  const auto rows = [](const char* name) { return Snapshot(recorded_file(name)).results(); };
  std::vector<ResultRow> h100 = rows("h100.db");
  EXPECT_TRUE(is_recorded_table1(h100));
  EXPECT_FALSE(is_recorded_table1(rows("h200.db")));
  EXPECT_FALSE(is_recorded_table1({}));
  std::erase_if(h100, [](const ResultRow& one) { return one.problem.window1 == 1024; });
  EXPECT_FALSE(is_recorded_table1(h100)) << "some of them";
}

TEST(Table1, takes_the_row_that_counts_of_the_fastest_kernel) {
  std::vector<ResultRow> rows(4);
  const double ms[] = {20, 30, 40, 10};
  for (std::size_t n = 0; n < rows.size(); ++n) {
    rows[n].measurement = static_cast<std::int64_t>(n) + 1;
    rows[n].kernel = n == 2 ? "slow" : "fast";
    rows[n].card.kind = KernelKind::simplicial;
    rows[n].status = Status::ok;
    rows[n].median_ms = ms[n];
    rows[n].problem.seq_len = 32'768;
    rows[n].problem.q_heads = 64;
    rows[n].problem.head_dim = 128;
    rows[n].problem.window1 = 512;
    rows[n].problem.window2 = 32;
  }
  rows[3].problem.seq_len = 8192;  // another shape
  rows.push_back(rows[1]);         // with a sink: another computation
  rows[4].measurement = 5, rows[4].problem.sink = 0.5, rows[4].median_ms = 1;
  ASSERT_NE(fastest_table1_forward(rows, {512, 32}), nullptr);
  EXPECT_EQ(fastest_table1_forward(rows, {512, 32})->measurement, 2) << "1 is older, 3 is slower, 4 of another shape";
  EXPECT_EQ(fastest_table1_forward(rows, {256, 32}), nullptr);
  EXPECT_EQ(other_shape_forward(rows, {512, 32}), nullptr) << "it was measured at the inferred shape";
  rows.erase(rows.begin(), rows.begin() + 3);
  ASSERT_NE(other_shape_forward(rows, {512, 32}), nullptr);
  EXPECT_EQ(other_shape_forward(rows, {512, 32})->measurement, 4);
}

/// A newer row that took less time but is known badly, and one of an older version that was faster.
TEST(Table1, of_another_shape_takes_the_row_that_counts) {
  std::vector<ResultRow> rows(4);
  const double ms[] = {6, 5.8, 4, 1}, half[] = {0.01, 0.2, 0.001, 0.001};
  for (std::size_t n = 0; n < rows.size(); ++n) {
    rows[n].measurement = static_cast<std::int64_t>(n) + 1;
    rows[n].kernel = "k";
    rows[n].card.kind = KernelKind::simplicial;
    rows[n].status = Status::ok;
    rows[n].source_hash = n == 2 ? "old" : "new";
    rows[n].started = n == 2 ? "2026-11-01" : "2026-11-02";
    rows[n].median_ms = ms[n];
    rows[n].ci_low_ms = ms[n] * (1 - half[n]);
    rows[n].ci_high_ms = ms[n] * (1 + half[n]);
    rows[n].problem.seq_len = n == 3 ? 2048 : 8192;
    rows[n].problem.window1 = 512;
    rows[n].problem.window2 = 32;
  }
  ASSERT_NE(other_shape_forward(rows, {512, 32}), nullptr);
  EXPECT_EQ(other_shape_forward(rows, {512, 32})->measurement, 1);
}

TEST(Table1, shows_times_as_far_as_their_intervals_know_them) {
  EXPECT_EQ(known_ms_text(24.2067, 23.3085, 25.1394), "24.21 +-3.8 %");
  EXPECT_EQ(known_ms_text(47.7427, 45.8121, 49.7546), "47.7 +-4.1 %");
  EXPECT_EQ(known_ms_text(0.30016, 0.29, 0.31, "± "), "0.300 ± 3.3 %");
  EXPECT_EQ(known_ms_text(313.04, 310.84, 315.24), "313.0 +-0.70 %");
  EXPECT_EQ(known_ms_text(1162.3, 1154.2, 1170.4), "1162.3 +-0.70 %") << "no fewer digits than of a shorter time";
  EXPECT_EQ(known_ms_text(24.2067, {}, {}), "24.21");
  EXPECT_EQ(known_ms_text(24.2067, 24.2067, 24.2067), "24.21");
  EXPECT_EQ(known_ms_text(24.2067, 1, std::numeric_limits<double>::infinity()), "24.21");
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
