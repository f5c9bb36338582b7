#include "profiler/statistics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

void require_numbers(std::span<const double> values) {
  if (values.empty()) {
    throw Error("cannot take a quantile", "there are no samples", "measure at least one", ExitCode::measured_failed);
  }
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    throw Error("cannot take a quantile", "a sample is not a number", "measure again", ExitCode::measured_failed);
  }
}

}  // namespace

double sorted_quantile(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0 || sorted[below] == sorted[above]) return sorted[below];
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double winsorized_mean(std::span<const double> values) {
  constexpr double kDeviations = 3, kNormal = 1.4826;  // of a normal distribution's median absolute deviation
  const double centre = median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  const double most = kDeviations * kNormal * median(deviations);
  double sum = 0;
  for (const double value : values) sum += std::clamp(value, centre - most, centre + most);
  return sum / static_cast<double>(values.size());
}

double quantile(std::span<const double> values, double q) {
  require_numbers(values);
  if (!(q >= 0 && q <= 1)) {
    throw Error("cannot take a quantile", "its position lies outside 0 to 1", "report this as a defect of triscope",
                ExitCode::measured_failed);
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted_quantile(sorted, q);
}

}  // namespace triscope
