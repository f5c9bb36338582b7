// Quantiles of values in any order.
#pragma once

#include <span>

namespace triscope {

/// Median of `values` (copied, not reordered); the mean of the middle two for an even count. Throws `Error` on empty or
/// NaN.
double median(std::span<const double> values);

/// The mean of `values`, those of them cut back that lie further from the median than three standard deviations, by the
/// median absolute deviation: the mean where nothing stands out, and near the median where something does. Throws as
/// `median`.
double winsorized_mean(std::span<const double> values);

/// Linear-interpolated quantile, q in [0, 1]. Throws `Error` on empty, NaN or another q.
double quantile(std::span<const double> values, double q);

/// The same of values in ascending order, unchecked: at least one, none of them NaN, q in [0, 1].
double sorted_quantile(std::span<const double> sorted, double q);

}  // namespace triscope
