// Fits and intervals beside scipy's: scipy_recorded.json, made by record_scipy.py.
#include "profiler/paper/scaling_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kernels/base/error.hpp"
#include "profiler/paper/losses_file.hpp"
#include "profiler/paper/reproduction.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

nlohmann::json recorded() { return nlohmann::json::parse(std::ifstream(TRISCOPE_TEST_PAPER "/scipy_recorded.json")); }

void expect_near(double value, const nlohmann::json& expected, double relative = 1e-8) {
  EXPECT_NEAR(value, expected.get<double>(), relative * std::abs(expected.get<double>()));
}

TEST(ScalingLaw, is_that_of_scipy) {
  const nlohmann::json fits = recorded()["fits"];
  ASSERT_EQ(fits.size(), 8U);
  for (const nlohmann::json& fit : fits) {
    const LossSeries series = paper_losses(fit["benchmark"].get<std::string>(), fit["model"].get<std::string>());
    const ScalingLaw law = fit_scaling_law(series.sizes, series.losses);
    SCOPED_TRACE(series.benchmark + " " + series.model);
    expect_near(law.alpha, fit["alpha"]);
    expect_near(law.beta, fit["beta"]);
    expect_near(law.r_squared, fit["r_squared"]);
    expect_near(law.residual_sum, fit["residual_sum"], 1e-6);  // the small remainder of a difference
    expect_near(law.alpha_error.value(), fit["alpha_error"], 1e-6);
    expect_near(law.beta_error.value(), fit["beta_error"], 1e-6);
    expect_near(half_width(law.alpha_error, law.degrees).value(), fit["alpha_half"], 1e-6);
    expect_near(half_width(law.beta_error, law.degrees).value(), fit["beta_half"], 1e-6);
    const LossForecast at = forecast_loss(law, 7e9);
    expect_near(at.low.value(), fit["line_7e9"][0]);
    expect_near(at.high.value(), fit["line_7e9"][1]);
    expect_near(at.run_low.value(), fit["run_7e9"][0]);
    expect_near(at.run_high.value(), fit["run_7e9"][1]);
  }
}

TEST(ScalingLaw, differences_are_those_of_scipy_and_none_is_significant) {
  for (const nlohmann::json& expected : recorded()["differences"]) {
    const LossSeries a = paper_losses(expected["benchmark"].get<std::string>(), kModels[0]);
    const LossSeries b = paper_losses(expected["benchmark"].get<std::string>(), kModels[1]);
    const AlphaDifference welch =
        alpha_difference(fit_scaling_law(a.sizes, a.losses), fit_scaling_law(b.sizes, b.losses));
    const AlphaDifference paired = paired_alpha_difference(a, b);
    expect_near(welch.value, expected["value"]);
    expect_near(welch.degrees, expected["welch_degrees"], 1e-6);
    expect_near(welch.half.value(), expected["welch_half"], 1e-6);
    expect_near(welch.probability.value(), expected["welch_probability"], 1e-6);
    expect_near(paired.value, expected["value"]);
    expect_near(paired.half.value(), expected["paired_half"], 1e-6);
    expect_near(paired.probability.value(), expected["paired_probability"], 1e-6);
    EXPECT_FALSE(welch.significant());
    EXPECT_FALSE(paired.significant());
  }
}

TEST(ScalingLaw, finds_the_law_that_losses_were_made_of) {
  std::vector<double> sizes, losses;
  for (double n = 1e8; n < 1e11; n *= 3) {
    sizes.push_back(n);
    losses.push_back(std::exp(-0.125 * std::log(n) + 2.5));
  }
  const ScalingLaw law = fit_scaling_law(sizes, losses);
  EXPECT_NEAR(law.alpha, 0.125, 1e-12);
  EXPECT_NEAR(law.beta, -2.5, 1e-10);
  EXPECT_NEAR(law.r_squared, 1, 1e-12);
  EXPECT_EQ(law.degrees, law.points - 2);
}

TEST(ScalingLaw, two_points_bound_nothing) {
  const std::vector<double> sizes{1e9, 2e9}, losses{3, 2.5};
  const ScalingLaw law = fit_scaling_law(sizes, losses);
  EXPECT_FALSE(law.alpha_error.has_value());
  EXPECT_FALSE(half_width(law.alpha_error, law.degrees).has_value());
  EXPECT_FALSE(forecast_loss(law, 4e9).low.has_value());
  EXPECT_FALSE(alpha_difference(law, law).half.has_value());
}

TEST(ScalingLaw, refuses_what_has_no_line) {
  const std::vector<double> one{1e9, 1e9, 1e9}, sizes{1e9, 2e9, 3e9}, losses{1, 2, 3}, zero{1, 0, 1}, two{1, 2};
  EXPECT_THROW(fit_scaling_law(one, losses), Error);
  EXPECT_THROW(fit_scaling_law(sizes, zero), Error);
  EXPECT_THROW(fit_scaling_law(sizes, two), Error);
  EXPECT_THROW(fit_scaling_law({}, {}), Error);
}

/// Losses of `count` sizes about a law of exponent `alpha`, alternately above and below it by `scatter`.
LossSeries scattered(double alpha, double scatter, int count) {
  LossSeries series{"b", "m", {}, {}};
  for (int i = 0; i < count; ++i) {
    series.sizes.push_back(1e9 * std::pow(2.0, i));
    series.losses.push_back(std::exp(-alpha * std::log(series.sizes.back()) + 2 + (i % 2 == 0 ? scatter : -scatter)));
  }
  return series;
}

TEST(PointsToDecide, more_where_the_difference_is_smaller_or_the_scatter_larger) {
  const LossSeries base = scattered(0.10, 0.01, 5);
  const auto near = points_to_decide(base, scattered(0.11, 0.01, 5)).value();
  const auto far = points_to_decide(base, scattered(0.14, 0.01, 5)).value();
  const auto noisy = points_to_decide(base, scattered(0.14, 0.03, 5)).value();
  EXPECT_GT(near.repeats.value(), far.repeats.value());
  EXPECT_GT(near.sizes.value(), far.sizes.value());
  EXPECT_GT(noisy.repeats.value(), far.repeats.value());
  EXPECT_LE(near.sizes.value(), near.repeats.value() * 5) << "a longer range of sizes shows more than repeats";
}

TEST(PointsToDecide, says_nothing_without_scatter_and_gives_up_at_a_thousand) {
  const LossSeries two = scattered(0.1, 0.01, 2);
  EXPECT_FALSE(points_to_decide(two, scattered(0.2, 0.01, 2)).has_value());
  const auto hopeless = points_to_decide(scattered(0.1, 0.1, 3), scattered(0.1 + 1e-6, 0.1, 3)).value();
  EXPECT_FALSE(hopeless.repeats.has_value());
}

TEST(SolvedSizes, are_those_of_scipy_and_lie_near_the_printed_tables) {
  const nlohmann::json expected = recorded()["solved"];
  const SolvedSizes solved = solve_sizes();
  for (std::size_t i = 0; i < 3; ++i) expect_near(solved.sizes.at(i), expected["sizes"][i], 1e-3);
  expect_near(solved.misfit, expected["misfit"], 1e-4);
  expect_near(solved.misfit_printed_sizes, expected["misfit_printed_sizes"], 1e-6);
}

}  // namespace
}  // namespace triscope
