// A comparison of few blocks, and what a comparison in turns was made of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/verdicts.hpp"

namespace triscope {
namespace {

std::vector<Sample> blocks_of_one(const std::vector<double>& seconds) {
  constexpr double kNsPerSecond = 1e9;
  std::vector<Sample> samples;
  for (const double one : seconds) {
    Sample sample;
    sample.block = static_cast<std::int64_t>(samples.size());
    sample.duration_ns = std::llround(one * kNsPerSecond);
    samples.push_back(sample);
  }
  return samples;
}

CompareInput sustained(const std::vector<Sample>& samples) {
  return {samples, Regime::sustained, TimingSource::cpu_clock};
}

// Where a row says that its blocks are too few to trust, nothing that stands beside it may look decided.
TEST(Compare, of_fewer_blocks_than_are_trusted_there_is_no_verdict) {
  const auto in_two_restarts = [](std::size_t blocks, double centre) {
    std::vector<Sample> samples = blocks_of_one(std::vector(blocks, centre));
    for (std::size_t n = 0; n < blocks; ++n) samples[n].restart = static_cast<std::int64_t>(n % 2);
    return samples;
  };
  for (const bool in_turns : {true, false}) {
    for (const std::size_t blocks : {2U, 6U, 7U}) {
      const auto a = in_two_restarts(blocks, 1.9), b = in_two_restarts(blocks, 1.0), many = in_two_restarts(10, 1.0);
      const Comparison few = compare(sustained(a), sustained(b), in_turns);
      EXPECT_EQ(few.verdict, Verdict::unclear) << blocks;
      EXPECT_NEAR(few.ratio, 1.9, 1e-9) << "it is shown";
      EXPECT_TRUE(interval_known(few));
      EXPECT_EQ(few.explanation, fmt::format("{} blocks are too few to trust: a verdict needs at least 8.", blocks));
      EXPECT_EQ(compare(sustained(a), sustained(many), in_turns).verdict, Verdict::unclear) << "of one side";
      EXPECT_EQ(compare(sustained(b), sustained(in_two_restarts(blocks, 1.0)), in_turns).verdict, Verdict::unclear);
    }
    EXPECT_EQ(compare(sustained(in_two_restarts(8, 1.9)), sustained(in_two_restarts(8, 1.0)), in_turns).verdict,
              Verdict::slower);
  }
  const auto a = in_two_restarts(6, 1.9), b = in_two_restarts(6, 1.0);
  const Comparison few = compare(sustained(a), sustained(b), true),
                   enough = compare(sustained(in_two_restarts(8, 1.9)), sustained(in_two_restarts(8, 1.0)), true);
  EXPECT_EQ(compare_steps({19, 10, enough}, {19, 10, enough}).verdict, Verdict::slower);
  EXPECT_EQ(compare_steps({19, 10, few}, {19, 10, enough}).verdict, Verdict::unclear) << "of a step one pass";
  EXPECT_EQ(compare_steps({19, 10, enough}, {19, 10, few}).verdict, Verdict::unclear);
}

// A reader divides the times that stand there: those of the turns make the ratio, those of the whole rows need not.
TEST(Compare, in_turns_says_what_the_other_took_in_them) {
  const auto ours = blocks_of_one(std::vector(10, 2.5)), theirs = blocks_of_one(std::vector(10, 2.0));
  const std::string turns = time_sentence(compare(sustained(ours), sustained(theirs), true), "FA3");
  EXPECT_TRUE(turns.starts_with("1.25x longer than FA3, ")) << turns;
  EXPECT_TRUE(turns.ends_with(", in turns beside 2000 ms")) << turns;
  const std::string apart = time_sentence(compare(sustained(ours), sustained(theirs), false), "FA3");
  EXPECT_TRUE(apart.ends_with(" *")) << apart;
}

}  // namespace
}  // namespace triscope
