// What a person asks of a sweep while it is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace triscope {

/// Groups of a run's queue, and stored rows, that a person wants measured longer.
struct LongerWish {
  std::vector<std::size_t> groups;
  std::vector<std::int64_t> rows;
  bool empty() const { return groups.empty() && rows.empty(); }
};

/// Wishes for one run of a sweep. Any thread.
class SweepControl {
 public:
  /// Leaves the group at this place of the queue out; the one in work ends after its current sample, and keeps the
  /// turns that it ended. What is left out stays missing, and resuming measures it.
  void skip(std::size_t group);
  /// A group that waits is begun so many groups later (negative: earlier) among those beside it of the same restart:
  /// each restart of a row is measured by a process of its own, after the one before.
  void move(std::size_t group, std::ptrdiff_t by);
  /// The groups that have not begun, in the order in which they will.
  std::vector<std::size_t> waiting() const;
  /// One more restart of a stored row, and of what took turns with it, once everything else is measured.
  void measure_again(std::int64_t row);
  /// As many restarts more as the request asks for, of what takes turns with these; the stored request then asks for
  /// them, so that resuming measures them too. They stand in the queue at once, and skipping them takes them back.
  void measure_longer(const LongerWish& wish);
  /// Up to `kMostLooks` (profiler/plan/sweep_queue.hpp) further restarts of the rows whose time beside `reference`
  /// ("auto": the usual one) is unclear, after each of which those that are clear are left alone.
  void measure_unclear_longer(std::string reference);

  /// For the run. The next group of the queue waits behind all others; it is this restart of its rows.
  void add(std::int64_t restart);
  /// Of those that wait the first, which waits no longer.
  std::optional<std::size_t> take_next();
  /// True: `group` is to be left out.
  bool left_out(std::size_t group) const;
  /// The token stops when the group is skipped or `stop` is requested.
  std::stop_token begin(std::size_t group, const std::stop_token& stop);
  std::vector<std::int64_t> take_again() { return take(again_); }
  LongerWish take_longer() { return take(longer_); }
  std::optional<std::string> take_unclear() { return take(unclear_); }
  bool asks_for_more() const;

 private:
  template <typename Value>
  Value take(Value& value) {
    const std::lock_guard lock(mutex_);
    return std::exchange(value, {});
  }

  mutable std::mutex mutex_;
  std::vector<std::int64_t> restarts_;  // by group
  std::vector<std::size_t> waiting_;
  std::set<std::size_t> skipped_;
  std::vector<std::int64_t> again_;
  LongerWish longer_;
  std::optional<std::string> unclear_;
  std::size_t in_work_ = static_cast<std::size_t>(-1);
  std::stop_source current_;
  std::optional<std::stop_callback<std::function<void()>>> passed_on_;
};

}  // namespace triscope
