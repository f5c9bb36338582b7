#include "profiler/statistics/student_t.hpp"

#include <cmath>
#include <numbers>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

// Continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double numerator = 1;
  double denominator = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double product = denominator;
  for (int m = 1; m < 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    denominator = 1 / away_from_zero(1 + even * denominator);
    numerator = away_from_zero(1 + even / numerator);
    product *= denominator * numerator;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    denominator = 1 / away_from_zero(1 + odd * denominator);
    numerator = away_from_zero(1 + odd / numerator);
    const double factor = denominator * numerator;
    product *= factor;
    if (std::abs(factor - 1) < 1e-15) break;
  }
  return product;
}

// I_x(a, b), with 1 - x passed beside x so that neither end loses digits.
double incomplete_beta(double a, double b, double x, double one_minus_x) {
  if (x <= 0) return 0;
  if (one_minus_x <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(one_minus_x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, one_minus_x) / b;
}

// P(T > t) for t >= 0.
double t_upper_tail(double t, double degrees) {
  const double sum = degrees + t * t;
  return 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / sum, t * t / sum);
}

double t_density(double t, double degrees) {
  const double log_front =
      std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) - 0.5 * std::log(degrees * std::numbers::pi);
  return std::exp(log_front - (degrees + 1) / 2 * std::log1p(t * t / degrees));
}

void check_domain(double probability, double degrees) {
  if (probability > 0 && probability < 1 && degrees > 0) return;
  throw Error("cannot compute a quantile", "the probability must lie in (0, 1) and the degrees of freedom above 0",
              "report this as a defect of triscope", ExitCode::measured_failed);
}

// Newton's method from 0 for the upper tail probability `tail` <= 1/2. The tail is convex for positive arguments, so
// every step stays left of the root and the method cannot overshoot.
template <typename Tail, typename Density>
double solve_tail(double tail, Tail upper_tail, Density density) {
  double x = 0;
  for (int step = 0; step < 1000; ++step) {
    const double change = (upper_tail(x) - tail) / density(x);
    x += change;
    if (std::abs(change) <= 1e-12 * x) break;
  }
  return x;
}

}  // namespace

double t_cdf(double t, double degrees) {
  check_domain(0.5, degrees);
  return t >= 0 ? 1 - t_upper_tail(t, degrees) : t_upper_tail(-t, degrees);
}

double t_quantile(double probability, double degrees) {
  check_domain(probability, degrees);
  if (probability < 0.5) return -t_quantile(1 - probability, degrees);
  return solve_tail(
      1 - probability, [&](double t) { return t_upper_tail(t, degrees); },
      [&](double t) { return t_density(t, degrees); });
}

double normal_quantile(double probability) {
  check_domain(probability, 1);
  if (probability < 0.5) return -normal_quantile(1 - probability);
  return solve_tail(
      1 - probability, [](double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); },
      [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); });
}

}  // namespace triscope
