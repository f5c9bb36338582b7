// Clock, power, temperature and throttling of a GPU over time, and how they are assigned to samples. Does not call
// NVML.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What NVML said at one moment.
struct ConditionReading {
  std::int64_t time_ns = 0;  ///< CLOCK_MONOTONIC_RAW
  std::optional<double> sm_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> throttle_bits;
};

/// Sets clock (median), power (mean), temperature (maximum), throttle bits (all that were set) and the flag of `sample`
/// from the readings within [start_ns, end_ns]; when none lies inside, from the nearest one at most `reach_ns` away.
/// `readings` are in order of time. Without a reading the sample's fields stay unset.
void join_conditions(Sample& sample, std::span<const ConditionReading> readings, std::int64_t start_ns,
                     std::int64_t end_ns, std::int64_t reach_ns = 40'000'000);

/// The reasons for a lowered clock in words, "sw_power_cap, hw_slowdown" (NVML's clocks-event reasons); idle and
/// application-clock settings are no throttling. Empty: none.
std::string throttle_words(std::uint64_t bits);

}  // namespace triscope
