#include "profiler/record/words/power_text.hpp"

#include <gmock/gmock.h>

namespace triscope {
namespace {

ResultRow capped() {
  ResultRow row;
  row.timing_source = TimingSource::cupti;
  row.samples = row.flagged = 12;
  row.power_w = 717.2;
  row.power_limit_w = 700;
  row.sm_clock_mhz = 1710;
  row.max_sm_clock_mhz = 1980;
  row.counted_clock_mhz = 1590.4;
  row.joules = 12.34;
  row.joules_per_tflop = 1.331;
  row.limiter = "sw_power_cap";
  return row;
}

TEST(PowerText, names_limiter_both_clocks_and_energy_in_one_line) {
  EXPECT_EQ(power_text(capped()),
            "power-capped: 717 of 700 W, NVML clock 1710 of 1980 MHz, counted clock 1590 MHz, 12.3 J a launch, 1.33 "
            "J/TFLOP");
}

TEST(PowerText, leaves_out_what_is_not_known) {
  ResultRow row = capped();
  row.limiter = "";
  row.power_limit_w = row.counted_clock_mhz = row.joules = row.joules_per_tflop = std::nullopt;
  EXPECT_EQ(power_text(row), "717 W, NVML clock 1710 of 1980 MHz");
  EXPECT_EQ(power_text({}), "");
  ResultRow cpu;
  cpu.sm_clock_mhz = 3100;
  EXPECT_EQ(power_text(cpu), "clock 3100 MHz") << "NVML does not read a CPU's";
}

TEST(PowerText, in_burst_the_readings_hold_the_pauses_which_is_said_and_energy_is_left_out) {
  ResultRow row = capped();
  row.regime = Regime::burst;
  row.power_w = 241;
  EXPECT_EQ(power_text(row),
            "power-capped during its launches: 241 of 700 W with the pauses between launches, NVML clock 1710 of 1980 "
            "MHz, counted clock 1590 MHz");
  row.limiter.clear();
  EXPECT_THAT(power_text(row), testing::StartsWith("241 of 700 W with"));
}

TEST(PowerText, a_limiter_without_words_is_named) {
  EXPECT_EQ(limiter_text("sw_power_cap"), "power-capped");
  EXPECT_EQ(limiter_text("sync_boost"), "sync_boost");
  EXPECT_EQ(limiter_text("sw_power_cap, sw_thermal_slowdown"), "power-capped and slowed by heat");
  EXPECT_EQ(limiter_text("sw_thermal_slowdown, hw_thermal_slowdown"), "slowed by heat");
  EXPECT_EQ(limiter_text("sw_power_cap, sync_boost"), "power-capped and sync_boost");
  EXPECT_EQ(limiter_text(""), "");
}

TEST(PowerText, a_flag_tells_nothing_when_every_sample_has_it) {
  ResultRow row = capped();
  EXPECT_TRUE(limited_throughout(row));
  row.flagged = 11;
  EXPECT_FALSE(limited_throughout(row));
  row.flagged = 12;
  row.limiter = "";
  EXPECT_FALSE(limited_throughout(row)) << "preempted samples are of interest";
}

}  // namespace
}  // namespace triscope
