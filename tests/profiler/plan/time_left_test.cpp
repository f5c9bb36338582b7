#include "profiler/plan/time_left.hpp"

#include <gtest/gtest.h>

namespace triscope {
namespace {

TEST(TimeLeft, is_the_estimate_less_what_has_gone) {
  TimeLeft left(30);
  EXPECT_EQ(left.at(100), 30);
  left.begin(10, 100);
  EXPECT_EQ(left.at(104), 26);
}

TEST(TimeLeft, learns_from_groups_that_are_done) {
  TimeLeft left(30);
  left.begin(10, 100);
  left.end(105);  // half as long as estimated
  left.begin(10, 105);
  EXPECT_DOUBLE_EQ(*left.at(106), 9);
}

TEST(TimeLeft, a_group_that_takes_longer_takes_nothing_from_those_that_follow) {
  TimeLeft left(30);
  left.begin(1, 100);
  left.end(101);
  left.begin(1, 101);
  // 40 s gone of one that was to take 1 s: 28 estimated seconds follow, at 41 s for 2.
  EXPECT_DOUBLE_EQ(*left.at(141), 28 * 41.0 / 2);
  left.end(141);
  EXPECT_DOUBLE_EQ(*left.at(141), 28 * 41.0 / 2);
}

TEST(TimeLeft, is_not_known_while_the_last_group_overruns_or_when_nothing_was_planned) {
  TimeLeft left(0.3 + 0.1);
  left.begin(0.3, 0);
  left.end(0.3);
  left.begin(0.1, 0.3);
  EXPECT_TRUE(left.at(0.35));
  EXPECT_FALSE(left.at(0.5));
  left.end(0.5);
  EXPECT_NEAR(*left.at(0.5), 0, 1e-9);
  EXPECT_FALSE(TimeLeft(0).at(7)) << "what is followed up after the plan was done";
}

}  // namespace
}  // namespace triscope
