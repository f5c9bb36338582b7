#include "profiler/paper/laws/general_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "profiler/paper/laws/losses_file.hpp"

namespace triscope {

void require_law(const GeneralLaw& law) {
  const auto refuse = [](const char* why) {
    throw Error("this is no law of the loss", why, "give the five numbers E,A,alpha,B,beta", ExitCode::usage);
  };
  for (const double value : {law.irreducible, law.a, law.size_alpha, law.b, law.token_beta}) {
    if (!std::isfinite(value)) refuse("a number of it is not finite");
  }
  if (law.irreducible < 0 || law.b < 0) refuse("E and B must not be below zero");
  if (law.a <= 0 || law.size_alpha <= 0 || law.token_beta <= 0) refuse("A and the two exponents must be above zero");
  constexpr double kMostExponent = 100;  // a slip of the order of the five, say
  if (law.size_alpha > kMostExponent || law.token_beta > kMostExponent) refuse("an exponent is above 100");
}

LawTerms law_terms(const GeneralLaw& law, double parameters, double tokens) {
  require_law(law);
  return {law.irreducible, law.a * std::pow(parameters, -law.size_alpha),
          std::isfinite(tokens) ? law.b * std::pow(tokens, -law.token_beta) : 0};
}

void require_losses(const GeneralLaw& law, std::span<const double> sizes, double tokens) {
  for (const double size : sizes) {
    const double loss = law_terms(law, size, tokens).loss();
    if (loss > 0 && std::isfinite(loss)) continue;
    throw Error("the law cannot be evaluated",
                fmt::format("at {} parameters its loss is {}", parameters_text(size),
                            loss > 0 ? "beyond what a double holds" : "0"),
                "give constants whose loss there is a number above 0, such as 1.5,300,0.3,500,0.25", ExitCode::usage);
  }
}

BalancedGrowth balanced_growth(const GeneralLaw& law) {
  require_law(law);
  const double sum = law.size_alpha + law.token_beta;
  return {law.size_alpha / law.token_beta, law.token_beta / sum, law.size_alpha / sum};
}

std::string chinchilla_text() {
  return fmt::format(
      "Of a budget C of FLOPs Hoffmann and others (2022, Chinchilla), whom the paper follows, find the best N in "
      "proportion to C^{} and the best D to C^{}: tokens grow as fast as parameters. By L(N, D) the powers are "
      "beta / (alpha + beta) and alpha / (alpha + beta), one half each where alpha = beta; a larger alpha gives tokens "
      "the larger power.",
      kChinchillaA, kChinchillaB);
}

ScalingLaw fit_above(const LossSeries& series, double irreducible) {
  std::vector<double> above = series.losses;
  for (double& loss : above) loss -= irreducible;
  if (irreducible < 0 || std::ranges::any_of(above, [](double loss) { return loss <= 0; })) {
    throw Error(
        "the loss cannot be split",
        fmt::format("{:g} is not between 0 and every loss of {}, {}", irreducible, series.benchmark, series.model),
        "give an irreducible loss below all of them", ExitCode::usage);
  }
  return fit_scaling_law(series.sizes, above);
}

}  // namespace triscope
