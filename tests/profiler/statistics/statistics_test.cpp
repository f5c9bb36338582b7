#include "profiler/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Abramowitz and Stegun, table 26.10 (also every statistics textbook): two-sided 95 % and 99 %.
TEST(StudentT, quantiles_match_the_published_table) {
  const struct {
    double degrees, t_975, t_995;
  } table[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},  {3, 3.182, 5.841},  {4, 2.776, 4.604},  {5, 2.571, 4.032},
               {6, 2.447, 3.707},   {7, 2.365, 3.499},  {8, 2.306, 3.355},  {9, 2.262, 3.250},  {10, 2.228, 3.169},
               {15, 2.131, 2.947},  {20, 2.086, 2.845}, {30, 2.042, 2.750}, {60, 2.000, 2.660}, {120, 1.980, 2.617}};
  for (const auto& row : table) {
    EXPECT_NEAR(t_quantile(0.975, row.degrees), row.t_975, 6e-4) << row.degrees;
    EXPECT_NEAR(t_quantile(0.995, row.degrees), row.t_995, 6e-4) << row.degrees;
    EXPECT_NEAR(t_quantile(0.025, row.degrees), -row.t_975, 6e-4) << row.degrees;
  }
}

TEST(StudentT, matches_the_closed_forms_of_one_and_two_degrees) {
  for (double p : {0.5, 0.6, 0.9, 0.975, 0.9999, 1e-6}) {
    EXPECT_NEAR(t_quantile(p, 1), std::tan(M_PI * (p - 0.5)), 1e-8 * (1 + std::abs(std::tan(M_PI * (p - 0.5))))) << p;
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(t_quantile(p, 2), two, 1e-8 * (1 + std::abs(two))) << p;
  }
}

TEST(StudentT, real_degrees_lie_between_their_neighbours_and_many_approach_the_normal) {
  EXPECT_LT(t_quantile(0.975, 7.5), t_quantile(0.975, 7));
  EXPECT_GT(t_quantile(0.975, 7.5), t_quantile(0.975, 8));
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-10);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-9);
  EXPECT_NEAR(t_quantile(0.975, 1e5), normal_quantile(0.975), 5e-5);
  EXPECT_NEAR(t_quantile(0.975, 10), 2.228138851964939, 1e-9);
}

TEST(StudentT, refuses_what_has_no_quantile) {
  EXPECT_THROW(t_quantile(0, 5), Error);
  EXPECT_THROW(t_quantile(1, 5), Error);
  EXPECT_THROW(t_quantile(kNan, 5), Error);
  EXPECT_THROW(t_quantile(0.9, 0), Error);
}

TEST(Quantile, interpolates_between_the_sorted_values) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);  // numpy.quantile([4, 1, 3, 2], 0.25)
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7, 9, 1}), 7);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{5}), 5);
}

TEST(Quantile, refuses_nothing_and_what_is_not_a_number) {
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(median(std::vector<double>{1, kNan}), Error);
  EXPECT_THROW(quantile(std::vector<double>{1, 2}, 1.5), Error);
  EXPECT_THROW(quantile(std::vector<double>{1, 2}, kNan), Error);
}

TEST(Quantile, the_winsorized_mean_is_the_mean_but_for_what_stands_out) {
  EXPECT_DOUBLE_EQ(winsorized_mean(std::vector<double>{4}), 4);
  EXPECT_DOUBLE_EQ(winsorized_mean(std::vector<double>{1, 2, 6}), 3) << "the deviations 0, 1, 4 make a bound of 4.4";
  EXPECT_DOUBLE_EQ(winsorized_mean(std::vector<double>{9, 6, 1, 0, -3, -6, -7}), 0) << "a swing";
  EXPECT_DOUBLE_EQ(winsorized_mean(std::vector<double>{1, 1, 1, 1, 1, 1, 9}), 1);
  EXPECT_NEAR(winsorized_mean(std::vector<double>{0.9, 1, 1.1, 1, 0.9, 1.1, 100}), 1.06, 0.01);
  EXPECT_THROW(winsorized_mean({}), Error);
  EXPECT_THROW(winsorized_mean(std::vector<double>{1, kNan}), Error);
}

TEST(TInterval, of_one_value_is_infinite_of_none_an_error) {
  const Interval one = t_interval(std::vector<double>{3});
  EXPECT_EQ(one.low, -kInfinity);
  EXPECT_EQ(one.high, kInfinity);
  EXPECT_THROW(t_interval({}), Error);
  EXPECT_THROW(t_interval(std::vector<double>{1, kNan}), Error);
  EXPECT_THROW(t_interval(std::vector<double>{1, kInfinity}), Error);
}

TEST(TInterval, of_equal_values_has_no_width) {
  const Interval interval = t_interval(std::vector<double>(12, 2.5));
  EXPECT_EQ(interval.low, 2.5);
  EXPECT_EQ(interval.high, 2.5);
}

