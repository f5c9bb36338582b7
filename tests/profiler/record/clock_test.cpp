#include "profiler/record/clock.hpp"

#include <gtest/gtest.h>

namespace triscope {
namespace {

TEST(Clock, a_date_is_written_to_the_second_in_utc) {
  EXPECT_EQ(utc_date(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_date(951'827'696'999'999'999), "2000-02-29T12:34:56Z");
  EXPECT_EQ(utc_date(1'796'083'199'000'000'000), "2026-11-30T23:59:59Z");
  EXPECT_EQ(utc_date(-86'400'000'000'000), "1969-12-31T00:00:00Z");
}

}  // namespace
}  // namespace triscope
