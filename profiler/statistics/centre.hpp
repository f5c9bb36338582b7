// The median of a series of block values and its standard error. Intervals, stopping and verdicts use it.
#pragma once

#include <span>

namespace triscope {

/// A median and its standard error. Method: profiler/statistics/centre.cpp and docs/method.md.
struct Centre {
  double value = 0;           ///< the median
  double standard_error = 0;  ///< of the median, widened for correlation; infinite for fewer than 2 values
  double degrees = 1;         ///< degrees of freedom of the standard error
};

/// `values` in the order in which they were taken (the order carries the correlation). Throws on empty or non-finite.
Centre centre_of(std::span<const double> values);

/// Centre of b - a, which are independent; degrees of freedom by Welch and Satterthwaite.
Centre difference_of(const Centre& a, const Centre& b);

/// Half the width of the two-sided interval of that confidence.
double half_width(const Centre& centre, double confidence = 0.95);

/// The widest relative half-width at which sampling stops as converged: 1.25 times the precision asked for.
constexpr double widest_converged(double precision) { return precision / 0.8; }

/// How many times the variance of the centre exceeds that of independent values; at least 1.
double correlation_inflation(std::span<const double> values);

}  // namespace triscope
