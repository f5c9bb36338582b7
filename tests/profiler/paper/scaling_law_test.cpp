// Fits and intervals beside scipy's: scipy_recorded.json, made by record_scipy.py.
#include "profiler/paper/laws/scaling_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "kernels/base/error.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/record/json.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

nlohmann::json recorded_by_scipy() {
  return nlohmann::json::parse(std::ifstream(source_file("tests/profiler/paper/scipy_recorded.json")));
}

void expect_near(double value, const nlohmann::json& expected, double relative = 1e-8) {
  EXPECT_NEAR(value, expected.get<double>(), relative * std::abs(expected.get<double>()));
}

TEST(ScalingLaw, is_that_of_scipy) {
  const nlohmann::json fits = recorded_by_scipy()["fits"];
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
  const nlohmann::json differences = recorded_by_scipy()["differences"];
  ASSERT_EQ(differences.size(), 4U);
  for (const nlohmann::json& expected : differences) {
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

TEST(ScalingLaw, of_points_on_its_line_has_no_residual) {
  std::vector<double> sizes{1e9, 2e9, 3.5e9}, losses;
  for (const double n : sizes) losses.push_back(2 * std::pow(n, -0.1));
  const ScalingLaw law = fit_scaling_law(sizes, losses);
  EXPECT_EQ(law.residual_sum, 0) << "rounding is no residual";
  EXPECT_EQ(law.r_squared, 1);
  EXPECT_EQ(residual_text(law), "0");
  losses[1] *= 1.001;
  EXPECT_EQ(residual_text(fit_scaling_law(sizes, losses)).substr(4), "e-07");
}

TEST(ScalingLaw, a_curve_has_the_whole_band_and_an_axis_shows_it_to_half_and_twice_the_loss) {
  const std::vector<double> sizes{1e9, 2e9, 4e9}, losses{2, 1.7, 1.6};
  const ScalingLaw law = fit_scaling_law(sizes, losses);
  const std::vector<LossForecast> curve = law_curve(law, 1e9, 64e9, 7);
  ASSERT_EQ(curve.size(), 7U);
  EXPECT_NEAR(curve[3].size, 8e9, 1);
  EXPECT_EQ(curve.back().low, forecast_loss(law, curve.back().size).low);
  EXPECT_LT(*curve.back().low, curve.back().loss / 2) << "three points say little of sixteen times the largest";
  LossRange range;
  range.take(std::span(curve).first(2));
  EXPECT_DOUBLE_EQ(range.high, *curve[0].high) << "what is inside is shown whole";
  range.take(curve);
  EXPECT_DOUBLE_EQ(range.low, curve.back().loss / 2);
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

TEST(ScalingLaw, refuses_sizes_that_only_rounding_tells_apart) {
  const double size = 1e12;
  const std::vector<double> near{size, std::nextafter(size, 2 * size), size}, losses{0.5, 0.4, 0.45};
  EXPECT_THROW(fit_scaling_law(near, losses), Error);
  EXPECT_THROW(paired_alpha_difference({"b", "x", near, losses}, {"b", "y", near, losses}), Error);
  const std::vector<double> apart{size, 1.001 * size, size};
  EXPECT_NEAR(fit_scaling_law(apart, losses).alpha, std::log(std::sqrt(0.5 * 0.45) / 0.4) / std::log(1.001), 1e-6);
}

TEST(ScalingLaw, losses_that_are_all_alike_have_no_r2_and_no_interval) {
  const std::vector<double> sizes{1e9, 2e9, 3e9};
  const LossSeries flat{"b", "x", sizes, {0.3, 0.3, 0.3}}, other{"b", "y", sizes, {0.6, 0.51, 0.45}};
  const ScalingLaw law = fit_scaling_law(flat.sizes, flat.losses);
  EXPECT_EQ(law.alpha, 0);
  EXPECT_TRUE(std::isnan(law.r_squared));
  EXPECT_FALSE(law.alpha_error.has_value());
  EXPECT_FALSE(forecast_loss(law, 7e9).low.has_value());
  EXPECT_FALSE(alpha_difference(law, fit_scaling_law(other.sizes, other.losses)).significant());
  EXPECT_FALSE(points_to_decide(flat, other).has_value());
  LossSeries tenth = other;  // a constant ratio of losses: what is left of it is rounding
  for (double& loss : tenth.losses) loss *= 0.1;
  const AlphaDifference paired = paired_alpha_difference(other, tenth);
  EXPECT_EQ(paired.value, 0);
  EXPECT_FALSE(paired.half.has_value());
}

/// Three runs of each size, `b` above `a` by a slope and a scatter.
std::pair<LossSeries, LossSeries> runs_of_each_size() {
  LossSeries a{"b", "x", {}, {}}, b{"b", "y", {}, {}};
  for (int i = 0; i < 12; ++i) {
    const int size = i / 3;
    a.sizes.push_back(1e9 * std::pow(2.0, size));
    a.losses.push_back(0.5 - 0.03 * size + 0.004 * std::sin(5.0 * i));
    b.losses.push_back(0.5 - 0.04 * size + 0.004 * std::sin(7.0 * i + 1));
  }
  b.sizes = a.sizes;
  return {a, b};
}

TEST(ScalingLaw, runs_of_one_size_are_paired_by_their_mean_in_any_order) {
  const auto [a, b] = runs_of_each_size();
  LossSeries turned = b, mean_a{"b", "x", {}, {}}, mean_b{"b", "y", {}, {}};
  for (std::size_t i = 0; i < 12; i += 3) {
    std::rotate(turned.losses.begin() + static_cast<long>(i), turned.losses.begin() + static_cast<long>(i) + 1,
                turned.losses.begin() + static_cast<long>(i) + 3);
    for (auto [from, to] : {std::pair(&a, &mean_a), std::pair(&b, &mean_b)}) {
      to->sizes.push_back(from->sizes[i]);
      to->losses.push_back(std::cbrt(from->losses[i] * from->losses[i + 1] * from->losses[i + 2]));
    }
  }
  const AlphaDifference paired = paired_alpha_difference(a, b), other = paired_alpha_difference(a, turned),
                        means = paired_alpha_difference(mean_a, mean_b);
  EXPECT_NEAR(paired.half.value(), other.half.value(), 1e-9);
  EXPECT_NEAR(paired.half.value(), means.half.value(), 1e-9);
  EXPECT_EQ(paired.degrees, 2) << "four sizes";
  const double welch = fit_scaling_law(b.sizes, b.losses).alpha - fit_scaling_law(a.sizes, a.losses).alpha;
  EXPECT_NEAR(paired.value, welch, 1e-9);
  const LossSeries two{"b", "x", {1e9, 1e9, 2e9, 2e9}, {0.50, 0.52, 0.45, 0.44}},
      beside{"b", "y", {1e9, 1e9, 2e9, 2e9}, {0.50, 0.49, 0.42, 0.44}};
  EXPECT_FALSE(paired_alpha_difference(two, beside).half.has_value()) << "two sizes bound nothing";
}

TEST(ScalingLaw, a_size_with_more_runs_weighs_more_in_both_differences) {
  const LossSeries a{"b", "x", {1e9, 1e9, 2e9, 4e9}, {0.50, 0.52, 0.45, 0.40}},
      b{"b", "y", {1e9, 1e9, 2e9, 4e9}, {0.50, 0.49, 0.42, 0.35}};
  const double welch = fit_scaling_law(b.sizes, b.losses).alpha - fit_scaling_law(a.sizes, a.losses).alpha;
  EXPECT_NEAR(paired_alpha_difference(a, b).value, welch, 1e-12);
}

TEST(ScalingLaw, pairs_losses_of_any_magnitude) {
  const std::vector<double> sizes{1e9, 2e9, 4e9};
  const LossSeries small{"b", "x", sizes, {1e-300, 5e-301, 2e-301}}, large{"b", "y", sizes, {1e300, 9e299, 7e299}};
  EXPECT_NEAR(paired_alpha_difference(small, large).value,
              fit_scaling_law(sizes, large.losses).alpha - fit_scaling_law(sizes, small.losses).alpha, 1e-9);
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

/// Both models miss their lines by the same: the paired interval is narrow, Welch's is not.
TEST(ComparedLaws, are_decided_by_welch_alone) {
  const std::vector<double> sizes{1e9, 2e9, 4e9, 8e9}, shared{0.03, -0.05, 0.01, 0.02};
  const auto fitted = [&](double alpha, double own) {
    LossSeries series{"b", "m", sizes, {}};
    for (std::size_t i = 0; i < sizes.size(); ++i)
      series.losses.push_back(std::exp(-alpha * std::log(sizes[i]) + shared[i] + (i % 2 == 0 ? own : -own)));
    return FittedSeries{series, fit_scaling_law(series.sizes, series.losses)};
  };
  const ComparedLaws alike = compare_laws(fitted(0.1, 0), fitted(0.12, 1e-4));
  ASSERT_TRUE(alike.paired.has_value());
  EXPECT_TRUE(alike.paired->significant());
  EXPECT_FALSE(alike.difference.significant());
  EXPECT_FALSE(alike.decided());
  EXPECT_TRUE(alike.needed.has_value());
  EXPECT_TRUE(compare_laws(fitted(0.1, 0), fitted(0.9, 1e-4)).decided());
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

// Experiments that record_scipy.py drew with the differences and scatters of the paper's losses.
TEST(PointsToDecide, is_where_80_of_100_simulated_experiments_show_the_difference) {
  const nlohmann::json differences = recorded_by_scipy()["differences"];
  ASSERT_EQ(differences.size(), 4U);
  for (const nlohmann::json& one : differences) {
    const auto benchmark = one["benchmark"].get<std::string>();
    const PointsNeeded needed =
        points_to_decide(paper_losses(benchmark, kModels[0]), paper_losses(benchmark, kModels[1])).value();
    const auto by_runs = one["power_by_runs"].get<std::vector<double>>();    // 1, 2, ... of each size
    const auto by_sizes = one["power_by_sizes"].get<std::vector<double>>();  // 3, 4, ...
    const auto runs = static_cast<std::size_t>(needed.repeats.value()),
               sizes = static_cast<std::size_t>(needed.sizes.value());
    EXPECT_GE(by_runs.at(runs - 1), 0.78) << benchmark << ", " << runs << " runs of each size";
    EXPECT_LT(by_runs.at(runs - 2), 0.8) << benchmark << ", a run less";
    EXPECT_GE(by_sizes.at(sizes - 3), 0.78) << benchmark << ", " << sizes << " sizes";
    EXPECT_LT(by_sizes.at(sizes - 4), 0.8) << benchmark << ", a size less";
  }
}

TEST(PointsToDecide, counts_sizes_and_their_runs_where_sizes_repeat) {
  LossSeries a = scattered(0.10, 0.02, 4), b = scattered(0.13, 0.02, 4);
  const PointsNeeded once = points_to_decide(a, b).value();
  for (LossSeries* series : {&a, &b}) {
    const LossSeries one = *series;
    series->sizes.insert(series->sizes.end(), one.sizes.begin(), one.sizes.end());
    series->losses.insert(series->losses.end(), one.losses.begin(), one.losses.end());
  }
  // The scatter of twice the runs is the same but for its degrees of freedom: 6 for 2, so a variance of 2 / 3.
  const PointsNeeded twice = points_to_decide(a, b).value();
  EXPECT_GT(twice.repeats.value(), 2) << "two of each size do not decide it";
  EXPECT_NEAR(twice.repeats.value(), once.repeats.value() * 2 / 3.0, 1);
  EXPECT_GT(twice.sizes.value(), 4) << "four sizes do not decide it, though there are eight points";
  EXPECT_LE(twice.sizes.value(), once.sizes.value()) << "four of them have two runs";
}

TEST(PointsToDecide, says_nothing_without_scatter_and_gives_up_at_a_thousand) {
  const LossSeries two = scattered(0.1, 0.01, 2);
  EXPECT_FALSE(points_to_decide(two, scattered(0.2, 0.01, 2)).has_value());
  const auto hopeless = points_to_decide(scattered(0.1, 0.1, 3), scattered(0.1 + 1e-6, 0.1, 3)).value();
  EXPECT_FALSE(hopeless.repeats.has_value());
}

TEST(SolvedSizes, are_those_of_scipy_and_lie_near_the_printed_tables) {
  const nlohmann::json expected = recorded_by_scipy()["solved"];
  const SolvedSizes solved = solve_sizes();
  for (std::size_t i = 0; i < 3; ++i) expect_near(solved.sizes.at(i), expected["sizes"][i], 1e-3);
  expect_near(solved.misfit, expected["misfit"], 1e-4);
  expect_near(solved.misfit_printed_sizes, expected["misfit_printed_sizes"], 1e-6);
}

}  // namespace
}  // namespace triscope
