#include "profiler/sweep/finished_rows.hpp"

#include <algorithm>
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

std::int64_t FinishedRows::changed(const PlanEntry& entry) const {
  const auto known = rows_.find(key_text(entry.key));
  return known == rows_.end() || known->second.source_hash == entry.source_hash ? 0 : known->second.row;
}

std::int64_t FinishedRows::begun_elsewhere(const PlanEntry& entry) const {
  const FinishedKey* known = of_this_kernel(entry);
  return known != nullptr && !counts(*known) ? known->row : 0;
}

std::set<std::int64_t> FinishedRows::leave_changed(Plan& plan) const {
  std::set<std::int64_t> rows;
  const auto is_left = [&](const PlanEntry& entry) {
    const std::int64_t row = changed(entry);
    if (row != 0) rows.insert(row);
    return row != 0;
  };
  for (PlanGroup& group : plan.groups) std::erase_if(group.entries, is_left);
  std::erase_if(plan.groups, [](const PlanGroup& group) { return group.entries.empty(); });
  std::erase_if(plan.skipped, [&](const SkippedEntry& skipped) { return is_left(skipped.entry); });
  return rows;
}

Stock FinishedRows::take_stock(Plan& plan, const SweepRequest& request) const {
  Stock stock;
  stock.total = static_cast<std::int64_t>(plan.skipped.size());
  for (const PlanGroup& group : plan.groups) {
    const std::int64_t restarts = restarts_asked(request, group);
    for (const PlanEntry& entry : group.entries) {
      stock.total += restarts;
      if (const FinishedKey* known = find(entry); known != nullptr) stock.done += std::min(known->restarts, restarts);
      if (const std::int64_t row = changed(entry); row != 0) stock.changed.insert(row);
      if (const std::int64_t row = begun_elsewhere(entry); row != 0) stock.begun_elsewhere.insert(row);
    }
  }
  stock.done += static_cast<std::int64_t>(
      std::erase_if(plan.skipped, [&](const SkippedEntry& skipped) { return find(skipped.entry) != nullptr; }));
  return stock;
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