// Eight values whose order shows no correlation beyond the allowance: by hand, c = round(4.5 - sqrt 8) = 2, the span
// from the 2nd to the 7th value is 5, P(fewer than 2 of 8 below) = 9/256, so z = 1.8104 and the plain error is 5
// / 3.6208.
TEST(TInterval, follows_the_order_statistics_by_hand) {
  const std::vector<double> values = {11, 18, 12, 17, 13, 16, 14, 15};
  const Centre centre = centre_of(values);
  EXPECT_DOUBLE_EQ(centre.value, 14.5);
  const double plain = 5 / (2 * normal_quantile(1 - 9.0 / 256));
  EXPECT_NEAR(normal_quantile(1 - 9.0 / 256), 1.8104, 1e-3);
  EXPECT_NEAR(centre.standard_error, plain * std::sqrt(correlation_inflation(values)), 1e-12);
  const Interval interval = t_interval(values);
  EXPECT_NEAR(interval.high - 14.5, 2.3646 * centre.standard_error, 1e-3);
  EXPECT_NEAR(14.5 - interval.low, 2.3646 * centre.standard_error, 1e-3);
}

TEST(TInterval, a_huge_outlier_does_not_move_it_off_the_median) {
  std::vector<double> values = {11, 18, 12, 17, 13, 16, 14, 15, 12, 16};
  const Interval before = t_interval(values);
  values[1] = 1e6;
  const Interval after = t_interval(values);
  EXPECT_NEAR(after.low, before.low, 2);
  EXPECT_NEAR(after.high, before.high, 2);
}

TEST(TInterval, is_wider_when_neighbours_are_alike) {
  std::vector<double> alternating, slow;
  for (int i = 0; i < 32; ++i) {
    alternating.push_back(i % 2 == 0 ? 10 + i / 32.0 : 12 - i / 32.0);
    slow.push_back(i < 16 ? 10 + (2 * i) / 32.0 : 12 - (2 * i - 31) / 32.0);
  }
  EXPECT_NEAR(correlation_inflation(alternating), 1, 1e-9);
  EXPECT_GT(correlation_inflation(slow), 5);
}

TEST(ShouldStop, waits_for_the_least_number_of_blocks) {
  const std::vector<double> equal(8, 1.0);
  const StoppingRule rule;
  EXPECT_EQ(should_stop(rule, {}, 0), StopReason::go_on);
  EXPECT_EQ(should_stop(rule, std::span(equal).first(7), 0), StopReason::go_on);
  EXPECT_EQ(should_stop(rule, equal, 0), StopReason::converged);
}

TEST(ShouldStop, ends_at_the_budget_and_at_the_last_block) {
  const std::vector<double> wild = {1, 9, 2, 8, 3, 7, 4, 6, 1, 9};
  StoppingRule rule;
  EXPECT_EQ(should_stop(rule, wild, rule.budget_ns - 1), StopReason::go_on);
  EXPECT_EQ(should_stop(rule, wild, rule.budget_ns), StopReason::budget_spent);
  EXPECT_EQ(should_stop(rule, {}, rule.budget_ns), StopReason::budget_spent);
  rule.max_blocks = 10;
  EXPECT_EQ(should_stop(rule, wild, 0), StopReason::max_blocks);
  EXPECT_EQ(should_stop(rule, std::vector<double>(9, 1.0), rule.budget_ns), StopReason::converged);
}

TEST(ShouldStop, a_centre_of_zero_never_converges_and_nan_is_an_error) {
  const StoppingRule rule;
  EXPECT_EQ(should_stop(rule, std::vector<double>(16, 0.0), 0), StopReason::go_on);
  EXPECT_THROW(should_stop(rule, std::vector<double>(8, kNan), 0), Error);
}

TEST(ShouldStop, stops_when_four_fifths_of_the_half_width_are_within_the_precision) {
  // Ten values around 1000: the rule's own half-width decides, taken here from the public interval.
  std::vector<double> values = {999, 1002, 998, 1001, 1000, 1003, 997, 1000, 1002, 999, 1001, 998};
  const auto relative = [&](std::size_t n) {
    const Interval interval = t_interval(std::span(values).first(n));
    return (interval.high - interval.low) / 2 / median(std::span(values).first(n));
  };
  const double wider = 0.8 * std::max(relative(10), relative(12));
  StoppingRule rule;
  rule.precision = wider * 1.001;
  EXPECT_EQ(should_stop(rule, values, 0), StopReason::converged);
  rule.precision = wider * 0.999;
  EXPECT_EQ(should_stop(rule, values, 0), StopReason::go_on);
}

Sample sample(std::int64_t block, std::int64_t duration_ns, const char* flag = "") {
  Sample made;
  made.block = block;
  made.duration_ns = duration_ns;
  made.flag = flag;
  return made;
}

