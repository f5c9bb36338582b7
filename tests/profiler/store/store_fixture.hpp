// A database file of its own for each test, and equality of everything a measurement carries.
#pragma once

#include <gmock/gmock.h>

#include <cmath>

#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope::fixture {

// With NaN equal to NaN.
inline void expect_same(double a, double b) {
  EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " and " << b;
}

inline void expect_same_samples(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    EXPECT_EQ(a[n].started_ns, b[n].started_ns);
    EXPECT_EQ(a[n].duration_ns, b[n].duration_ns);
    EXPECT_EQ(a[n].launches, b[n].launches);
    EXPECT_EQ(a[n].block, b[n].block);
    EXPECT_EQ(a[n].sm_clock_mhz, b[n].sm_clock_mhz);
    EXPECT_EQ(a[n].power_w, b[n].power_w);
    EXPECT_EQ(a[n].temperature_c, b[n].temperature_c);
    EXPECT_EQ(a[n].throttle_bits, b[n].throttle_bits);
    EXPECT_EQ(a[n].flag, b[n].flag);
    EXPECT_EQ(a[n].restart, b[n].restart);
  }
}

inline void expect_same_launches(const std::vector<LaunchRecord>& a, const std::vector<LaunchRecord>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    EXPECT_EQ(a[n].name, b[n].name);
    EXPECT_THAT(a[n].grid, testing::ElementsAreArray(b[n].grid));
    EXPECT_THAT(a[n].block, testing::ElementsAreArray(b[n].block));
    EXPECT_THAT(a[n].cluster, testing::ElementsAreArray(b[n].cluster));
    EXPECT_EQ(a[n].registers_per_thread, b[n].registers_per_thread);
    EXPECT_EQ(a[n].static_shared_bytes, b[n].static_shared_bytes);
    EXPECT_EQ(a[n].dynamic_shared_bytes, b[n].dynamic_shared_bytes);
    EXPECT_EQ(a[n].local_bytes_per_thread, b[n].local_bytes_per_thread);
    EXPECT_EQ(a[n].start_ns, b[n].start_ns);
    EXPECT_EQ(a[n].end_ns, b[n].end_ns);
  }
}

inline void expect_same(const Summary& a, const Summary& b) {
  expect_same(a.median_ms, b.median_ms);
  expect_same(a.ci_low_ms, b.ci_low_ms);
  expect_same(a.ci_high_ms, b.ci_high_ms);
  expect_same(a.quartile1_ms, b.quartile1_ms);
  expect_same(a.quartile3_ms, b.quartile3_ms);
  expect_same(a.min_ms, b.min_ms);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.flagged, b.flagged);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.sm_clock_mhz, b.sm_clock_mhz);
  EXPECT_EQ(a.restarts, b.restarts);
  EXPECT_EQ(a.power_w, b.power_w);
  EXPECT_EQ(a.limiter, b.limiter);
}

inline void expect_same(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.source_hash, b.source_hash);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.workspace_bytes, b.workspace_bytes);
  EXPECT_EQ(a.started_unix_ns, b.started_unix_ns);
  EXPECT_EQ(a.group, b.group);
  ASSERT_EQ(a.errors.size(), b.errors.size());
  for (const auto& [output, error] : a.errors) expect_same(error, b.errors.at(output));
  expect_same(a.summary, b.summary);
  expect_same_samples(a.samples, b.samples);
  ASSERT_EQ(a.turns.size(), b.turns.size());
  for (const auto& [group, samples] : a.turns) expect_same_samples(samples, b.turns.at(group));
  expect_same_launches(a.launches, b.launches);
  EXPECT_EQ(a.counters_note, b.counters_note);
  ASSERT_EQ(a.cross_check.has_value(), b.cross_check.has_value());
  if (a.cross_check) {
    EXPECT_EQ(a.cross_check->timing_source, b.cross_check->timing_source);
    EXPECT_EQ(a.cross_check->median_ms, b.cross_check->median_ms);
    EXPECT_EQ(a.cross_check->ci_low_ms, b.cross_check->ci_low_ms);
    EXPECT_EQ(a.cross_check->ci_high_ms, b.cross_check->ci_high_ms);
    EXPECT_EQ(a.cross_check->samples, b.cross_check->samples);
    EXPECT_EQ(a.cross_check->reason, b.cross_check->reason);
  }
  ASSERT_EQ(a.counters.size(), b.counters.size());
  for (std::size_t n = 0; n < a.counters.size(); ++n) {
    EXPECT_EQ(a.counters[n].name, b.counters[n].name);
    EXPECT_EQ(a.counters[n].unit, b.counters[n].unit);
    expect_same(a.counters[n].value, b.counters[n].value);
  }
}

class StoreTest : public testing::Test {
 protected:
  std::int64_t begin(Store& store, std::int64_t planned = 10) {
    return store.begin_sweep("triscope sweep", "{}", synthetic_environment(), planned);
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "results.db";
};

}  // namespace triscope::fixture
