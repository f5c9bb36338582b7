#include "profiler/paper/laws/scaling_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "kernels/base/error.hpp"
#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

constexpr int kMostPoints = 1000;
constexpr double kLeastSpread = 1e-12;   ///< of log N, as a part of its mean squared: below, rounding makes the slope
constexpr double kRoundingPart = 1e-13;  ///< of the largest logarithm: what is smaller is rounding

/// A line through points.
struct Line {
  double mean_x = 0, spread_x = 0, spread_y = 0, slope = 0, intercept = 0, residual_sum = 0;
  bool flat = false;     ///< y is one number, as far as doubles tell
  bool scatters = true;  ///< the points are off the line by more than rounding
};

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// `scale`: of the numbers that `y` was made of, where these are larger.
Line fit_line(std::span<const double> x, std::span<const double> y, double scale = 1) {
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
  const double rounding = kRoundingPart * std::max({1.0, scale, largest(y)});  // of a root mean square
  line.flat = line.spread_y <= n * rounding * rounding;
  line.slope = line.flat ? 0 : covariance / line.spread_x;
  line.intercept = mean_y - line.slope * line.mean_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - line.slope * x[i] - line.intercept;
    line.residual_sum += residual * residual;
  }
  line.scatters = line.residual_sum > n * rounding * rounding;
  return line;
}

/// Whether sizes are far enough apart for a slope over their logarithms in doubles.
bool differ(std::span<const double> sizes) {
  double mean = 0, spread = 0;
  for (const double size : sizes) mean += std::log(size) / static_cast<double>(sizes.size());
  for (const double size : sizes) spread += (std::log(size) - mean) * (std::log(size) - mean);
  return spread > kLeastSpread * mean * mean;
}

