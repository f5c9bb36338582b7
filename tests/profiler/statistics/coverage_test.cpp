// Does the 95 % interval, looked at again and again until it is narrow enough, still cover the truth?
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/statistics/simulated_blocks.hpp"

namespace triscope {
namespace {

constexpr int kRuns = 2000;
constexpr std::int64_t kMostBlocks = 250;  // 10 s of blocks of 40 ms

struct Coverage {
  double covered = 0;    ///< share of the runs whose interval holds the true centre
  double converged = 0;  ///< share that reached the precision
  double blocks = 0;     ///< mean length
};

// A run: blocks until the stopping rule ends it, at 0.5 %; then the interval that would be reported.
Coverage coverage(const Disturbance& disturbance, std::uint64_t seed) {
  BlockSimulation simulation(seed);
  StoppingRule rule;
  rule.max_blocks = kMostBlocks;
  Coverage result;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<double> blocks = simulation.blocks(disturbance, kMostBlocks);
    std::size_t taken = 1;
    StopReason reason = StopReason::go_on;
    while (reason == StopReason::go_on) reason = should_stop(rule, std::span(blocks).first(++taken), 0);
    const Interval interval = t_interval(std::span(blocks).first(taken));
    const double truth = true_centre(disturbance, taken);
    result.covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
    result.converged += reason == StopReason::converged ? 1 : 0;
    result.blocks += static_cast<double>(taken);
  }
  result.covered /= kRuns;
  result.converged /= kRuns;
  result.blocks /= kRuns;
  return result;
}

void expect_coverage(const std::string& name, const Disturbance& disturbance, double least) {
  const Coverage result = coverage(disturbance, 20250917);
  std::printf("%-34s covered %5.1f %%  converged %5.1f %%  blocks %5.1f\n", name.c_str(), 100 * result.covered,
              100 * result.converged, result.blocks);
  EXPECT_GE(result.covered, least) << name;
}

TEST(Coverage, of_independent_blocks_is_at_least_90_percent) {
  for (double noise : {0.001, 0.003, 0.01, 0.03}) {
    expect_coverage("independent " + std::to_string(noise), {.noise = noise}, 0.90);
  }
}

TEST(Coverage, of_correlated_blocks_is_at_least_90_percent) {
  for (double correlation : {0.3, 0.5, 0.7}) {
    for (double noise : {0.002, 0.01, 0.03}) {
      expect_coverage("correlated " + std::to_string(correlation).substr(0, 3) + " noise " + std::to_string(noise),
                      {.noise = noise, .correlation = correlation}, 0.90);
    }
  }
}

TEST(Coverage, with_outliers_and_heavy_tails_is_at_least_90_percent) {
  expect_coverage("5 % preempted, noise 0.3 %", {.noise = 0.003, .outlier_share = 0.05}, 0.90);
  expect_coverage("5 % preempted, noise 1 %", {.noise = 0.01, .outlier_share = 0.05}, 0.90);
  expect_coverage("15 % preempted, noise 0.3 %", {.noise = 0.003, .outlier_share = 0.15}, 0.90);
  expect_coverage("t3 noise 0.3 %", {.noise = 0.003, .degrees = 3}, 0.90);
  expect_coverage("t3 noise 1 %", {.noise = 0.01, .degrees = 3}, 0.90);
  expect_coverage("correlated 0.5 and 5 % preempted", {.noise = 0.005, .correlation = 0.5, .outlier_share = 0.05},
                  0.90);
}

TEST(Coverage, under_drift_and_waves_is_at_least_90_percent) {
  expect_coverage("drift 0.01 %/block, noise 0.2 %", {.noise = 0.002, .drift_per_block = 1e-4}, 0.90);
  expect_coverage("drift 0.01 %/block, noise 1 %", {.noise = 0.01, .drift_per_block = 1e-4}, 0.90);
  expect_coverage("wave 0.3 %, noise 0.2 %", {.noise = 0.002, .wave = 0.003}, 0.90);
  expect_coverage("wave 1 %, noise 0.5 %", {.noise = 0.005, .wave = 0.01}, 0.90);
}

// The limit of the method, stated in docs/method.md: waves of some ten blocks are not seen in the few blocks that
// suffice otherwise. The bounds are there to notice a change.
TEST(Coverage, of_slow_waves_is_lower_and_known) {
  for (double noise : {0.002, 0.01}) {
    expect_coverage("correlated 0.85 noise " + std::to_string(noise), {.noise = noise, .correlation = 0.85}, 0.80);
  }
}

}  // namespace
}  // namespace triscope
