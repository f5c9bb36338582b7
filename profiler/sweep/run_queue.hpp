// What a run of a sweep measures, turn by turn: what the request asks for, and what a person adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/sweep_queue.hpp"
#include "profiler/plan/time_left.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/sweep/finished_rows.hpp"
#include "profiler/sweep/sweep_control.hpp"
#include "profiler/sweep/sweep_observer.hpp"

namespace triscope {

/// A restart of a part of the plan. Each round but the first is measured by a new process.
struct Turn {
  std::size_t part = 0;
  std::int64_t restart = 0, round = 0;
};

/// The queue of one run; its groups are told to `observer` and wait in `control`. Use on the thread of the run.
class RunQueue {
 public:
  RunQueue(const Plan& plan, SweepRequest& request, const FinishedRows& finished, SweepControl& control,
           const SweepObserver& observer, TimeLeft& left)
      : plan_(plan), request_(request), finished_(finished), control_(control), observer_(observer), left_(left) {}

  /// Each part of the plan once a restart, but for what was measured before. `device` says what that takes.
  void fill(const Device& device);
  /// One more restart of these rows and of what takes turns with them. Returns how many rows it measures.
  std::int64_t add_one_more(const std::set<std::int64_t>& rows);
  /// Of these groups of the queue and these rows, and what takes turns with them, as many restarts more as the request
  /// asks for; from now on it asks for them too. Returns how many rows that measures.
  std::int64_t add_longer(const LongerWish& wish);
  /// The request no longer asks for what `add_longer` added and a person left out. True: it has changed.
  bool forget_left_out();

  const Turn& turn(std::size_t group) const { return turns_[group]; }
  /// It was added to what the request asked for at first.
  bool is_extra(const Turn& turn) const { return turn.restart >= request_.restarts; }
  /// How many rows it was to measure when it was added.
  std::int64_t rows_of(const Turn& turn) const;
  double seconds(std::size_t group) const { return queue_.groups[group].seconds; }
  /// Of one restart. Call after `fill`.
  double estimated_seconds(const PlanGroup& group) const;
  std::int64_t restarts_of(std::size_t part) const { return restarts_[part]; }

 private:
  std::int64_t add(const Turn& turn);
  /// Some group of the queue is of its part and restart, and was not left out.
  bool is_planned(const Turn& turn) const;
  std::set<std::size_t> parts_of(const std::set<std::int64_t>& rows) const;
  std::int64_t first_unplanned(std::size_t part) const;
  void set_restarts(std::size_t part, std::int64_t restarts);
  void tell() const { observer_.queued(std::make_shared<const SweepQueue>(queue_)); }

  const Plan& plan_;
  SweepRequest& request_;
  const FinishedRows& finished_;
  SweepControl& control_;
  const SweepObserver& observer_;
  TimeLeft& left_;
  Device device_;
  double load_ = 0;           // before the first group began
  SweepRequest one_restart_;  // the request as `estimate` is asked of a restart: made once, not for each turn
  SweepQueue queue_;
  std::vector<Turn> turns_;             // by the queue's groups
  std::vector<std::int64_t> restarts_;  // by part: that the request asks for, longer rows included
  std::int64_t last_round_ = kMostRestarts;
};

}  // namespace triscope
