#include "app/window/threads/background.hpp"

#include <algorithm>
#include <exception>

namespace triscope {

void UiQueue::push(std::function<void()> closure, bool wake) {
  {
    const std::lock_guard lock(mutex_);
    closures_.push_back(std::move(closure));
  }
  if (wake && wake_) wake_();
}

bool UiQueue::drain() {
  std::vector<std::function<void()>> closures;
  {
    const std::lock_guard lock(mutex_);
    closures.swap(closures_);
  }
  for (auto& closure : closures) closure();
  return !closures.empty();
}

bool UiQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return closures_.empty();
}

BackgroundThread::BackgroundThread(std::function<void(const std::string&)> failed, std::function<void()> tick,
                                   std::chrono::milliseconds period)
    : failed_(std::move(failed)), tick_(std::move(tick)), period_(period), thread_([this] { work(); }) {}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundThread::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({{}, std::move(job)});
  }
  changed_.notify_all();
}

void BackgroundThread::replace(const std::string& slot, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [&](const Entry& entry) { return entry.slot == slot; });
    jobs_.push_back({slot, std::move(job)});
  }
  changed_.notify_all();
}

void BackgroundThread::drop_waiting() {
  const std::lock_guard lock(mutex_);
  jobs_.clear();
}

bool BackgroundThread::idle() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && !busy_;
}

void BackgroundThread::carry_out(const std::function<void()>& job) {
  try {
    job();
  } catch (const std::exception& error) {
    failed_(error.what());
  }
}

void BackgroundThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto ready = [this] { return ending_ || !jobs_.empty(); };
    if (tick_) {
      if (!changed_.wait_for(lock, period_, ready)) {
        lock.unlock();
        carry_out(tick_);
        lock.lock();
        continue;
      }
    } else {
      changed_.wait(lock, ready);
    }
    if (jobs_.empty()) return;  // ending, and nothing is left to do
    Entry entry = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    carry_out(entry.job);
    entry.job = nullptr;  // what it captured is freed before the thread counts as idle
    lock.lock();
    busy_ = false;
  }
}

}  // namespace triscope
