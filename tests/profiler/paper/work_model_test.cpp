#include "profiler/paper/layers/work_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace triscope {
namespace {

WorkRow row(std::vector<double> parts, double item, double tile, std::int64_t sweep = 1, double factor = 1) {
  const double ms = factor * (parts[0] * item + parts[1] * tile);
  return {std::move(parts), ms, sweep};
}

std::vector<WorkRow> exact_rows() {
  return {row({1, 10}, 0.5, 0.1), row({4, 10}, 0.5, 0.1), row({2, 90}, 0.5, 0.1), row({7, 30}, 0.5, 0.1),
          row({5, 50}, 0.5, 0.1)};
}

TEST(WorkModel, finds_the_costs_that_made_the_times) {
  const auto estimate = estimate_by_work(exact_rows(), std::vector<double>{3, 200}, 1);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->ms, 21.5, 1e-9);
  EXPECT_GT(estimate->half, 0.01) << "half a percent of scatter is assumed at least";
  EXPECT_LT(estimate->half, 0.1);
}

TEST(WorkModel, a_sweep_has_a_factor_of_its_own) {
  std::vector<WorkRow> rows = exact_rows();
  for (const WorkRow& one : exact_rows()) rows.push_back(row(one.parts, 0.5, 0.1, 2, 1.06));
  const std::vector<double> parts{3, 200};
  const auto first = estimate_by_work(rows, parts, 1), second = estimate_by_work(rows, parts, 2),
             any = estimate_by_work(rows, parts, std::nullopt);
  ASSERT_TRUE(first && second && any);
  EXPECT_NEAR(first->ms, 21.5, 1e-6);
  EXPECT_NEAR(second->ms, 21.5 * 1.06, 1e-6);
  EXPECT_NEAR(any->ms, 21.5 * std::sqrt(1.06), 1e-6);
  EXPECT_LT(first->half, 0.02);
  EXPECT_GT(any->half, 0.5) << "two sweeps say little of a third";
}

/// How far sweeps scatter is also told by launches of other instances, at costs of their own.
TEST(WorkModel, other_instances_say_how_far_sweeps_scatter) {
  std::vector<WorkRow> rows = exact_rows();
  for (const WorkRow& one : exact_rows()) rows.push_back(row(one.parts, 0.5, 0.1, 2, 1.02));
  std::vector<WorkRow> others;
  for (std::int64_t sweep = 1; sweep <= 8; ++sweep) {
    for (const WorkRow& one : exact_rows()) others.push_back(row(one.parts, 7, 0.9, sweep, sweep % 2 == 0 ? 1.02 : 1));
  }
  const std::vector<double> parts{3, 200};
  const std::vector<std::vector<WorkRow>> instances{others};
  const auto alone = estimate_by_work(rows, parts, std::nullopt),
             beside = estimate_by_work(rows, parts, std::nullopt, instances);
  ASSERT_TRUE(alone && beside);
  EXPECT_NEAR(beside->ms, alone->ms, 1e-9) << "they say nothing of the costs";
  EXPECT_GT(alone->half, 0.1) << "two sweeps: one degree of freedom";
  EXPECT_LT(beside->half, 0.05);
  EXPECT_GT(beside->half, 0.02);
  const auto of_one_sweep = estimate_by_work(exact_rows(), parts, std::nullopt, instances);
  ASSERT_TRUE(of_one_sweep);
  EXPECT_GT(of_one_sweep->half, beside->half);
  EXPECT_EQ(estimate_by_work(rows, parts, 1, instances)->half, estimate_by_work(rows, parts, 1)->half);
}

TEST(WorkModel, refuses_what_the_rows_cannot_tell) {
  const std::vector<double> parts{3, 200};
  EXPECT_FALSE(estimate_by_work({}, parts, 1));
  std::vector<WorkRow> rows = exact_rows();
  EXPECT_FALSE(estimate_by_work(rows, parts, std::nullopt)) << "one sweep says nothing of another";
  EXPECT_FALSE(estimate_by_work(std::span(rows).first(3), parts, 1)) << "too few";
  for (WorkRow& one : rows) one = row({one.parts[1] / 10, one.parts[1]}, 0.5, 0.1);
  EXPECT_FALSE(estimate_by_work(rows, parts, 1)) << "items and tiles always go together";
  for (WorkRow& one : rows) one = row({0, one.parts[1]}, 0.5, 0.1);
  EXPECT_FALSE(estimate_by_work(rows, parts, 1)) << "no row has an item";
  EXPECT_TRUE(estimate_by_work(rows, std::vector<double>{0, 200}, 1));
}

/// Rows with a scatter of 3 %, and how often the interval has one more of them: 95 of 100 are promised.
TEST(WorkModel, the_interval_has_95_of_100_further_rows) {
  std::mt19937_64 random(22);
  std::normal_distribution<double> scatter(0, 0.03);
  std::uniform_real_distribution<double> size(1, 100);
  const auto draw = [&](std::int64_t sweep, double factor) {
    WorkRow one = row({size(random), size(random)}, 0.5, 0.1, sweep, factor);
    one.ms *= 1 + scatter(random);
    return one;
  };
  int inside = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<WorkRow> rows;
    for (int n = 0; n < 6; ++n) rows.push_back(draw(1, 1)), rows.push_back(draw(2, 1.05));
    const WorkRow further = draw(2, 1.05);
    const auto estimate = estimate_by_work(rows, further.parts, 2);
    ASSERT_TRUE(estimate);
    inside += std::abs(further.ms / estimate->ms - 1) <= estimate->half ? 1 : 0;
  }
  EXPECT_GT(inside, 0.935 * kTrials);
  EXPECT_LT(inside, 0.975 * kTrials);
}

}  // namespace
}  // namespace triscope
