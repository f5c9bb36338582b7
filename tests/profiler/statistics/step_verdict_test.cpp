// A training step is judged as a row is.
#include <gtest/gtest.h>

#include "profiler/statistics/training_step.hpp"
#include "profiler/statistics/verdicts.hpp"

namespace triscope {
namespace {

TEST(StepVerdict, is_that_of_a_row) {
  Comparison turns;
  turns.ratio = 1.02;
  turns.interval = {1.01, 1.03};
  turns.verdict = Verdict::slower;
  turns.paired = true;
  turns.same_within = 0.005;
  const auto judged = [](const Comparison& forward, const Comparison& backward) {
    return judge_step({10.2, 10, forward}, {20.4, 20, backward});
  };
  const Comparison both = judged(turns, turns);
  const StepRatio ratio = ratio_of_steps({10.2, 10, turns}, {20.4, 20, turns});
  EXPECT_EQ(both.verdict, Verdict::slower);
  EXPECT_TRUE(both.paired);
  EXPECT_DOUBLE_EQ(both.ratio, ratio.time.value);
  EXPECT_DOUBLE_EQ(both.interval.low, *ratio.time.low);
  EXPECT_DOUBLE_EQ(both.interval.high, *ratio.time.high);
  EXPECT_DOUBLE_EQ(both.a_ms, ratio.own_ms);
  Comparison apart = turns;
  apart.paired = false;
  apart.same_within = 0.02;
  EXPECT_EQ(judged(turns, apart).verdict, Verdict::unclear) << "1.01 to 1.03 of separate runs";
  EXPECT_FALSE(judged(turns, apart).paired);
  Comparison refused = apart;
  refused.verdict = Verdict::not_comparable;
  refused.explanation = "A and B were measured on two GPUs.";
  EXPECT_EQ(judged(turns, refused).verdict, Verdict::not_comparable);
  EXPECT_EQ(judged(turns, refused).explanation, refused.explanation);
  EXPECT_EQ(time_interval_text(judged(turns, refused)), "");
  Comparison disturbed = turns;
  disturbed.verdict = Verdict::unclear;
  disturbed.explanation = "The machine was busy.";
  EXPECT_EQ(judged(turns, disturbed).verdict, Verdict::unclear) << "however narrow its interval";
  EXPECT_EQ(judged(turns, disturbed).explanation, disturbed.explanation);
  disturbed.interval = {};
  EXPECT_EQ(judged(turns, disturbed).verdict, Verdict::unclear);
  EXPECT_EQ(judged(turns, disturbed).interval.high, 0);
}

}  // namespace
}  // namespace triscope
