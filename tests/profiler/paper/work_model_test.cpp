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

/// As a caller does it: all fits say how far sweeps scatter.
std::optional<WorkEstimate> estimate(std::span<const WorkRow> rows, std::span<const double> parts,
                                     std::optional<std::int64_t> of,
                                     const std::vector<std::vector<WorkRow>>& others = {}) {
  const std::optional<WorkFit> fit = fit_work(rows);
  if (!fit) return std::nullopt;
  std::vector<WorkFit> more;
  for (const std::vector<WorkRow>& one : others) more.push_back(*fit_work(one));
  std::vector<const WorkFit*> fits{&*fit};
  for (const WorkFit& one : more) fits.push_back(&one);
  return estimate_by_work(*fit, parts, of, true, sweep_scatter(fits));
}

TEST(WorkModel, finds_the_costs_that_made_the_times) {
  const auto found = estimate(exact_rows(), std::vector<double>{3, 200}, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->ms, 21.5, 1e-9);
  EXPECT_GT(found->half, 0.01) << "half a percent of scatter is assumed at least";
  EXPECT_LT(found->half, 0.1);
}

TEST(WorkModel, a_sweep_has_a_factor_of_its_own) {
  std::vector<WorkRow> rows = exact_rows();
  for (const WorkRow& one : exact_rows()) rows.push_back(row(one.parts, 0.5, 0.1, 2, 1.06));
  const std::vector<double> parts{3, 200};
  const auto first = estimate(rows, parts, 1), second = estimate(rows, parts, 2),
             any = estimate(rows, parts, std::nullopt);
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
  const auto alone = estimate(rows, parts, std::nullopt), beside = estimate(rows, parts, std::nullopt, instances);
  ASSERT_TRUE(alone && beside);
  EXPECT_NEAR(beside->ms, alone->ms, 1e-9) << "they say nothing of the costs";
  EXPECT_GT(alone->half, 0.1) << "two sweeps: one degree of freedom";
  EXPECT_LT(beside->half, 0.05);
  EXPECT_GT(beside->half, 0.02);
  const auto of_one_sweep = estimate(exact_rows(), parts, std::nullopt, instances);
  ASSERT_TRUE(of_one_sweep);
  EXPECT_GT(of_one_sweep->half, beside->half);
  EXPECT_EQ(estimate(rows, parts, 1, instances)->half, estimate(rows, parts, 1)->half);
}

/// Kinds scatter by 3 % about what their parts say, launches of one kind by 0.3 %: many launches of few kinds tell
/// little of another kind.
TEST(WorkModel, the_interval_of_another_kind_has_95_of_100_of_them) {
  std::mt19937_64 random(22);
  std::normal_distribution<double> scatter(0, 0.03), noise(0, 0.003);
  std::uniform_real_distribution<double> size(1, 100);
  int inside = 0, inside_alone = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<WorkRow> rows;
    const auto draw = [&](std::int64_t kind) {
      const double share = size(random), miss = scatter(random);
      for (int length = 1; length <= 6; ++length) {
        WorkRow one = row({share * length, (101 - share) * length}, 0.5, 0.1);
        one.ms *= 1 + miss + noise(random);
        one.kind = kind;
        rows.push_back(std::move(one));
      }
    };
    for (std::int64_t kind = 0; kind < 8; ++kind) draw(kind);
    const WorkRow other = rows.back();
    rows.resize(rows.size() - 6);
    const std::optional<WorkFit> fit = fit_work(rows);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->kind_degrees, 5);
    const auto holds = [&](bool known) {
      const auto found = estimate_by_work(*fit, other.parts, 1, known);
      return std::abs(other.ms / found->ms - 1) <= found->half;
    };
    inside += holds(false) ? 1 : 0;
    inside_alone += holds(true) ? 1 : 0;
  }
  EXPECT_GT(inside, 0.93 * kTrials);
  EXPECT_LT(inside, 0.99 * kTrials) << "wider than 95 of 100";
  EXPECT_LT(inside_alone, 0.9 * kTrials) << "without the scatter of kinds it is too narrow";
  std::vector<WorkRow> two = exact_rows();
  for (std::size_t n = 0; n < two.size(); ++n) two[n].kind = static_cast<std::int64_t>(n % 2);
  EXPECT_FALSE(estimate_by_work(*fit_work(two), two[0].parts, 1, false)) << "two kinds, two parts";
}

