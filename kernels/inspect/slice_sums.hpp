// The softmax of one query as running sums, without storing its pairs.
#pragma once

#include <optional>

namespace triscope {

/// A logit that takes no part: its exponential is 0, it is finite, and no maximum.
inline constexpr double kMaskedLogit = -1e300;

/// Sums of one row of logits (one key on axis 2) over its finite ones, against some reference.
struct SliceRowSums {
  double sum = 0;           ///< of exp(x - reference)
  double sum_logit = 0;     ///< of exp(x - reference) * x
  double sum_distance = 0;  ///< of exp(x - reference) * distance on axis 1
};

/// Sums over all pairs of a query relative to a running maximum; the sink joins at the end.
class SliceSums {
 public:
  /// Makes room for logits up to `maximum`; returns the reference to take exponentials against.
  double reference(double maximum);
  /// A row whose sums were taken against the reference of now.
  void add(const SliceRowSums& row, double distance2);

  struct Result {
    double lse = 0, entropy = 0, largest_p = 0, sink_p = 0, distance1 = 0, distance2 = 0;
  };
  /// With a sink of NaN or +infinity there is no distribution: every figure is NaN. Without a finite logit, those of
  /// pairs are NaN.
  Result result(std::optional<double> sink) const;

 private:
  double maximum_ = kMaskedLogit;
  double sum_ = 0, sum_logit_ = 0, sum1_ = 0, sum2_ = 0;
};

}  // namespace triscope
