#include "profiler/sweep/sweep_control.hpp"

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

void SweepControl::measure_again(std::int64_t row) {
  const std::lock_guard lock(mutex_);
  again_.push_back(row);
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
  return !again_.empty() || unclear_.has_value();
}

}  // namespace triscope