void require_fit(std::span<const double> sizes, std::span<const double> losses) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  std::string why;
  if (sizes.size() != losses.size()) {
    why = fmt::format("there are {} sizes and {} losses", sizes.size(), losses.size());
  } else if (!std::ranges::all_of(sizes, positive) || !std::ranges::all_of(losses, positive)) {
    why = "a size or a loss is not a positive number, and the law is one of logarithms";
  } else if (std::ranges::all_of(sizes, [&](double n) { return n == sizes[0]; })) {
    why = "a line needs two sizes that differ";
  } else if (!differ(sizes)) {
    why = "a line needs two sizes that differ, and these differ by less than some hundred thousandths of them";
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

std::vector<double> distinct(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

/// What an experiment would tell the slopes from.
struct Design {
  int points = 0;               ///< in each fit
  double mean = 0, spread = 0;  ///< of log N: mean, and sum of squared deviations
  void add(double x) {
    const double from_mean = x - mean;
    ++points;
    mean += from_mean / points;
    spread += from_mean * (x - mean);
  }
  Design times(int repeats) const { return {points * repeats, mean, spread * repeats}; }
};

/// Whether Welch's test shows a difference `size` of two slopes about which single points scatter by `a` and `b`.
bool decides(double size, double a, double b, const Design& design) {
  const double va = a * a, vb = b * b;
  const double degrees = (design.points - 2) * (va + vb) * (va + vb) / (va * va + vb * vb);
  if (degrees < 1) return false;
  const double error = std::sqrt((va + vb) / design.spread);
  return size >= error * (t_quantile(0.975, degrees) + t_quantile(0.8, degrees));
}

}  // namespace

ScalingLaw fit_scaling_law(std::span<const double> sizes, std::span<const double> losses) {
  require_fit(sizes, losses);
  const std::vector<double> x = logs(sizes, 1), y = logs(losses, -1);
  const Line line = fit_line(x, y);
  ScalingLaw law{.alpha = line.slope, .beta = line.intercept};
  law.points = static_cast<int>(x.size());
  law.degrees = law.points - 2;
  law.mean_log_n = line.mean_x;
  law.spread_log_n = line.spread_x;
  if (line.scatters) law.residual_sum = line.residual_sum;
  law.r_squared = line.flat ? std::numeric_limits<double>::quiet_NaN() : 1 - law.residual_sum / line.spread_y;
  for (std::size_t i = 0; i < x.size(); ++i)
    law.residuals.push_back(line.scatters ? y[i] - law.alpha * x[i] - law.beta : 0);
  if (law.degrees > 0 && line.scatters) {
    law.scatter = std::sqrt(line.residual_sum / law.degrees);
    law.alpha_error = *law.scatter / std::sqrt(line.spread_x);
    law.beta_error = *law.scatter * std::sqrt(1.0 / law.points + line.mean_x * line.mean_x / line.spread_x);
  }
  return law;
}

FittedLosses fit_each(std::vector<LossSeries> all) {
  FittedLosses fitted;
  for (LossSeries& losses : all) {
    try {
      const ScalingLaw law = fit_scaling_law(losses.sizes, losses.losses);
      fitted.series.push_back({std::move(losses), law});
    } catch (const Error& error) {
      fitted.left_out.push_back({losses.benchmark, losses.model, error.why()});
    }
  }
  return fitted;
}

std::string r_squared_text(const ScalingLaw& law) {
  return std::isnan(law.r_squared) ? "undefined" : fmt::format("{:.5f}", law.r_squared);
}

std::string residual_text(const ScalingLaw& law) {
  return law.residual_sum == 0 ? "0" : fmt::format("{:.2e}", law.residual_sum);
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

std::vector<LossForecast> law_curve(const ScalingLaw& law, double from, double until, int count) {
  std::vector<LossForecast> curve;
  for (int n = 0; n < count; ++n)
    curve.push_back(forecast_loss(law, from * std::pow(until / from, static_cast<double>(n) / (count - 1))));
  return curve;
}

void LossRange::take(std::span<const LossForecast> curve) {
  for (const LossForecast& at : curve) {
    low = std::min(low, std::max(at.low.value_or(at.loss), at.loss / 2));
    high = std::max(high, std::min(at.high.value_or(at.loss), 2 * at.loss));
  }
}

AlphaDifference alpha_difference(const ScalingLaw& a, const ScalingLaw& b) {
  AlphaDifference difference{.method = AlphaDifference::Method::welch, .value = b.alpha - a.alpha};
  if (!a.alpha_error || !b.alpha_error) return difference;
  const double va = *a.alpha_error * *a.alpha_error, vb = *b.alpha_error * *b.alpha_error;
  difference.error = std::sqrt(va + vb);
  difference.degrees = (va + vb) * (va + vb) / (va * va / a.degrees + vb * vb / b.degrees);
  complete(difference);
  return difference;
}

AlphaDifference paired_alpha_difference(const LossSeries& a, const LossSeries& b) {
  if (a.sizes != b.sizes) {
    throw Error("no paired difference can be fitted", "the two models have losses at different sizes",
                "give both models a loss at every size", ExitCode::usage);
  }
  require_fit(a.sizes, a.losses);
  require_fit(b.sizes, b.losses);
  // Runs of one size have no partners: their mean stands for each of them, which weights a size by its runs.
  std::map<double, std::pair<double, int>> ratios;  // by size: sum of log(L_a / L_b), and runs
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    auto& [sum, runs] = ratios[a.sizes[i]];
    sum += std::log(a.losses[i]) - std::log(b.losses[i]);
    ++runs;
  }
  std::vector<double> means;
  for (const double one : a.sizes) means.push_back(ratios[one].first / ratios[one].second);
  const double scale = std::max(largest(logs(a.losses, 1)), largest(logs(b.losses, 1)));
  const Line line = fit_line(logs(a.sizes, 1), means, scale);
  AlphaDifference difference{.method = AlphaDifference::Method::paired, .value = line.slope};
  difference.degrees = static_cast<double>(ratios.size()) - 2;
  if (difference.degrees > 0 && line.scatters)
    difference.error = std::sqrt(line.residual_sum / difference.degrees / line.spread_x);
  complete(difference);
  return difference;
}

std::optional<PointsNeeded> points_to_decide(const LossSeries& a, const LossSeries& b) {
  const ScalingLaw law_a = fit_scaling_law(a.sizes, a.losses), law_b = fit_scaling_law(b.sizes, b.losses);
  const double size = std::abs(law_b.alpha - law_a.alpha);
  if (!law_a.scatter || !law_b.scatter || size == 0) return std::nullopt;
  Design all, once;  // the runs there are, and one of each size
  for (const double x : logs(a.sizes, 1)) all.add(x);
  const std::vector<double> sizes = distinct(logs(a.sizes, 1));
  for (const double x : sizes) once.add(x);
  const auto enough = [&](const Design& design) { return decides(size, *law_a.scatter, *law_b.scatter, design); };
  PointsNeeded needed;
  for (int repeats = 1; repeats <= kMostPoints && !needed.repeats; ++repeats) {
    if (enough(once.times(repeats))) needed.repeats = repeats;
  }
  const double step = (sizes.back() - sizes.front()) / static_cast<double>(sizes.size() - 1);
  for (int further = 0; static_cast<int>(sizes.size()) + further <= kMostPoints && !needed.sizes; ++further) {
    if (further > 0) all.add(sizes.back() + further * step);
    if (enough(all)) needed.sizes = static_cast<int>(sizes.size()) + further;
  }
  return needed;
}

ComparedLaws compare_laws(const FittedSeries& a, const FittedSeries& b) {
  ComparedLaws compared{alpha_difference(a.law, b.law), {}, {}};
  if (a.losses.sizes == b.losses.sizes) {
    compared.paired = paired_alpha_difference(a.losses, b.losses);
    compared.needed = points_to_decide(a.losses, b.losses);
  }
  return compared;
}

}  // namespace triscope
