#include "profiler/sweep/finished_rows.hpp"

#include <utility>

#include "profiler/record/measurement_codec.hpp"

namespace triscope {

void FinishedRows::add(FinishedKey row) {
  std::string text = key_text(row.key);
  rows_.insert_or_assign(std::move(text), std::move(row));
}

void FinishedRows::remove(const MeasurementKey& key) { rows_.erase(key_text(key)); }

FinishedKey& FinishedRows::at(const MeasurementKey& key) { return rows_.at(key_text(key)); }

const FinishedKey* FinishedRows::find(const PlanEntry& entry) const {
  const auto known = rows_.find(key_text(entry.key));
  return known == rows_.end() || known->second.source_hash != entry.source_hash ? nullptr : &known->second;
}

bool FinishedRows::changed(const PlanEntry& entry) const {
  return find(entry) == nullptr && rows_.contains(key_text(entry.key));
}

PlanGroup FinishedRows::missing(PlanGroup group, std::int64_t restart) const {
  std::erase_if(group.entries, [&](const PlanEntry& entry) {
    const FinishedKey* known = find(entry);
    return restart == 0 ? known != nullptr : known == nullptr || known->restarts != restart;
  });
  return group;
}

PlanGroup FinishedRows::ahead(PlanGroup group, std::int64_t restart) const {
  std::erase_if(group.entries, [&](const PlanEntry& entry) {
    const FinishedKey* known = find(entry);
    return known != nullptr && known->restarts > restart;
  });
  return group;
}

}  // namespace triscope
