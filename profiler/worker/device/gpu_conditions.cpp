#include "profiler/worker/device/gpu_conditions.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

// nvml.h, nvmlClocksEventReason*: those that lower the clock under load.
constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kThrottleReasons{{{0x04, "sw_power_cap"},
                                                                                 {0x08, "hw_slowdown"},
                                                                                 {0x10, "sync_boost"},
                                                                                 {0x20, "sw_thermal_slowdown"},
                                                                                 {0x40, "hw_thermal_slowdown"},
                                                                                 {0x80, "hw_power_brake"}}};

// The readings inside the span, or the nearest one.
std::span<const ConditionReading> readings_for(std::span<const ConditionReading> readings, std::int64_t start_ns,
                                               std::int64_t end_ns, std::int64_t reach_ns) {
  const auto before = [](const ConditionReading& reading, std::int64_t time) { return reading.time_ns < time; };
  const auto first = std::lower_bound(readings.begin(), readings.end(), start_ns, before);
  const auto last = std::lower_bound(first, readings.end(), end_ns + 1, before);
  if (first != last) return {first, last};
  std::span<const ConditionReading> nearest;
  std::int64_t distance = reach_ns + 1;
  if (first != readings.begin() && start_ns - std::prev(first)->time_ns < distance) {
    distance = start_ns - std::prev(first)->time_ns;
    nearest = {std::prev(first), 1};
  }
  if (last != readings.end() && last->time_ns - end_ns < distance) nearest = {last, 1};
  return nearest;
}

template <typename Member>
std::vector<double> values_of(std::span<const ConditionReading> readings, Member member) {
  std::vector<double> values;
  for (const ConditionReading& reading : readings) {
    if (reading.*member) values.push_back(*(reading.*member));
  }
  return values;
}

}  // namespace

void join_conditions(Sample& sample, std::span<const ConditionReading> readings, std::int64_t start_ns,
                     std::int64_t end_ns, std::int64_t reach_ns) {
  const auto found = readings_for(readings, start_ns, end_ns, reach_ns);
  const std::vector<double> clocks = values_of(found, &ConditionReading::sm_clock_mhz);
  if (!clocks.empty()) sample.sm_clock_mhz = median(clocks);
  const std::vector<double> powers = values_of(found, &ConditionReading::power_w);
  if (!powers.empty()) {
    double sum = 0;
    for (double power : powers) sum += power;
    sample.power_w = sum / static_cast<double>(powers.size());
  }
  const std::vector<double> temperatures = values_of(found, &ConditionReading::temperature_c);
  if (!temperatures.empty()) sample.temperature_c = *std::max_element(temperatures.begin(), temperatures.end());
  for (const ConditionReading& reading : found) {
    if (reading.throttle_bits) sample.throttle_bits = sample.throttle_bits.value_or(0) | *reading.throttle_bits;
  }
  const std::string words = throttle_words(sample.throttle_bits.value_or(0));
  if (!words.empty()) sample.flag = "throttled: " + words;
}

std::string throttle_words(std::uint64_t bits) {
  std::string words;
  for (const auto& [bit, name] : kThrottleReasons) {
    if ((bits & bit) == 0) continue;
    if (!words.empty()) words += ", ";
    words += name;
  }
  return words;
}

}  // namespace triscope
