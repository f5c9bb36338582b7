// The law that the paper starts from, L(N, D) = E + A / N^alpha + B / D^beta, and what the straight line that it fits,
// -log L = alpha log N + beta, makes of it. N counts parameters, D tokens.
#pragma once

#include <limits>
#include <span>

#include "profiler/paper/laws/scaling_law.hpp"

namespace triscope {

struct GeneralLaw {
  double irreducible = 0;        ///< E: what no model gets below
  double a = 0, size_alpha = 0;  ///< A / N^alpha: what more parameters take away
  double b = 0, token_beta = 0;  ///< B / D^beta: what more tokens take away
};

/// Throws `Error` (usage) unless A and the exponents are above zero, E and B are not below it, and all are finite.
void require_law(const GeneralLaw& law);

/// The terms at N parameters and D tokens.
struct LawTerms {
  double irreducible = 0, size = 0, tokens = 0;
  double loss() const { return irreducible + size + tokens; }
  /// -d log L / d log N with D held, as a share of alpha: of the loss, what more parameters can take away.
  double slope_share() const { return size / loss(); }
};
inline constexpr double kNoTokenTerm = std::numeric_limits<double>::infinity();
LawTerms law_terms(const GeneralLaw& law, double parameters, double tokens = kNoTokenTerm);

/// Throws `Error` (usage) where the loss of one of `sizes` is no number above zero in doubles.
void require_losses(const GeneralLaw& law, std::span<const double> sizes, double tokens = kNoTokenTerm);

/// Where training pays for N D, the N and D of a budget that give the least loss grow so that the two terms fall alike:
/// D in proportion to N^(alpha / beta). The exponents of N and D in the budget add up to 1.
struct BalancedGrowth {
  double tokens_by_parameters = 0;  ///< alpha / beta
  double parameters_by_budget = 0;  ///< beta / (alpha + beta): the paper's a
  double tokens_by_budget = 0;      ///< alpha / (alpha + beta): the paper's b
};
BalancedGrowth balanced_growth(const GeneralLaw& law);

/// What the paper cites of Hoffmann and others (2022): of a budget C, N in proportion to C^a and D to C^b.
inline constexpr double kChinchillaA = 0.49, kChinchillaB = 0.5;
/// It, beside what L(N, D) says of the two powers.
std::string chinchilla_text();

/// The paper's fit of losses from which `irreducible`, E' = E + B / D^beta, is taken first:
/// -log(L - E') = alpha log N + beta. 0 is the paper's. Throws `Error` (usage) when it is not below every loss.
ScalingLaw fit_above(const LossSeries& series, double irreducible);

}  // namespace triscope