/// The factors of sweeps, whatever ran in them: twelve instances of the same two sweeps know no more of sweeps than
/// one.
TEST(WorkModel, instances_of_the_same_sweeps_are_not_independent) {
  const auto fit_of = [](std::vector<std::int64_t> sweeps) {
    std::vector<WorkRow> rows;
    for (const std::int64_t sweep : sweeps) {
      for (const WorkRow& one : exact_rows())
        rows.push_back(row(one.parts, 0.5, 0.1, sweep, sweep % 2 == 0 ? 1.02 : 1));
    }
    return *fit_work(rows);
  };
  const WorkFit two = fit_of({1, 2}), others = fit_of({3, 4}), joining = fit_of({2, 3, 5}), one = fit_of({7});
  const auto scatter = [](std::vector<const WorkFit*> fits) { return sweep_scatter(fits); };
  EXPECT_EQ(scatter({&two}).degrees, 1);
  const SweepScatter twelve = scatter(std::vector<const WorkFit*>(12, &two));
  EXPECT_EQ(twelve.degrees, 1);
  EXPECT_NEAR(twelve.variance, scatter({&two}).variance, 1e-12) << "each is a guess of the same variance";
  EXPECT_EQ(scatter({&two, &others}).degrees, 2) << "two differences, of two sweeps each";
  EXPECT_EQ(scatter({&two, &others, &joining}).degrees, 4) << "five sweeps, all beside each other";
  EXPECT_EQ(scatter({&two, &others, &joining, &one}).degrees, 4);
  EXPECT_EQ(scatter({&one}).degrees, 0);
}

/// Sweeps scatter by 3 %, and each does to all instances what it does to one. How often the interval of a further
/// sweep has it: 95 of 100 are promised.
TEST(WorkModel, the_interval_of_any_sweep_has_95_of_100_further_ones) {
  std::mt19937_64 random(22);
  std::normal_distribution<double> scatter(0, 0.03), noise(0, 0.003);
  int inside = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> factors;
    for (int sweep = 0; sweep < 5; ++sweep) factors.push_back(std::exp(scatter(random)));
    std::vector<std::vector<WorkRow>> instances(4);
    for (std::size_t sweep = 0; sweep < 4; ++sweep) {
      for (std::size_t instance = 0; instance < instances.size(); ++instance) {
        for (WorkRow one : exact_rows()) {
          one.ms *= factors[sweep] * (1 + noise(random)) * static_cast<double>(instance + 1);
          one.sweep = static_cast<std::int64_t>(sweep);
          instances[instance].push_back(std::move(one));
        }
      }
    }
    const std::vector<std::vector<WorkRow>> others(instances.begin() + 1, instances.end());
    const auto found = estimate(instances[0], std::vector<double>{3, 200}, std::nullopt, others);
    ASSERT_TRUE(found);
    inside += std::abs(21.5 * factors[4] / found->ms - 1) <= found->half ? 1 : 0;
  }
  EXPECT_GT(inside, 0.93 * kTrials);
  EXPECT_LT(inside, 0.99 * kTrials);
}

TEST(WorkModel, refuses_what_the_rows_cannot_tell) {
  const std::vector<double> parts{3, 200};
  EXPECT_FALSE(estimate({}, parts, 1));
  std::vector<WorkRow> rows = exact_rows();
  EXPECT_FALSE(estimate(rows, parts, std::nullopt)) << "one sweep says nothing of another";
  EXPECT_FALSE(estimate(std::span(rows).first(3), parts, 1)) << "too few";
  for (WorkRow& one : rows) one = row({one.parts[1] / 10, one.parts[1]}, 0.5, 0.1);
  EXPECT_FALSE(estimate(rows, parts, 1)) << "items and tiles always go together";
  for (WorkRow& one : rows) one = row({0, one.parts[1]}, 0.5, 0.1);
  EXPECT_FALSE(estimate(rows, parts, 1)) << "no row has an item";
  EXPECT_TRUE(estimate(rows, std::vector<double>{0, 200}, 1));
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
    const auto found = estimate(rows, further.parts, 2);
    ASSERT_TRUE(found);
    inside += std::abs(further.ms / found->ms - 1) <= found->half ? 1 : 0;
  }
  EXPECT_GT(inside, 0.935 * kTrials);
  EXPECT_LT(inside, 0.975 * kTrials);
}

}  // namespace
}  // namespace triscope
