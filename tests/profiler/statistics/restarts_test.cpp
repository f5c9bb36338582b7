// What rows lend each other: degrees of freedom, fewer where they are unequal.
#include "profiler/statistics/restarts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/profiler/statistics/simulated_restarts.hpp"

namespace triscope {
namespace {

/// Three rows and the reference that took turns with each, as `pool_restarts` gives them. Ratios of the last pair
/// scatter `unevenness` times as much as those of the others.
std::vector<RestartedRow> with_a_reference(double unevenness) {
  std::vector<RestartedRow> rows;
  for (const std::int64_t group : {7, 8, 9}) {
    const double step = group == 9 ? 0.01 * unevenness : 0.01;
    rows.push_back(restarted_row(group, restarts_of(std::vector{1.0, 1.0 + step, 1.0 - step})));
    rows.push_back(restarted_row(group, restarts_of(std::vector{2.0, 2.0, 2.0}), true));
  }
  return rows;
}

TEST(Spread, of_ratios_pools_every_pair_that_took_turns) {
  const Spread equal = spread_over(with_a_reference(1)).ratios;
  EXPECT_DOUBLE_EQ(equal.degrees, 6) << "three pairs with two each";
  const Spread unequal = spread_over(with_a_reference(1000)).ratios;
  EXPECT_GT(unequal.degrees, 0);
  EXPECT_LT(unequal.degrees, 1) << "pairs that differ lend each other little";
  const std::vector<RestartedRow> rows = with_a_reference(1);
  EXPECT_EQ(spread_over(std::span(rows).first(2)).ratios.degrees, 0) << "one pair has nobody to lend to";
}

TEST(Spread, of_times_leaves_the_turns_of_a_reference_out) {
  EXPECT_DOUBLE_EQ(spread_over(with_a_reference(1)).times.degrees, 6) << "three rows with two each";
}

// One restart that another program made half as long again takes the degrees of freedom from all rows of a sweep.
TEST(Spread, of_times_leaves_preempted_samples_out_and_that_of_ratios_does_not) {
  std::vector<Sample> busy = restarts_of(std::vector{1.4, 1.01, 0.99, 1.0});
  const auto rows = [](const std::vector<Sample>& third) {
    return std::vector{restarted_row(1, restarts_of(std::vector{1.0, 1.01, 0.99})),
                       restarted_row(1, restarts_of(std::vector{1.0, 1.01, 0.99})), restarted_row(1, third)};
  };
  EXPECT_LT(spread_over(rows(busy)).times.degrees, 2);
  const SweepSpread before = spread_over(rows(busy));
  busy[0].flag = "preempted";
  const SweepSpread after = spread_over(rows(busy));
  EXPECT_DOUBLE_EQ(after.times.degrees, 6);
  EXPECT_NEAR(std::sqrt(after.times.variance), 0.01, 0.005);
  EXPECT_EQ(after.ratios, before.ratios) << "what disturbs one in turns disturbs both";
}

/// Durations of one block, those of preempted samples negative.
void add_block(std::vector<Sample>& samples, std::int64_t restart, std::int64_t block,
               const std::vector<std::int64_t>& durations) {
  for (const std::int64_t duration : durations) {
    Sample& sample = samples.emplace_back();
    sample.restart = restart;
    sample.block = block;
    sample.duration_ns = std::abs(duration);
    if (duration < 0) sample.flag = "preempted";
    if (restart == 1) sample.sm_clock_mhz = 2;
  }
}

TEST(LogBlocks, stand_whole_and_without_preempted_samples) {
  std::vector<Sample> samples;
  add_block(samples, 0, 0, {100, -500, 200});
  add_block(samples, 0, 1, {-900});
  const RunBlocks one = log_blocks(samples, false);
  EXPECT_EQ(one.undisturbed, one.all) << "of one restart all count";
  add_block(samples, 1, 0, {100, 300});
  add_block(samples, 2, 0, {-700, -800});
  const RunBlocks blocks = log_blocks(samples, false);
  const double first = std::log(200.0), second = std::log(900.0), last = std::log(750.0);
  EXPECT_EQ(blocks.all, (RestartBlocks{{0, {{0, first}, {1, second}}}, {1, {{0, first}}}, {2, {{0, last}}}}));
  EXPECT_EQ(blocks.undisturbed, (RestartBlocks{{0, {{0, std::log(150.0)}}}, {1, {{0, first}}}}));
  const RunBlocks cycles = log_blocks(samples, true);
  EXPECT_EQ(cycles.all, (RestartBlocks{{1, {{0, std::log(400.0)}}}})) << "where the clock is known";
  EXPECT_EQ(cycles.undisturbed, cycles.all);
}

}  // namespace
}  // namespace triscope
