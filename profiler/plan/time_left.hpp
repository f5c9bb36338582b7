// How long a sweep will still take.
#pragma once

#include <optional>

namespace triscope {

/// From the plan's estimates of its groups, corrected by how long groups really took. Seconds; `now` by any one clock.
class TimeLeft {
 public:
  explicit TimeLeft(double estimated) : left_(estimated) {}

  /// The next group is in work from `now` on.
  void begin(double estimated, double now);
  /// The group that was begun last is done.
  void end(double now);
  /// So much more, estimated, is to be done than was planned; negative: less.
  void more(double estimated) { left_ += estimated; }
  /// How many times longer than estimated what is done took; 1 before anything is.
  double correction() const { return done_ > 0 ? taken_ / done_ : 1.0; }
  /// Unset when it is not known: nothing was planned, or the last group takes longer than was to be expected.
  std::optional<double> at(double now) const;

 private:
  double left_;                       // estimated: of all groups that are not done
  double current_ = 0, started_ = 0;  // the group in work: its estimate, and since when
  double done_ = 0, taken_ = 0;       // groups that are done: estimated, and measured
};

}  // namespace triscope