TEST(Summarize, counts_flagged_samples_and_keeps_them) {
  std::vector<Sample> samples;
  for (int i = 0; i < 9; ++i) samples.push_back(sample(i, 1'000'000 + i * 1000, i >= 5 ? "throttled" : ""));
  samples[0].sm_clock_mhz = 1700;
  samples[1].sm_clock_mhz = 1800;
  const Summary all = summarize(samples, {});
  EXPECT_EQ(all.samples, 9);
  EXPECT_EQ(all.flagged, 4);
  EXPECT_DOUBLE_EQ(all.median_ms, 1.004);
  EXPECT_DOUBLE_EQ(all.min_ms, 1.0);
  EXPECT_DOUBLE_EQ(all.quartile1_ms, 1.002);
  EXPECT_DOUBLE_EQ(all.quartile3_ms, 1.006);
  EXPECT_DOUBLE_EQ(all.sm_clock_mhz.value(), 1750);
  EXPECT_LE(all.ci_low_ms, all.median_ms);
  EXPECT_GE(all.ci_high_ms, all.median_ms);
}

TEST(Summarize, makes_one_value_of_each_block) {
  // Two blocks of three samples; the blocks' medians are 2 and 5 ms, in whatever order the samples come.
  const std::vector<Sample> samples = {sample(1, 5'000'000), sample(0, 2'000'000), sample(0, 1'000'000),
                                       sample(1, 4'000'000), sample(1, 9'000'000), sample(0, 3'000'000)};
  EXPECT_EQ(block_medians_ms(samples), (std::vector<double>{2, 5}));
  EXPECT_DOUBLE_EQ(summarize(samples, {}).median_ms, 3.5);
}

TEST(Summarize, of_nothing_and_of_one_block_is_defined) {
  const Summary none = summarize({}, {});
  EXPECT_EQ(none.samples, 0);
  EXPECT_FALSE(none.converged);
  const std::vector<Sample> one = {sample(0, 1'000'000)};
  EXPECT_EQ(summarize(one, {}).ci_low_ms, 0);
  EXPECT_EQ(summarize(one, {}).ci_high_ms, kInfinity);
  EXPECT_EQ(spread_text(summarize(one, {})), "one sample");
}

TEST(Summarize, an_interval_down_to_zero_is_said_to_be_unknown) {
  const std::vector<Sample> near = {sample(0, 1'000'000), sample(1, 1'010'000)};
  EXPECT_EQ(spread_text(summarize(near, {})).substr(0, 2), "+-");
  const std::vector<Sample> far = {sample(0, 1'000'000), sample(1, 1'500'000)};
  EXPECT_EQ(spread_text(summarize(far, {})), "interval unknown (2 samples)");
  EXPECT_EQ(spread_percent(10, 0, 30), std::nullopt);
  EXPECT_EQ(spread_percent(10, 1, std::nullopt), std::nullopt);
  EXPECT_EQ(spread_percent(10, 9, 12), 15);
  EXPECT_EQ(spread_percent(10, 1, 300), std::nullopt) << "no digit is known";
  ResultRow row;
  EXPECT_FALSE(interval_known(row)) << "it was not measured";
  row.median_ms = 10;
  row.ci_low_ms = 9;
  row.ci_high_ms = 12;
  EXPECT_TRUE(interval_known(row));
  row.ci_low_ms = 0;
  EXPECT_FALSE(interval_known(row));
  EXPECT_FALSE(interval_known(Summary{})) << "no samples";
}

TEST(Summarize, says_whether_the_precision_was_reached) {
  std::vector<Sample> tight, wide;
  for (int i = 0; i < 16; ++i) {
    tight.push_back(sample(i, 1'000'000 + (i * 7 % 5) * 100));
    wide.push_back(sample(i, 1'000'000 + (i * 7 % 5) * 50'000));
  }
  EXPECT_TRUE(summarize(tight, {}).converged);
  EXPECT_FALSE(summarize(wide, {}).converged);
}

TEST(Summarize, what_is_converged_is_at_most_as_wide_as_is_said) {
  std::vector<Sample> samples(12);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].block = static_cast<std::int64_t>(i);
    samples[i].duration_ns = 1'000'000 + static_cast<std::int64_t>(i * 7 % 12) * 1000;
  }
  const Summary summary = summarize(samples, {});
  const double half = 0.5 * (summary.ci_high_ms - summary.ci_low_ms) / summary.median_ms;
  StoppingRule rule;
  for (const double asked : {0.79 * half, 0.81 * half, half}) {
    rule.precision = asked;
    EXPECT_EQ(summarize(samples, rule).converged, half <= widest_converged(asked)) << asked / half;
  }
  EXPECT_DOUBLE_EQ(widest_converged(0.01), 0.0125);
}

}  // namespace
}  // namespace triscope
