#include "profiler/paper/scaling_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/error.hpp"
#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

constexpr int kMostPoints = 1000;

/// A line through points.
struct Line {
  double mean_x = 0, spread_x = 0, spread_y = 0, slope = 0, intercept = 0, residual_sum = 0;
};

Line fit_line(std::span<const double> x, std::span<const double> y) {
  Line line;
  double mean_y = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    line.mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double covariance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    line.spread_x += (x[i] - line.mean_x) * (x[i] - line.mean_x);
    line.spread_y += (y[i] - mean_y) * (y[i] - mean_y);
    covariance += (x[i] - line.mean_x) * (y[i] - mean_y);
  }
  line.slope = covariance / line.spread_x;
  line.intercept = mean_y - line.slope * line.mean_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - line.slope * x[i] - line.intercept;
    line.residual_sum += residual * residual;
  }
  return line;
}

void require_fit(std::span<const double> sizes, std::span<const double> losses) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  std::string why;
  if (sizes.size() != losses.size()) {
    why = fmt::format("there are {} sizes and {} losses", sizes.size(), losses.size());
  } else if (!std::ranges::all_of(sizes, positive) || !std::ranges::all_of(losses, positive)) {
    why = "a size or a loss is not a positive number, and the law is one of logarithms";
  } else if (sizes.empty() || std::ranges::all_of(sizes, [&](double n) { return n == sizes[0]; })) {
    why = "a line needs two sizes that differ";
  } else {
    return;
  }
  throw Error("no scaling law can be fitted", why, "give one positive loss for each of at least two sizes",
              ExitCode::usage);
}

std::vector<double> logs(std::span<const double> values, double sign) {
  std::vector<double> out;
  for (const double value : values) out.push_back(sign * std::log(value));
  return out;
}

void complete(AlphaDifference& difference) {
  if (!difference.error || !(difference.degrees > 0)) return;
  difference.half = half_width(difference.error, difference.degrees);
  if (*difference.error > 0)
    difference.probability = 2 * t_upper_tail(std::abs(difference.value) / *difference.error, difference.degrees);
}

/// Sum of squared deviations of log N when the row of sizes goes on to `count` by its mean ratio.
double extended_spread(std::vector<double> x, int count) {
  std::ranges::sort(x);
  const double step = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  while (static_cast<int>(x.size()) < count) x.push_back(x.back() + step);
  double mean = 0, spread = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  for (const double value : x) spread += (value - mean) * (value - mean);
  return spread;
}

/// Whether a difference `size` in slopes shows through `variance` (of both scatters together) with `points` in each
/// fit.
bool decides(double size, double variance, double spread, int points) {
  const double degrees = 2.0 * (points - 2);
  if (degrees < 1) return false;
  const double error = std::sqrt(variance / spread);
  return size >= error * (t_quantile(0.975, degrees) + t_quantile(0.8, degrees));
}

}  // namespace

ScalingLaw fit_scaling_law(std::span<const double> sizes, std::span<const double> losses) {
  require_fit(sizes, losses);
  const std::vector<double> x = logs(sizes, 1), y = logs(losses, -1);
  const Line line = fit_line(x, y);
  ScalingLaw law{.alpha = line.slope, .beta = line.intercept, .residual_sum = line.residual_sum};
  law.points = static_cast<int>(x.size());
  law.degrees = law.points - 2;
  law.mean_log_n = line.mean_x;
  law.spread_log_n = line.spread_x;
  law.r_squared = line.spread_y > 0 ? 1 - line.residual_sum / line.spread_y : 1;
  for (std::size_t i = 0; i < x.size(); ++i) law.residuals.push_back(y[i] - law.alpha * x[i] - law.beta);
  if (law.degrees > 0) {
    law.scatter = std::sqrt(line.residual_sum / law.degrees);
    law.alpha_error = *law.scatter / std::sqrt(line.spread_x);
    law.beta_error = *law.scatter * std::sqrt(1.0 / law.points + line.mean_x * line.mean_x / line.spread_x);
  }
  return law;
}

std::optional<double> half_width(const std::optional<double>& error, double degrees, double level) {
  if (!error || !(degrees > 0)) return std::nullopt;
  return *error * t_quantile(0.5 + level / 2, degrees);
}

LossForecast forecast_loss(const ScalingLaw& law, double size, double level) {
  const double from_mean = std::log(size) - law.mean_log_n;
  const double y = law.alpha * std::log(size) + law.beta;
  LossForecast forecast{.size = size, .loss = std::exp(-y)};
  if (!law.scatter) return forecast;
  const double share = 1.0 / law.points + from_mean * from_mean / law.spread_log_n;
  const double t = t_quantile(0.5 + level / 2, law.degrees);
  const double line = t * *law.scatter * std::sqrt(share), run = t * *law.scatter * std::sqrt(1 + share);
  forecast.low = std::exp(-y - line);
  forecast.high = std::exp(-y + line);
  forecast.run_low = std::exp(-y - run);
  forecast.run_high = std::exp(-y + run);
  return forecast;
}

AlphaDifference alpha_difference(const ScalingLaw& a, const ScalingLaw& b) {
  AlphaDifference difference{.method = AlphaDifference::Method::welch, .value = b.alpha - a.alpha};
  if (!a.alpha_error || !b.alpha_error) return difference;
  const double va = *a.alpha_error * *a.alpha_error, vb = *b.alpha_error * *b.alpha_error;
  difference.error = std::sqrt(va + vb);
  difference.degrees = va + vb > 0 ? (va + vb) * (va + vb) / (va * va / a.degrees + vb * vb / b.degrees)
                                   : static_cast<double>(a.degrees + b.degrees);
  complete(difference);
  return difference;
}

AlphaDifference paired_alpha_difference(const LossSeries& a, const LossSeries& b) {
  if (a.sizes != b.sizes) {
    throw Error("no paired difference can be fitted", "the two models have losses at different sizes",
                "give both models a loss at every size", ExitCode::usage);
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.losses.size() && i < b.losses.size(); ++i) ratios.push_back(b.losses[i] / a.losses[i]);
  const ScalingLaw law = fit_scaling_law(a.sizes, ratios);
  AlphaDifference difference{.method = AlphaDifference::Method::paired, .value = law.alpha};
  difference.degrees = law.degrees;
  difference.error = law.alpha_error;
  complete(difference);
  return difference;
}

std::optional<PointsNeeded> points_to_decide(const LossSeries& a, const LossSeries& b) {
  const ScalingLaw law_a = fit_scaling_law(a.sizes, a.losses), law_b = fit_scaling_law(b.sizes, b.losses);
  const double size = std::abs(law_b.alpha - law_a.alpha);
  if (!law_a.scatter || !law_b.scatter || size == 0) return std::nullopt;
  const double variance = *law_a.scatter * *law_a.scatter + *law_b.scatter * *law_b.scatter;
  const std::vector<double> x = logs(a.sizes, 1);
  PointsNeeded needed;
  for (int repeats = 1; repeats <= kMostPoints && !needed.repeats; ++repeats) {
    if (decides(size, variance, law_a.spread_log_n * repeats, law_a.points * repeats)) needed.repeats = repeats;
  }
  for (int count = law_a.points; count <= kMostPoints && !needed.sizes; ++count) {
    if (decides(size, variance, extended_spread(x, count), count)) needed.sizes = count;
  }
  return needed;
}

}  // namespace triscope
