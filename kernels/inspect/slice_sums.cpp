#include "kernels/inspect/slice_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace triscope {

double SliceSums::reference(double maximum) {
  if (maximum > maximum_) {
    const double factor = std::exp(maximum_ - maximum);
    for (double* sum : {&sum_, &sum_logit_, &sum1_, &sum2_}) *sum *= factor;
    maximum_ = maximum;
  }
  return maximum_;
}

void SliceSums::add(const SliceRowSums& row, double distance2) {
  sum_ += row.sum;
  sum_logit_ += row.sum_logit;
  sum1_ += row.sum_distance;
  sum2_ += row.sum * distance2;
}

SliceSums::Result SliceSums::result(std::optional<double> sink) const {
  const double top = sink ? std::max(*sink, maximum_) : maximum_;
  const double pairs = sum_ == 0 ? 0 : sum_ * std::exp(maximum_ - top);  // all of them may be masked or not finite
  const double blank = sink ? std::exp(*sink - top) : 0;
  Result result;
  result.lse = top + std::log(pairs + blank);
  if (std::isnan(result.lse)) return {result.lse, result.lse, result.lse, result.lse, result.lse, result.lse};
  result.sink_p = sink ? std::exp(*sink - result.lse) : 0;
  if (sum_ == 0) {
    result.entropy = result.largest_p = result.distance1 = result.distance2 = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const double largest = std::exp(maximum_ - result.lse);
  result.largest_p = largest;
  // -sum p log p = log sum - mean logit, of the pairs alone, as the distances are
  result.entropy = std::max(0.0, maximum_ + std::log(sum_) - sum_logit_ / sum_);
  result.distance1 = sum1_ / sum_;
  result.distance2 = sum2_ / sum_;
  return result;
}

}  // namespace triscope
