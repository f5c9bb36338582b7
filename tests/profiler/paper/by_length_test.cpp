// Windows beside dot-product attention by length: what stands beside each other took turns where anything did.
#include "profiler/paper/layers/by_length.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "profiler/store/store.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

ResultRow row_of_sweep(std::int64_t sweep, bool windows, std::int64_t seq_len, double ms, double half) {
  ResultRow row;
  row.kernel = windows ? "k" : "baseline.fa3";
  row.device = "GPU";
  row.status = Status::ok;
  row.sweep = sweep;
  row.started = fmt::format("2026-11-2{}T00:00:00Z", sweep);
  row.problem.seq_len = seq_len;
  row.problem.q_heads = 64;
  row.problem.head_dim = 128;
  row.problem.window1 = windows ? 512 : seq_len;
  row.problem.window2 = windows ? 32 : 1;
  row.problem.form = windows ? Form::trilinear : Form::dot_product;
  row.card.kind = windows ? KernelKind::simplicial : KernelKind::dot_product;
  row.median_ms = ms;
  row.ci_low_ms = ms * (1 - half), row.ci_high_ms = ms * (1 + half);
  return row;
}

std::map<std::int64_t, AtLength> by_length(const std::vector<ResultRow>& rows) {
  std::map<std::int64_t, AtLength> all;
  for (const AtLength& at : rows_by_length(rows, {}, Pass::forward)) all[at.seq_len] = at;
  return all;
}

/// The windows are known best in sweep 1, attention in sweep 2: of the rows that count no two took turns.
TEST(ByLength, rows_beside_each_other_are_of_a_sweep_that_has_both) {
  const std::vector<ResultRow> rows{row_of_sweep(1, true, 8192, 6, 0.001),   row_of_sweep(1, false, 8192, 2, 0.02),
                                    row_of_sweep(2, true, 8192, 7, 0.02),    row_of_sweep(2, false, 8192, 3, 0.001),
                                    row_of_sweep(3, true, 16'384, 12, 0.01), row_of_sweep(4, false, 16'384, 9, 0.01),
                                    row_of_sweep(4, false, 8192, 1, 0.0001)};
  const auto all = by_length(rows);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all.at(8192).took_turns());
  EXPECT_EQ(all.at(8192).windows->sweep, 2) << "the newest of the two";
  EXPECT_FALSE(all.at(16'384).took_turns()) << "no sweep has both";
  EXPECT_EQ(all.at(16'384).windows->sweep, 3);
  EXPECT_EQ(all.at(16'384).dot_product->sweep, 4);
}

TEST(ByLength, the_sweep_with_most_lengths_of_both_comes_first) {
  const std::vector<ResultRow> rows{row_of_sweep(1, true, 8192, 6, 0.02),    row_of_sweep(1, false, 8192, 2, 0.02),
                                    row_of_sweep(1, true, 16'384, 12, 0.02), row_of_sweep(1, false, 16'384, 8, 0.02),
                                    row_of_sweep(2, true, 8192, 7, 0.001),   row_of_sweep(2, false, 8192, 3, 0.001)};
  for (const auto& [length, at] : by_length(rows)) {
    EXPECT_TRUE(at.took_turns()) << length;
    EXPECT_EQ(at.windows->sweep, 1) << length << ": as the crossings go by it";
  }
}

/// Wherever a sweep of a recording has both, what is shown took turns.
TEST(ByLength, of_the_recordings_took_turns_wherever_a_sweep_has_both) {
  for (const char* name : {"h200.db", "h100.db"}) {
    const std::vector<ResultRow> rows = Snapshot(recorded_file(name)).results();
    LayerMixRequest layer;
    layer.device = rows.front().device;
    int pairs = 0;
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      std::map<std::int64_t, std::set<std::int64_t>> ours, theirs;  // sweeps by length
      for (const ResultRow& row : rows) {
        if (!is_row_of_heads(row, layer, pass)) continue;
        if (is_global_layer(row, layer)) theirs[row.problem.seq_len].insert(row.sweep);
        if (is_simplicial_layer(row, layer) && Windows{row.problem.window1, row.problem.window2} == layer.windows &&
            row.kernel == "cuda.hopper")
          ours[row.problem.seq_len].insert(row.sweep);
      }
      for (const AtLength& at : rows_by_length(rows, layer, pass)) {
        bool both = false;
        for (const std::int64_t sweep : ours[at.seq_len]) both = both || theirs[at.seq_len].contains(sweep);
        EXPECT_EQ(at.took_turns(), both) << name << ", " << at.seq_len;
        pairs += both ? 1 : 0;
      }
    }
    EXPECT_GE(pairs, 14) << name << ": both passes at seven lengths";
  }
}

}  // namespace
}  // namespace triscope
