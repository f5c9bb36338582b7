// The standard error of the median of few, correlated, heavy-tailed values.
//
// Median, not mean: a preempted block costs tens of per cent, and an interval of the mean would leave the median that
// is reported outside. Its standard error comes from two order statistics (Price and Bonett, 2001): with c = (n+1)/2 -
// sqrt(n), the span from the c-th smallest to the c-th largest value covers the median with a binomial probability
// known for any distribution; the span divided by twice the normal quantile of that probability is the standard error.
//
// Correlation: neighbouring blocks share clock, temperature and neighbours. The variance of the centre is then larger
// by (1 + r) / (1 - r) for a first-order correlation r. r is estimated on ranks (an outlier must not hide it),
// corrected for its bias in short series (Marriott and Pope, 1954), and raised by its own standard error, 1/sqrt(n),
// because too small an r makes sampling stop too early. Slower waves show in the variance of batch means; the larger of
// the two counts.
#include "profiler/statistics/centre.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/statistics/quantile.hpp"
#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

constexpr double kLargestCorrelation = 0.9;
constexpr std::size_t kFewestBatches = 8;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sample variance, divisor n - 1.
double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

// Ranks from 0; equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

double lag_one_correlation(std::span<const double> values) {
  const double mean = mean_of(values);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

// Largest ratio of the variance of batch means to what independent values would give, over batches of 2, 4, 8, ...
double batch_inflation(std::span<const double> ranks) {
  const double variance = variance_of(ranks);
  if (variance == 0) return 1;
  double largest = 1;
  std::vector<double> means;
  for (std::size_t batch = 2; ranks.size() / batch >= kFewestBatches; batch *= 2) {
    means.clear();
    for (std::size_t end = ranks.size(); end >= batch; end -= batch) {
      means.push_back(mean_of(ranks.subspan(end - batch, batch)));
    }
    largest = std::max(largest, variance_of(means) * static_cast<double>(batch) / variance);
  }
  return largest;
}

// Normal quantile that belongs to the span between the `rank`-th (from 1) smallest and largest of n values.
double span_quantile(std::size_t n, std::size_t rank) {
  const double count = static_cast<double>(n);
  if (n > 500) return (count / 2 - static_cast<double>(rank) + 0.5) / (std::sqrt(count) / 2);
  double term = std::pow(0.5, count);
  double outside = 0;  // P(fewer than `rank` of n values lie below the median)
  for (std::size_t i = 0; i < rank; ++i) {
    outside += term;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return normal_quantile(1 - outside);
}

double median_standard_error(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(sorted.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::round((n + 1) / 2 - std::sqrt(n))));
  return (sorted[sorted.size() - rank] - sorted[rank - 1]) / (2 * span_quantile(sorted.size(), rank));
}

}  // namespace

double correlation_inflation(std::span<const double> values) {
  if (values.size() < 2) return 1;
  const std::vector<double> ranks = ranks_of(values);
  const double n = static_cast<double>(ranks.size());
  const double unbiased = (n * lag_one_correlation(ranks) + 1) / std::max(2.0, n - 4);
  const double r = std::clamp(unbiased + 1 / std::sqrt(n), 0.0, kLargestCorrelation);
  return std::max((1 + r) / (1 - r), batch_inflation(ranks));
}

Centre centre_of(std::span<const double> values) {
  Centre centre{.value = median(values)};
  for (double value : values) {
    if (!std::isfinite(value)) {
      throw Error("cannot compute an interval", "a sample is infinite", "measure again", ExitCode::measured_failed);
    }
  }
  if (values.size() < 2) {
    centre.standard_error = std::numeric_limits<double>::infinity();
    return centre;
  }
  centre.standard_error = median_standard_error(values) * std::sqrt(correlation_inflation(values));
  centre.degrees = static_cast<double>(values.size() - 1);
  return centre;
}

Centre difference_of(const Centre& a, const Centre& b) {
  const double variance_a = a.standard_error * a.standard_error;
  const double variance_b = b.standard_error * b.standard_error;
  const double variance = variance_a + variance_b;
  Centre result{b.value - a.value, std::sqrt(variance), std::min(a.degrees, b.degrees)};
  if (variance > 0 && std::isfinite(variance)) {
    result.degrees = variance * variance / (variance_a * variance_a / a.degrees + variance_b * variance_b / b.degrees);
  }
  return result;
}

double half_width(const Centre& centre, double confidence) {
  if (!std::isfinite(centre.standard_error)) return std::numeric_limits<double>::infinity();
  return t_quantile(0.5 + confidence / 2, centre.degrees) * centre.standard_error;
}

}  // namespace triscope
