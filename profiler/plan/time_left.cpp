#include "profiler/plan/time_left.hpp"

#include <algorithm>

namespace triscope {
namespace {

constexpr double kNothing = 1e-6;  // what sums of seconds leave when their parts are taken away again

}  // namespace

void TimeLeft::begin(double estimated, double now) {
  current_ = estimated;
  started_ = now;
}

void TimeLeft::end(double now) {
  taken_ += now - started_;
  done_ += current_;
  left_ -= current_;
  current_ = 0;
}

std::optional<double> TimeLeft::at(double now) const {
  if (left_ < kNothing && done_ == 0) return std::nullopt;
  const double gone = current_ > 0 ? now - started_ : 0.0;
  if (gone <= current_ * correction()) return std::max(0.0, left_ * correction() - gone);
  // It takes longer than was expected, so what follows is expected to take longer, too.
  const double following = left_ - current_;
  if (following < kNothing) return std::nullopt;
  return following * (taken_ + gone) / (done_ + current_);
}

}  // namespace triscope
