#include "profiler/sweep/run_queue.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace triscope {

double RunQueue::estimated_seconds(const PlanGroup& group) const {
  return estimate(group, one_restart_, assumed_flops_per_second(device_, Pass::forward),
                  assumed_flops_per_second(device_, Pass::backward), load_)
      .seconds;
}

void RunQueue::fill(const Device& device) {
  device_ = device;
  load_ = load_here(request_, device);
  one_restart_ = request_;
  one_restart_.longer.clear();
  one_restart_.stopping = restart_rule(request_);
  std::int64_t most = 0;
  for (const PlanGroup& group : plan_.groups) {
    auto& part = queue_.parts.emplace_back();
    for (const PlanEntry& entry : group.entries) part.push_back(entry.key);
    most = std::max(most, restarts_.emplace_back(restarts_asked(request_, group)));
  }
  for (std::int64_t restart = 0; restart < most; ++restart) {
    for (std::size_t part = 0; part < plan_.groups.size(); ++part) {
      if (restart < restarts_[part]) add({part, restart, restart});
    }
  }
  tell();
}

std::int64_t RunQueue::rows_of(const Turn& turn) const {
  return static_cast<std::int64_t>(finished_.ahead(plan_.groups[turn.part], turn.restart).entries.size());
}

std::int64_t RunQueue::add(const Turn& turn) {
  const PlanGroup group = finished_.ahead(plan_.groups[turn.part], turn.restart);
  if (group.entries.empty()) return 0;
  turns_.push_back(turn);
  queue_.groups.push_back({turn.part, turn.restart, estimated_seconds(group)});
  control_.add(turn.restart);
  left_.more(queue_.groups.back().seconds);
  return static_cast<std::int64_t>(group.entries.size());
}

std::set<std::size_t> RunQueue::parts_of(const std::set<std::int64_t>& rows) const {
  std::set<std::size_t> parts;
  for (std::size_t part = 0; part < plan_.groups.size(); ++part) {
    for (const PlanEntry& entry : plan_.groups[part].entries) {
      const FinishedKey* known = finished_.find(entry);
      if (known != nullptr && rows.contains(known->row)) parts.insert(part);
    }
  }
  return parts;
}

std::int64_t RunQueue::first_unplanned(std::size_t part) const {
  std::int64_t restarts = 0;
  for (const PlanEntry& entry : plan_.groups[part].entries) {
    if (const FinishedKey* known = finished_.find(entry)) restarts = std::max(restarts, known->restarts);
  }
  return restarts;
}

std::int64_t RunQueue::add_one_more(const std::set<std::int64_t>& rows) {
  std::int64_t added = 0;
  for (const std::size_t part : parts_of(rows)) added += add({part, first_unplanned(part), ++last_round_});
  tell();
  return added;
}

std::int64_t RunQueue::add_longer(const LongerWish& wish) {
  std::set<std::size_t> parts = parts_of({wish.rows.begin(), wish.rows.end()});
  for (const std::size_t group : wish.groups) {
    if (group < turns_.size()) parts.insert(turns_[group].part);
  }
  std::size_t named = request_.longer.size();
  for (const std::size_t part : parts) named += plan_.groups[part].entries.size();
  if (named > kMostLonger) {
    observer_.log(fmt::format("No row is measured longer: with these {} would be, and at most {} are. Select fewer.",
                              named, kMostLonger));
    return 0;
  }
  std::int64_t added = 0;
  for (const std::size_t part : parts) {
    std::int64_t first = first_unplanned(part);
    for (const Turn& turn : turns_) {
      if (turn.part == part && turn.restart >= first && is_planned(turn)) first = std::max(first, turn.restart + 1);
    }
    const std::int64_t last = std::min(first + request_.restarts, kMostRestarts);
    std::int64_t rows = 0;
    for (std::int64_t restart = first; restart < last; ++restart) rows += add({part, restart, ++last_round_});
    if (rows > 0) set_restarts(part, last);
    added += rows;
  }
  if (added > 0) tell();
  return added;
}

bool RunQueue::is_planned(const Turn& turn) const {
  for (std::size_t group = 0; group < turns_.size(); ++group) {
    const Turn& one = turns_[group];
    if (one.part == turn.part && one.restart == turn.restart && !control_.left_out(group)) return true;
  }
  return false;
}

void RunQueue::set_restarts(std::size_t part, std::int64_t restarts) {
  restarts_[part] = restarts;
  for (const PlanEntry& entry : plan_.groups[part].entries) {
    std::erase_if(request_.longer, [&](const LongerRow& row) { return row.key == entry.key; });
    if (restarts > request_.restarts) request_.longer.push_back({entry.key, restarts - request_.restarts});
  }
}

bool RunQueue::forget_left_out() {
  bool changed = false;
  for (const Turn& turn : turns_) {
    if (!is_extra(turn) || turn.restart >= restarts_[turn.part] || is_planned(turn)) continue;
    set_restarts(turn.part, turn.restart);
    changed = true;
  }
  return changed;
}

}  // namespace triscope
