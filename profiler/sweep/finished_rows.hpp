// What is measured of a sweep so far, by earlier runs and by this one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiler/plan/plan.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Rows that are in the database with their restarts, by what they measured.
class FinishedRows {
 public:
  void add(FinishedKey row);
  void remove(const MeasurementKey& key);
  /// Throws `std::out_of_range` when there is none.
  FinishedKey& at(const MeasurementKey& key);
  /// What is known of `entry` by this build's kernel; null: nothing that counts.
  const FinishedKey* find(const PlanEntry& entry) const;
  /// It was measured, but by a kernel that has changed since.
  bool changed(const PlanEntry& entry) const;

  /// `group` with the entries that lack the restart of this number now: those before it are there.
  PlanGroup missing(PlanGroup group, std::int64_t restart) const;
  /// `group` with the entries that lack it, or will once those before it are there.
  PlanGroup ahead(PlanGroup group, std::int64_t restart) const;

 private:
  std::map<std::string, FinishedKey> rows_;  // by key as text
};

}  // namespace triscope
