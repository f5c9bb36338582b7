// What the status bar says of the samples.
#include "views/model/charts/sample_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "profiler/record/words/power_text.hpp"

namespace triscope {
namespace {

TEST(SampleChart, power_is_the_mean_that_the_row_and_details_have) {
  std::vector<Sample> samples(4);
  const double watts[] = {700, 700, 700, 600};
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].duration_ns = 1'000'000;
    samples[n].started_ns = static_cast<std::int64_t>(n) * 2'000'000;
    samples[n].power_w = watts[n];
    samples[n].sm_clock_mhz = n == 0 ? 1500 : 1700;
  }
  EXPECT_THAT(make_sample_chart(samples).conditions, testing::ElementsAre("1,700 MHz", "675 W"));
}

TEST(SampleChart, a_clock_is_rounded_as_the_row_and_details_round_it) {
  std::vector<Sample> samples(2);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].duration_ns = 1'000'000;
    samples[n].started_ns = static_cast<std::int64_t>(n) * 2'000'000;
    samples[n].sm_clock_mhz = n == 0 ? 1725 : 1740;
  }
  ResultRow row;
  row.sm_clock_mhz = 1732.5;
  EXPECT_THAT(power_text(row), testing::HasSubstr(" 1732 MHz"));
  EXPECT_THAT(make_sample_chart(samples).conditions, testing::ElementsAre("1,732 MHz"));
}

}  // namespace
}  // namespace triscope
