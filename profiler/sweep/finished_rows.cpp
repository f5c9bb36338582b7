#include "profiler/sweep/finished_rows.hpp"

#include <utility>

#include "profiler/record/measurement_codec.hpp"

namespace triscope {

void FinishedRows::add(FinishedKey row) {
  elsewhere_.erase(row.row);  // a row that is measured anew keeps its number
  std::string text = key_text(row.key);
  rows_.insert_or_assign(std::move(text), std::move(row));
}

void FinishedRows::set_elsewhere(std::set<std::int64_t> rows, std::int64_t restarts) {
  elsewhere_ = std::move(rows);
  whole_ = restarts;
}

void FinishedRows::remove(const MeasurementKey& key) { rows_.erase(key_text(key)); }

FinishedKey& FinishedRows::at(const MeasurementKey& key) { return rows_.at(key_text(key)); }

const FinishedKey* FinishedRows::of_this_kernel(const PlanEntry& entry) const {
  const auto known = rows_.find(key_text(entry.key));
  return known == rows_.end() || known->second.source_hash != entry.source_hash ? nullptr : &known->second;
}

bool FinishedRows::counts(const FinishedKey& row) const {
  return can_grow(row) || row.restarts == 0 || row.restarts >= whole_;  // 0: it is skipped
}

const FinishedKey* FinishedRows::find(const PlanEntry& entry) const {
  const FinishedKey* known = of_this_kernel(entry);
  return known != nullptr && counts(*known) ? known : nullptr;
}

bool FinishedRows::changed(const PlanEntry& entry) const {
  return of_this_kernel(entry) == nullptr && rows_.contains(key_text(entry.key));
}

std::int64_t FinishedRows::begun_elsewhere(const PlanEntry& entry) const {
  const FinishedKey* known = of_this_kernel(entry);
  return known != nullptr && !counts(*known) ? known->row : 0;
}

PlanGroup FinishedRows::missing(PlanGroup group, std::int64_t restart) const {
  std::erase_if(group.entries, [&](const PlanEntry& entry) {
    const FinishedKey* known = find(entry);
    if (restart == 0) return known != nullptr;
    return known == nullptr || known->restarts != restart || !can_grow(*known);
  });
  return group;
}

PlanGroup FinishedRows::ahead(PlanGroup group, std::int64_t restart) const {
  std::erase_if(group.entries, [&](const PlanEntry& entry) {
    const FinishedKey* known = find(entry);
    return known != nullptr && (known->restarts > restart || !can_grow(*known));
  });
  return group;
}

}  // namespace triscope
