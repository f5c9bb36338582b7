#include "profiler/worker/cuda/condition_monitor.hpp"

#include <chrono>

namespace triscope {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(15);
constexpr auto kPatience = std::chrono::milliseconds(100);
constexpr std::size_t kKept = 4000;  // a minute

}  // namespace

ConditionMonitor::ConditionMonitor(const Nvml& nvml)
    : nvml_(nvml), thread_([this](std::stop_token stop) { poll(stop); }) {}

void ConditionMonitor::poll(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const ConditionReading reading = nvml_.read();
    std::unique_lock lock(mutex_);
    if (readings_.size() == 2 * kKept) readings_.erase(readings_.begin(), readings_.begin() + kKept);
    readings_.push_back(reading);
    changed_.notify_all();
    std::condition_variable_any wake;
    wake.wait_for(lock, stop, kPeriod, [] { return false; });
  }
}

void ConditionMonitor::join(Sample& sample, std::int64_t start_ns, std::int64_t end_ns) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return !readings_.empty() && readings_.back().time_ns >= start_ns; });
  join_conditions(sample, readings_, start_ns, end_ns);
}

}  // namespace triscope
