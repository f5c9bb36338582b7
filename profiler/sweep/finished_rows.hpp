// What is measured of a sweep so far, by earlier runs and by this one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// What of a plan is in the database. A restart of a row counts as one, and so does a row that is skipped.
struct Stock {
  std::int64_t done = 0, total = 0;
  std::set<std::int64_t> changed, begun_elsewhere;  ///< rows that do not count: see `FinishedRows`
};

/// Rows that are in the database with their restarts, by what they measured. The restarts of one row come from one
/// environment: to a row of another than this run's none is added, and it counts only when it is whole.
class FinishedRows {
 public:
  void add(FinishedKey row);
  /// These rows were measured in another environment; whole ones have `restarts`.
  void set_elsewhere(std::set<std::int64_t> rows, std::int64_t restarts);
  void remove(const MeasurementKey& key);
  /// Throws `std::out_of_range` when there is none.
  FinishedKey& at(const MeasurementKey& key);
  /// What is known of `entry` by this build's kernel; null: nothing that counts.
  const FinishedKey* find(const PlanEntry& entry) const;
  /// The row of `entry` when it was measured by a kernel that has changed since; 0: it was not.
  std::int64_t changed(const PlanEntry& entry) const;
  /// The row of `entry` when it was begun in another environment and lacks restarts; 0: it was not.
  std::int64_t begun_elsewhere(const PlanEntry& entry) const;
  bool is_elsewhere(std::int64_t row) const { return elsewhere_.contains(row); }

  /// Takes out of `plan` what kernels measured that have changed since: their rows stay. Returns those rows.
  std::set<std::int64_t> leave_changed(Plan& plan) const;
  /// Takes what is skipped and stands there out of `plan`, whose rows have the restarts that `request` asks for.
  Stock take_stock(Plan& plan, const SweepRequest& request) const;

  /// `group` with the entries that lack the restart of this number now: those before it are there.
  PlanGroup missing(PlanGroup group, std::int64_t restart) const;
  /// `group` with the entries that lack it, or will once those before it are there.
  PlanGroup ahead(PlanGroup group, std::int64_t restart) const;

 private:
  const FinishedKey* of_this_kernel(const PlanEntry& entry) const;
  bool counts(const FinishedKey& row) const;
  bool can_grow(const FinishedKey& row) const { return !is_elsewhere(row.row); }

  std::map<std::string, FinishedKey> rows_;  // by key as text
  std::set<std::int64_t> elsewhere_;
  std::int64_t whole_ = 0;  // restarts
};

}  // namespace triscope
