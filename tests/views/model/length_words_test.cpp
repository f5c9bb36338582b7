// What the sentences under Lengths say of the lengths that its curves have.
#include <gmock/gmock.h>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/length_model.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using fixture::sweep;
using testing::HasSubstr;

/// Windows and dot product took turns up to 4k; each alone was measured at all lengths.
LengthPass turns_at_short_lengths_only(double times_of_windows) {
  const auto all = length_sweep();
  auto windows = sweep({}, 1), turns = sweep({}, 2), baselines = sweep({}, 3);
  for (ResultRow row : all->rows) {
    const bool ours = row.problem.form != Form::dot_product;
    if (ours)
      *row.median_ms *= times_of_windows, *row.ci_low_ms *= times_of_windows, *row.ci_high_ms *= times_of_windows;
    row.sweep = ours ? 1 : 3;
    (ours ? windows : baselines)->rows.push_back(row);
    if (row.problem.seq_len > 4096) continue;
    row.sweep = 2;
    row.measurement += 1000;
    turns->rows.push_back(row);
  }
  return make_length_chart(*windows, {turns, baselines}).passes[0];
}

TEST(LengthWords, a_crossing_beyond_the_lengths_of_the_turns_is_told) {
  const LengthPass pass = turns_at_short_lengths_only(1);
  ASSERT_FALSE(pass.crossings.empty());
  const LengthCrossing& crossing = pass.crossings.front();
  ASSERT_EQ(pass.curves[crossing.windows].points.back().seq_len, 131'072) << "so far the line goes";
  EXPECT_EQ(crossing.measured.kind, LatencyCrossing::Kind::crosses);
  EXPECT_FALSE(crossing.in_turns);
  EXPECT_THAT(crossing.sentence, HasSubstr("at 41,000 tokens, by measured latency ("));
}

TEST(LengthWords, what_costs_more_does_so_at_the_end_of_both_lines) {
  const LengthPass pass = turns_at_short_lengths_only(1000);
  ASSERT_FALSE(pass.crossings.empty());
  EXPECT_EQ(pass.crossings.front().measured.longest, 131'072);
  EXPECT_THAT(pass.crossings.front().sentence, HasSubstr("the longest length that both have, 128k;"));
}

}  // namespace
}  // namespace triscope
