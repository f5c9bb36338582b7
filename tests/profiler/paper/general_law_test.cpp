// The law that the paper starts from: its terms, the slope that a straight line sees, and how N and D grow together.
#include "profiler/paper/laws/general_law.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "kernels/base/error.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/paper/relatives.hpp"

namespace triscope {
namespace {

// Numbers to compute with, of no model.
constexpr GeneralLaw kLaw{1.5, 300, 0.3, 500, 0.25};

TEST(GeneralLaw, adds_its_three_terms) {
  const LawTerms terms = law_terms(kLaw, 1e9, 1e10);
  EXPECT_DOUBLE_EQ(terms.irreducible, 1.5);
  EXPECT_DOUBLE_EQ(terms.size, 300 / std::pow(1e9, 0.3));
  EXPECT_DOUBLE_EQ(terms.tokens, 500 / std::pow(1e10, 0.25));
  EXPECT_DOUBLE_EQ(terms.loss(), terms.irreducible + terms.size + terms.tokens);
  EXPECT_EQ(law_terms(kLaw, 1e9).tokens, 0) << "without a number of tokens there is no such term";
}

TEST(GeneralLaw, refuses_losses_that_are_no_numbers) {
  const auto why = [](const GeneralLaw& law, double size) -> std::string {
    try {
      require_losses(law, std::array{1e9, size});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why(kLaw, 2e9), "");
  EXPECT_EQ(why({0, 1e300, 30, 1, 1}, 1e-10).substr(0, 81),
            "the law cannot be evaluated: at 1e-10 parameters its loss is beyond what a double");
  EXPECT_EQ(why({0, 1, 100, 1, 1}, 1e9).substr(0, 60), "the law cannot be evaluated: at 1B parameters its loss is 0;");
}

TEST(GeneralLaw, cites_the_powers_that_the_paper_cites) {
  EXPECT_NE(chinchilla_text().find("C^0.49 and the best D to C^0.5:"), std::string::npos);
  const BalancedGrowth even = balanced_growth({0, 1, 0.3, 1, 0.3});
  EXPECT_EQ(even.parameters_by_budget, 0.5);
  EXPECT_EQ(even.tokens_by_budget, 0.5);
}

TEST(GeneralLaw, slope_is_the_derivative_of_log_l) {
  for (const double n : {1e8, 1e9, 1e11}) {
    const double step = 1e-4;
    const auto at = [&](double log_n) { return std::log(law_terms(kLaw, std::exp(log_n), 1e10).loss()); };
    const double derivative = -(at(std::log(n) + step) - at(std::log(n) - step)) / (2 * step);
    EXPECT_NEAR(kLaw.size_alpha * law_terms(kLaw, n, 1e10).slope_share(), derivative, 1e-9);
  }
}

TEST(GeneralLaw, line_through_its_losses_has_alpha_only_without_what_cannot_be_reduced) {
  LossSeries series{"b", "m", {1e9, 2e9, 3.5e9}, {}};
  for (const double n : series.sizes) series.losses.push_back(law_terms(kLaw, n, 1e10).loss());
  const LawTerms first = law_terms(kLaw, 1e9, 1e10), last = law_terms(kLaw, 3.5e9, 1e10);
  const double slope = fit_above(series, 0).alpha;
  EXPECT_LT(slope, kLaw.size_alpha * first.slope_share());
  EXPECT_GT(slope, kLaw.size_alpha * last.slope_share());
  const ScalingLaw above = fit_above(series, first.irreducible + first.tokens);
  EXPECT_NEAR(above.alpha, kLaw.size_alpha, 1e-12);
  EXPECT_NEAR(above.beta, -std::log(kLaw.a), 1e-10) << "beta is -log A, without E''";
}

TEST(GeneralLaw, of_the_paper_has_larger_exponents_the_more_cannot_be_reduced) {
  const LossSeries series = paper_losses("GSM8k", "2-simplicial");
  EXPECT_DOUBLE_EQ(fit_above(series, 0).alpha, fit_scaling_law(series.sizes, series.losses).alpha);
  double before = 0;
  for (const double part : {0.0, 0.1, 0.2}) {
    EXPECT_GT(fit_above(series, part).alpha, before);
    before = fit_above(series, part).alpha;
  }
  EXPECT_THROW(fit_above(series, 0.2718), Error) << "the least of its losses";
  EXPECT_THROW(fit_above(series, -0.1), Error);
}

/// The N of a budget N D with the least loss, by trying.
double best_parameters(double budget) {
  double best = 0, least = 1e300;
  for (double log_n = std::log(budget) * 0.2; log_n < std::log(budget) * 0.8; log_n += 1e-3) {
    const double n = std::exp(log_n), loss = law_terms(kLaw, n, budget / n).loss();
    if (loss < least) least = loss, best = n;
  }
  return best;
}

TEST(GeneralLaw, balanced_growth_is_that_of_the_least_loss) {
  const BalancedGrowth growth = balanced_growth(kLaw);
  const double small = 1e18, large = 1e24;
  const double n1 = best_parameters(small), n2 = best_parameters(large);
  EXPECT_NEAR(std::log(n2 / n1) / std::log(large / small), growth.parameters_by_budget, 1e-3);
  EXPECT_NEAR(std::log(large / n2 * n1 / small) / std::log(large / small), growth.tokens_by_budget, 1e-3);
  EXPECT_NEAR(std::log(large / n2 * n1 / small) / std::log(n2 / n1), growth.tokens_by_parameters, 1e-2);
  GeneralLaw steeper = kLaw;
  steeper.size_alpha *= 1.2;
  EXPECT_GT(balanced_growth(steeper).tokens_by_parameters, growth.tokens_by_parameters)
      << "a larger exponent of N asks for more tokens";
}

TEST(GeneralLaw, refuses_what_is_none) {
  for (const GeneralLaw& law : {GeneralLaw{-1, 1, 1, 1, 1}, GeneralLaw{0, 0, 1, 1, 1}, GeneralLaw{0, 1, 0, 1, 1},
                                GeneralLaw{0, 1, 1, -1, 1}, GeneralLaw{0, 1, 1, 1, 0}, GeneralLaw{NAN, 1, 1, 1, 1}})
    EXPECT_THROW(law_terms(law, 1e9), Error);
}

TEST(Relatives, each_has_its_formula_cost_and_place) {
  ASSERT_GE(relatives().size(), 10U);
  for (const Relative& one : relatives()) {
    for (const std::string& text : {one.name, one.by, one.logit, one.cost, one.relation}) EXPECT_FALSE(text.empty());
    EXPECT_TRUE(one.formula_from == "paper" || one.formula_from == "cited work") << one.name;
  }
}

}  // namespace
}  // namespace triscope
