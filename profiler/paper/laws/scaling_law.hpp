// The paper's scaling law, -log L = alpha log N + beta, by least squares, with intervals that say what few points say.
// N is the number of active parameters, L a negative log-likelihood, logarithms are natural. The errors of -log L are
// taken as independent, normal and of one size; with n points the intervals are Student's t with n - 2 degrees.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace triscope {

/// Losses of one model on one benchmark, at sizes that may be any positive numbers.
struct LossSeries {
  std::string benchmark;
  std::string model;
  std::vector<double> sizes;   ///< N
  std::vector<double> losses;  ///< by `sizes`
};

struct ScalingLaw {
  double alpha = 0;
  double beta = 0;
  double r_squared = 0;     ///< NaN where all losses are alike
  double residual_sum = 0;  ///< sum of squared residuals of -log L: what the paper prints as "residual"; 0 where they
                            ///< are no more than the rounding of doubles
  std::vector<double> residuals;
  int points = 0;
  int degrees = 0;          ///< points - 2
  double mean_log_n = 0;    ///< of log N
  double spread_log_n = 0;  ///< sum of (log N - mean)^2
  /// Standard deviation of -log L about the line. Unset without degrees of freedom, and where the points are off the
  /// line by no more than the rounding of doubles: such points do not show how far others scatter.
  std::optional<double> scatter;
  std::optional<double> alpha_error;  ///< standard errors, likewise
  std::optional<double> beta_error;
};

/// Throws `Error` (usage) unless there are two sizes that differ by more than rounding, and every size and loss is
/// positive and finite.
ScalingLaw fit_scaling_law(std::span<const double> sizes, std::span<const double> losses);

/// Losses and their law.
struct FittedSeries {
  LossSeries losses;
  ScalingLaw law;
};
/// Of a series without a law.
struct Unfitted {
  std::string benchmark, model, why;
  std::string text() const { return benchmark + ", " + model + ": " + why; }
};
struct FittedLosses {
  std::vector<FittedSeries> series;
  std::vector<Unfitted> left_out;
};
/// The law of every series that has one; of the others, why not.
FittedLosses fit_each(std::vector<LossSeries> all);

/// "0.99931"; "undefined" where there is none.
std::string r_squared_text(const ScalingLaw& law);
/// "2.80e-06"; "0" for points on the line.
std::string residual_text(const ScalingLaw& law);

/// Half the `level` interval of a standard error; unset where the error is, since two points bound nothing.
std::optional<double> half_width(const std::optional<double>& error, double degrees, double level = 0.95);

/// What the law says about a size.
struct LossForecast {
  double size = 0;
  double loss = 0;
  std::optional<double> low, high;          ///< `level` interval of the line at `size`
  std::optional<double> run_low, run_high;  ///< of one more run there, which scatters too
};
LossForecast forecast_loss(const ScalingLaw& law, double size, double level = 0.95);

/// The law and its 95 % band at `count` sizes from `from` to `until`, in even steps of their logarithm.
std::vector<LossForecast> law_curve(const ScalingLaw& law, double from, double until, int count);
/// What an axis shows of curves: the bands, but nothing beyond half or twice the loss. A band that is wider leaves the
/// plot at its edge.
struct LossRange {
  double low = HUGE_VAL, high = 0;
  void take(std::span<const LossForecast> curve);
};

/// How far the exponent of `b` lies above that of `a`.
struct AlphaDifference {
  enum class Method {
    welch,   ///< two independent fits, each with a scatter of its own (Welch and Satterthwaite)
    paired,  ///< one fit of log(L_a / L_b) over log N: what both models share at a size cancels
  };
  Method method = Method::welch;
  double value = 0;
  double degrees = 0;
  std::optional<double> error;
  std::optional<double> half;         ///< half the 95 % interval
  std::optional<double> probability;  ///< two-sided: of a difference at least as far from 0 if there is none
  bool significant() const { return half && std::abs(value) > *half; }
};
AlphaDifference alpha_difference(const ScalingLaw& a, const ScalingLaw& b);
/// Where a size has several runs, the mean of their log L is paired, and the degrees of freedom are the sizes - 2:
/// which run of one model belongs to which of the other is not known. Throws `Error` (usage) unless both series have
/// the same sizes, and as `fit_scaling_law`.
AlphaDifference paired_alpha_difference(const LossSeries& a, const LossSeries& b);

/// Points that would decide whether the exponents differ, were the difference and the scatter what they seem now.
struct PointsNeeded {
  std::optional<int> repeats;  ///< runs of every size that was measured, those included; unset: more than 1000
  /// Different sizes in all when the row of sizes goes on by its mean ratio, with one run of each; unset: more than
  /// 1000.
  std::optional<int> sizes;
};
/// "Decide": Welch's 95 % interval of the difference is without 0 in 80 of 100 such experiments. That is where the
/// difference is as large as its standard error times the sum of the t quantiles of 0.975 and 0.8, with the degrees of
/// freedom of Welch and Satterthwaite; beside simulated experiments the number of 100 is right to 2. Unset when the
/// fits have no scatter or no difference to go by.
std::optional<PointsNeeded> points_to_decide(const LossSeries& a, const LossSeries& b);

/// Two models of one benchmark.
struct ComparedLaws {
  AlphaDifference difference;             ///< of independent fits (Welch)
  std::optional<AlphaDifference> paired;  ///< unset: other sizes
  std::optional<PointsNeeded> needed;     ///< likewise, or nothing to go by
  /// Whether the exponents differ: Welch's 95 % interval is without 0. Not one of two tests, which would find a
  /// difference where there is none more often than 5 times in 100; and what `points_to_decide` counts for.
  bool decided() const { return difference.significant(); }
};
ComparedLaws compare_laws(const FittedSeries& a, const FittedSeries& b);

}  // namespace triscope
