// What is said of two sides beside the verdicts.
#include "profiler/statistics/between_sides.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profiler/statistics/comparison_facts.hpp"

namespace triscope {
namespace {

Comparison ratio_of(double time, std::optional<double> cycles) {
  Comparison comparison;
  comparison.verdict = Verdict::slower;
  comparison.ratio = time;
  comparison.interval = {time - 0.01, time + 0.01};
  comparison.cycle_ratio = cycles;
  return comparison;
}

ResultRow row_of(const char* kernel, const char* instance, const char* hash) {
  ResultRow row;
  row.kernel = kernel;
  row.card.label = kernel;
  row.instance = instance;
  row.source_hash = hash;
  return row;
}

TEST(BetweenSides, a_library_of_one_version_is_unchanged_though_its_caller_is_not) {
  EXPECT_TRUE(is_unchanged(row_of("baseline.fa3", "0.3.6", "25a658"), row_of("baseline.fa3", "0.3.6", "05c2e1")));
  EXPECT_FALSE(is_unchanged(row_of("baseline.fa3", "0.3.6", "25a658"), row_of("baseline.fa3", "0.3.7", "25a658")));
  EXPECT_TRUE(is_unchanged(row_of("cuda.hopper", "rows", "25a658"), row_of("cuda.hopper", "rows", "25a658")));
  EXPECT_FALSE(is_unchanged(row_of("cuda.hopper", "rows", "25a658"), row_of("cuda.hopper", "rows", "05c2e1")));
  EXPECT_FALSE(is_unchanged(row_of("cuda.hopper", "rows", ""), row_of("cuda.hopper", "rows", ""))) << "not known";
  ResultRow backward = row_of("cuda.hopper", "rows", "25a658");
  backward.pass = Pass::backward;
  EXPECT_FALSE(is_unchanged(row_of("cuda.hopper", "rows", "25a658"), backward));
}

TEST(BetweenSides, unchanged_kernels_are_told_by_their_range_and_their_medians) {
  UnchangedKernels unchanged;
  EXPECT_EQ(unchanged_text(unchanged), "");
  unchanged.add(row_of("cuda.hopper", "1", ""), ratio_of(1.02, 1.001));
  EXPECT_EQ(unchanged_text(unchanged),
            "1 unchanged measurement (cuda.hopper forward): time A / B 1.020; in cycles 1.001.");
  unchanged.add(row_of("baseline.cudnn", "1", ""), ratio_of(1.03, 0.999));
  unchanged.add(row_of("baseline.cudnn", "1", ""), ratio_of(1.05, {}));
  unchanged.add(row_of("nothing", "1", ""), Comparison{});
  EXPECT_EQ(unchanged_text(unchanged),
            "3 unchanged measurements (baseline.cudnn, cuda.hopper forward): time A / B 1.020 to 1.050, median 1.030; "
            "in cycles 0.999 to 1.001, median 1.000.");
}

TEST(BetweenSides, what_is_not_comparable_is_counted_by_time_and_by_cycles_with_the_reason) {
  Unjudged unjudged;
  unjudged.add(ratio_of(1.5, 1.2));
  unjudged.add(Comparison{Verdict::not_comparable, 0, {}, {}, false, 0, "A has no samples."});
  EXPECT_EQ(unjudged_text(unjudged), "") << "one has a verdict, the other no ratio";
  for (const auto& [time, cycles] : {std::pair(1.03, 1.02), std::pair(1.01, 0.99), std::pair(0.98, 0.97)})
    unjudged.add(not_judged_on_two_gpus(ratio_of(time, cycles)));
  EXPECT_EQ(
      unjudged_text(unjudged),
      "Not comparable: A and B were measured on two GPUs. By time A takes longer in 2 and shorter in 1, in cycles "
      "longer in 1 and shorter in 2.");
  Unjudged without_clocks;
  without_clocks.add(not_judged_on_two_gpus(ratio_of(1.03, {})));
  EXPECT_THAT(unjudged_text(without_clocks), testing::EndsWith("longer in 1 and shorter in 0."));
}

TEST(BetweenSides, a_ratio_in_cycles_has_three_decimals) {
  EXPECT_EQ(cycle_ratio_text(ratio_of(1.03, 1.0187)), "1.019");
  EXPECT_EQ(cycle_ratio_text(ratio_of(1.03, {})), "");
}

}  // namespace
}  // namespace triscope
