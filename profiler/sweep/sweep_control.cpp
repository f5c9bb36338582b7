#include "profiler/sweep/sweep_control.hpp"

#include <algorithm>

namespace triscope {

void SweepControl::skip(std::size_t group) {
  std::stop_source ended(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    skipped_.insert(group);
    if (group == in_work_) ended = current_;
  }
  ended.request_stop();  // runs callbacks: not under the lock
}

void SweepControl::move(std::size_t group, std::ptrdiff_t by) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, group);
  if (found == waiting_.end()) return;
  const std::ptrdiff_t step = by < 0 ? -1 : 1, count = std::ssize(waiting_);
  for (std::ptrdiff_t at = found - waiting_.begin(); by != 0; by -= step, at += step) {
    const std::ptrdiff_t next = at + step;
    if (next < 0 || next >= count || restarts_[waiting_[next]] != restarts_[group]) return;
    std::swap(waiting_[at], waiting_[next]);
  }
}

std::vector<std::size_t> SweepControl::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void SweepControl::add(std::int64_t restart) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(restarts_.size());
  restarts_.push_back(restart);
}

std::optional<std::size_t> SweepControl::take_next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  const std::size_t next = waiting_.front();
  waiting_.erase(waiting_.begin());
  return next;
}

void SweepControl::measure_again(std::int64_t row) {
  const std::lock_guard lock(mutex_);
  again_.push_back(row);
}

void SweepControl::measure_longer(const LongerWish& wish) {
  const std::lock_guard lock(mutex_);
  longer_.groups.insert(longer_.groups.end(), wish.groups.begin(), wish.groups.end());
  longer_.rows.insert(longer_.rows.end(), wish.rows.begin(), wish.rows.end());
}

void SweepControl::measure_unclear_longer(std::string reference) {
  const std::lock_guard lock(mutex_);
  unclear_ = std::move(reference);
}

bool SweepControl::left_out(std::size_t group) const {
  const std::lock_guard lock(mutex_);
  return skipped_.contains(group);
}

std::stop_token SweepControl::begin(std::size_t group, const std::stop_token& stop) {
  passed_on_.reset();
  std::stop_source current;
  {
    const std::lock_guard lock(mutex_);
    in_work_ = group;
    current_ = current;
    if (skipped_.contains(group)) current.request_stop();
  }
  passed_on_.emplace(stop, [current]() mutable { current.request_stop(); });
  return current.get_token();
}

bool SweepControl::asks_for_more() const {
  const std::lock_guard lock(mutex_);
  return !again_.empty() || !longer_.empty() || unclear_.has_value();
}

}  // namespace triscope
