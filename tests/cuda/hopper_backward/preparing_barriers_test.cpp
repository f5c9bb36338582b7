// The steps of the Hopper backward before its tiles (kernels/cuda/hopper/backward/kernel/prepare.cuh) in every order in
// which its CTAs can run.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cuda/barrier_model.hpp"

namespace triscope::hopper::backward {
namespace {

using bench::Warp;

// prepare.cuh, by all CTAs of a launch: between two steps all of their warps meet. A CTA's piece of something is what
// it alone writes; of ranges that many raise, its own share.
constexpr int kGrid = 0, kArrived = 1;  ///< all warps of all CTAs; CTAs whose ranges of keys are there, one warp each

int zeros(int cta) { return cta; }  ///< ranges, cleared
int key_ranges(int cta) { return 100 + cta; }
constexpr int kScales = 200;
int cleared_sums(int cta) { return 300 + cta; }
int rows(int cta) { return 400 + cta; }  ///< q scaled, LSE and delta
int row_ranges_of(int cta) { return 500 + cta; }
int keys(int cta) { return 600 + cta; }

/// `numbers`: CTAs; a warp stands for all of its CTA. Each takes turns with the next one's rows in the last step, as
/// blocks do that scale the deltas of whole (batch, kv head)s.
std::vector<Warp> preparing(int numbers) {
  std::vector<Warp> warps;
  for (int cta = 0; cta < numbers; ++cta) {
    Warp warp{"CTA " + std::to_string(cta), {}};
    const auto read_all = [&](int (*piece)(int), int value) {
      for (int n = 0; n < numbers; ++n) warp.read(piece(n), value);
    };
    warp.write(zeros(cta), 0);
    warp.meet(kGrid);
    warp.write(cleared_sums(cta), 0);
    read_all(zeros, 0);
    warp.write(key_ranges(cta), 1);
    warp.arrive(kArrived);
    if (cta == 0) {  // the one that came last
      warp.wait(kArrived, 0);
      read_all(key_ranges, 1);
      warp.write(kScales, 1);
    }
    warp.meet(kGrid);
    warp.read(kScales, 1);
    warp.write(rows(cta), 1);
    warp.write(row_ranges_of(cta), 1);
    warp.meet(kGrid);
    read_all(row_ranges_of, 1);
    warp.read(kScales, 1);
    warp.read(rows((cta + 1) % numbers), 1);
    warp.write(rows((cta + 1) % numbers), 2);
    warp.write(keys(cta), 2);
    warp.meet(kGrid);
    read_all(rows, 2);  // tiles
    read_all(keys, 2);
    read_all(cleared_sums, 0);
    warps.push_back(warp);
  }
  return warps;
}

TEST(PreparingBarriers, steps_before_the_tiles_follow_one_another_on_all_multiprocessors) {
  for (const int numbers : {2, 3, 8}) EXPECT_EQ(bench::prove(preparing(numbers), {numbers, numbers}), "") << numbers;
}

TEST(PreparingBarriers, the_model_finds_a_missing_wait_for_all_multiprocessors) {
  constexpr int kWaits = 4, kNumbers = 3;
  for (int missing = 0; missing < kWaits; ++missing) {
    std::vector<Warp> warps = preparing(kNumbers);
    for (Warp& warp : warps) {
      int met = 0;
      std::erase_if(warp.operations, [&](const bench::Operation& operation) {
        return operation.kind == bench::Operation::Kind::meet && met++ == missing;
      });
    }
    EXPECT_NE(bench::prove(warps, {kNumbers, kNumbers}), "") << missing;
  }
}

}  // namespace
}  // namespace triscope::hopper::backward
