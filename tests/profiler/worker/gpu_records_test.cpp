#include "profiler/worker/device/gpu_records.hpp"

#include <gmock/gmock.h>

#include "kernels/base/error.hpp"
#include "profiler/worker/device/gpu_conditions.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

ActivityRecord record(std::uint32_t correlation, std::int64_t start_ns, std::int64_t end_ns, std::uint64_t id = 0) {
  ActivityRecord result;
  result.correlation = correlation;
  result.launch.name = "k";
  result.launch.start_ns = start_ns;
  result.launch.end_ns = end_ns;
  result.external_id = id;
  return result;
}

std::string failure_of(const std::vector<ActivityRecord>& records, std::int64_t launches, std::int64_t dropped = 0) {
  try {
    block_times(records, {.id = 1, .begun_ns = 0, .launches = launches, .dropped = dropped});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GpuRecords, kernels_get_the_id_of_their_api_call) {
  std::vector<ActivityRecord> records{record(10, 1, 2), record(11, 3, 4), record(12, 5, 6)};
  const std::vector<ExternalId> ids{{10, 7}, {12, 8}};
  join_external_ids(records, ids);
  EXPECT_EQ(records[0].external_id, 7u);
  EXPECT_EQ(records[1].external_id, 0u);
  EXPECT_EQ(records[2].external_id, 8u);
}

TEST(GpuRecords, an_operation_lasts_from_its_first_start_to_its_last_end) {
  // Two launches of three overlapping kernels each, delivered out of order; the gap between launches does not count.
  const std::vector<ActivityRecord> records{
      record(4, 1000, 1100, 1), record(1, 100, 150, 1),   record(2, 140, 300, 1), record(3, 160, 200, 1),
      record(5, 1050, 1080, 1), record(6, 1090, 1300, 1), record(7, 1, 90, 2)};
  // The last record is of what ran before the block.
  const BlockTimes times = block_times(records, {.id = 1, .begun_ns = 95, .launches = 2});
  EXPECT_EQ(times.start_ns, 100);
  EXPECT_EQ(times.end_ns, 1300);
  EXPECT_EQ(times.per_launch_ns, ((300 - 100) + (1300 - 1000)) / 2);
  EXPECT_EQ(launches_of(records, 1).size(), 6u);
}

TEST(GpuRecords, unusable_blocks_are_refused_with_the_reason) {
  EXPECT_THAT(failure_of({}, 1), HasSubstr("no kernel record"));
  EXPECT_THAT(failure_of({record(1, 1, 2, 1), record(2, 3, 4, 1), record(3, 5, 6, 1)}, 2),
              HasSubstr("3 kernel records arrived for 2 launches"));
  EXPECT_THAT(failure_of({record(1, 0, 0, 1)}, 1), HasSubstr("no valid times"));
  EXPECT_THAT(failure_of({record(1, 1, 2, 1)}, 1, 5), HasSubstr("5 records were dropped"));
  EXPECT_EQ(failure_of({record(1, 1, 2, 1)}, 1), "");
}

TEST(GpuRecords, a_kernel_that_no_launch_accounts_for_is_not_left_out_silently) {
  const std::vector<ActivityRecord> own{record(1, 10, 20, 1), record(2, 30, 40, 1)};
  for (std::uint64_t id : {0u, 7u}) {
    std::vector<ActivityRecord> records = own;
    records.push_back(record(3, 21, 29, id));
    EXPECT_THAT(failure_of(records, 2),
                HasSubstr("1 of 3 kernel records belong to none of its launches (the first: k"));
    EXPECT_EQ(block_times(records, {.id = 1, .begun_ns = 25, .launches = 2}).end_ns, 40) << "it began before the block";
  }
}

ConditionReading reading(std::int64_t time_ns, double clock, double power, double temperature, std::uint64_t bits) {
  return {time_ns, clock, power, temperature, bits};
}

TEST(GpuConditions, readings_inside_the_span_are_joined) {
  const std::vector<ConditionReading> readings{reading(10, 1000, 100, 40, 1), reading(20, 1600, 600, 50, 4),
                                               reading(30, 1700, 700, 55, 0), reading(40, 1650, 650, 52, 0x40)};
  Sample sample;
  join_conditions(sample, readings, 15, 40);
  EXPECT_EQ(sample.sm_clock_mhz, 1650);
  EXPECT_DOUBLE_EQ(*sample.power_w, 650);
  EXPECT_EQ(sample.temperature_c, 55);
  EXPECT_EQ(sample.throttle_bits, 0x44u);
  EXPECT_EQ(sample.flag, "throttled: sw_power_cap, hw_thermal_slowdown");
}

TEST(GpuConditions, a_short_span_takes_the_nearest_reading_within_reach) {
  const std::vector<ConditionReading> readings{reading(100, 1000, 100, 40, 1), reading(200, 1980, 200, 41, 1)};
  Sample near_second;
  join_conditions(near_second, readings, 170, 171, 50);
  EXPECT_EQ(near_second.sm_clock_mhz, 1980);
  EXPECT_EQ(near_second.flag, "");  // an idle GPU is not a throttled one
  Sample near_first;
  join_conditions(near_first, readings, 110, 111, 50);
  EXPECT_EQ(near_first.sm_clock_mhz, 1000);
  Sample out_of_reach;
  join_conditions(out_of_reach, readings, 400, 401, 50);
  EXPECT_EQ(out_of_reach.sm_clock_mhz, std::nullopt);
}

}  // namespace
}  // namespace triscope
