// What rows lend each other: degrees of freedom, fewer where they are unequal.
#include "profiler/statistics/restarts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace triscope {
namespace {

/// Three rows and the reference that took turns with each, as `pool_restarts` gives them. Ratios of the last pair
/// scatter `unevenness` times as much as those of the others.
std::vector<RestartedRow> with_a_reference(double unevenness) {
  std::vector<RestartedRow> rows;
  for (const std::int64_t group : {7, 8, 9}) {
    const double step = group == 9 ? 0.01 * unevenness : 0.01;
    rows.push_back({group, {{0, {{0, 1.0}}}, {1, {{0, 1.0 + step}}}, {2, {{0, 1.0 - step}}}}});
    rows.push_back({group, {{0, {{0, 2.0}}}, {1, {{0, 2.0}}}, {2, {{0, 2.0}}}}, true});
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

}  // namespace
}  // namespace triscope
