// Ratios of several kernels that took turns in one group: all are against its first kernel, so that what that one does
// is in each of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "profiler/statistics/restarts.hpp"

namespace triscope {
namespace {

struct Turns {
  std::size_t kernels = 3, groups = 1;
  double first = 0.005, others = 0.005;  ///< deviation from restart to restart (logarithm)
};

/// Of the 95 % intervals how many hold the true ratio, of pairs with a group's first kernel and of others. All kernels
/// are equally fast.
struct TurnsCoverage {
  double with_first = 0, without = 0, half_width = 0, wrong_99 = 0;
};

std::vector<RestartedRow> simulated_turns(const Turns& kind, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::vector<RestartedRow> rows;
  for (std::size_t n = 0; n < kind.groups * kind.kernels; ++n) {
    RestartedRow& row = rows.emplace_back();
    row.group = static_cast<std::int64_t>(n / kind.kernels);
    for (std::int64_t restart = 0; restart < 3; ++restart) {
      const double centre = (n % kind.kernels == 0 ? kind.first : kind.others) * normal(engine);
      for (std::int64_t block = 0; block < 5; ++block) row.blocks[restart][block] = centre + 0.0005 * normal(engine);
    }
  }
  return rows;
}

TurnsCoverage coverage_in_turns(const Turns& kind) {
  std::mt19937_64 engine(20261128);
  TurnsCoverage result;
  double pairs = 0, others = 0;
  for (std::size_t sweep = 0; sweep < 4000 / kind.groups; ++sweep) {
    const std::vector<RestartedRow> rows = simulated_turns(kind, engine);
    const Spread pooled = spread_over(rows).ratios;
    const auto ratio = [&](std::size_t a, std::size_t b) {
      return centre_over_restarts(paired_ratios(rows[a].blocks, rows[b].blocks), pooled);
    };
    for (std::size_t first = 0; first < rows.size(); first += kind.kernels) {
      for (std::size_t n = 1; n < kind.kernels; ++n) {
        const Centre one = ratio(first + n, first);
        result.with_first += std::abs(one.value) <= half_width(one);
        result.wrong_99 += std::abs(one.value) - half_width(one, 0.99) > 0.005;
        result.half_width += half_width(one);
        ++pairs;
        if (n == 1) continue;
        const Centre other = ratio(first + n, first + 1);
        result.without += std::abs(other.value) <= half_width(other);
        ++others;
      }
    }
  }
  for (double* value : {&result.with_first, &result.wrong_99, &result.half_width}) *value /= pairs;
  result.without = others > 0 ? result.without / others : 1;
  return result;
}

// The table of docs/method.md.
TEST(Coverage, of_ratios_that_share_a_kernel) {
  const Turns kinds[] = {{.kernels = 2},
                         {.kernels = 3},
                         {.kernels = 10},
                         {.kernels = 5, .first = 0.015},
                         {.kernels = 10, .first = 0.015},
                         {.kernels = 10, .first = 0.02, .others = 0.002},
                         {.kernels = 5, .first = 0.001},
                         {.kernels = 10, .first = 0.001},
                         {.kernels = 3, .groups = 7},
                         {.kernels = 3, .groups = 7, .first = 0.015}};
  for (const Turns& kind : kinds) {
    const TurnsCoverage result = coverage_in_turns(kind);
    std::printf(
        "%zu groups of %2zu, first %.1f %%, others %.1f %%: covered %5.1f %%, others beside each other %5.1f %%, "
        "+-%5.2f %%, wrong at 99 %% %4.1f %%\n",
        kind.groups, kind.kernels, 100 * kind.first, 100 * kind.others, 100 * result.with_first, 100 * result.without,
        100 * result.half_width, 100 * result.wrong_99);
    EXPECT_GE(result.with_first, 0.93) << kind.kernels << " " << kind.first;
    EXPECT_GE(result.without, 0.93) << kind.kernels << " " << kind.first;
    EXPECT_LE(result.wrong_99, 0.015) << kind.kernels << " " << kind.first;
  }
}

}  // namespace
}  // namespace triscope
