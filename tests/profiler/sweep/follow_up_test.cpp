// Cross-checks and counters: what is stored when they are there, and when they are not.
#include "profiler/sweep/follow_up.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <limits>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "tests/profiler/protocol/worker_requests.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Measurement by_events() {
  Measurement measurement;
  measurement.key.timing_source = TimingSource::cuda_events;
  measurement.summary.samples = 4;
  measurement.summary.median_ms = 1.25;
  measurement.summary.ci_low_ms = 1.2;
  measurement.summary.ci_high_ms = 1.3;
  return measurement;
}

TEST(CrossCheck, carries_the_median_and_its_interval) {
  const CrossCheck check = cross_check_of(by_events());
  EXPECT_EQ(check.timing_source, TimingSource::cuda_events);
  EXPECT_EQ(check.median_ms, 1.25);
  EXPECT_EQ(check.ci_low_ms, 1.2);
  EXPECT_EQ(check.ci_high_ms, 1.3);
  EXPECT_EQ(check.samples, 4);
  EXPECT_EQ(check.reason, "");
}

TEST(CrossCheck, an_interval_without_bounds_has_none) {
  Measurement measurement = by_events();
  measurement.summary.ci_high_ms = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cross_check_of(measurement).ci_high_ms, std::nullopt);
}

TEST(CrossCheck, a_failed_one_has_a_reason_and_no_number) {
  Measurement measurement = by_events();
  measurement.status = Status::failed;
  measurement.reason = "the launch failed";
  EXPECT_EQ(cross_check_of(measurement).median_ms, std::nullopt);
  EXPECT_EQ(cross_check_of(measurement).reason, "the launch failed");
  measurement = {};
  EXPECT_EQ(cross_check_of(measurement).median_ms, std::nullopt);
  EXPECT_THAT(cross_check_of(measurement).reason, Not(IsEmpty()));
}

class FollowUpTest : public testing::Test {
 protected:
  // Two measurements that CUPTI timed, followed up where there is no GPU.
  void run(CounterSet counters) {
    SweepRequest request;
    request.counters = counters;
    WorkerOptions options = bad_worker();
    options.device = "0";
    const std::int64_t sweep = store_.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
    std::vector<StoredMeasurement> group;
    for (std::int64_t index : {0, 1}) {
      const Measurement measurement = synthetic_measurement(index, 3);
      group.push_back({store_.add(sweep, measurement), measurement.key, measurement.source_hash});
    }
    FollowUp follow_up(options, request, store_, [](const std::string&) {});
    follow_up.cross_check(group, {});
    follow_up.read_counters(group, {});
  }
  std::vector<Measurement> stored() const { return {*Snapshot(file_).measurement(1), *Snapshot(file_).measurement(2)}; }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "results.db";
  Store store_{file_};
};

TEST_F(FollowUpTest, a_cross_check_that_cannot_be_made_says_why_and_leaves_the_measurement) {
  run(CounterSet::none);
  for (const Measurement& measurement : stored()) {
    ASSERT_TRUE(measurement.cross_check.has_value());
    EXPECT_EQ(measurement.cross_check->median_ms, std::nullopt);
    EXPECT_THAT(measurement.cross_check->reason, HasSubstr("cannot be used"));
    EXPECT_EQ(measurement.status, Status::ok);
    EXPECT_EQ(measurement.summary.samples, 3);
    EXPECT_EQ(measurement.counters_note, "") << "nobody asked for counters";
  }
}

TEST_F(FollowUpTest, counters_that_cannot_be_read_become_a_note) {
  run(CounterSet::standard);
  for (const Measurement& measurement : stored()) {
    EXPECT_THAT(measurement.counters_note, HasSubstr("cannot be used"));
    EXPECT_THAT(measurement.counters, IsEmpty()) << "never a made-up value, nor an old one";
  }
}

// The same where there is a GPU: what it finds is stored, and a database that cannot be written is not its fault.
class FollowUpOnGpu : public FollowUpTest {
 protected:
  FollowUpOnGpu() {
    options_.device = "0";
    const std::int64_t sweep = store_.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
    for (const char* instance : {"small", "large"}) {
      Measurement measurement;
      measurement.key = tiny_key("test.gpu");
      measurement.key.instance = instance;
      measurement.key.device_id = "0";
      measurement.key.timing_source = TimingSource::cupti;
      measurement.source_hash = "test";
      measurement.summary = by_events().summary;
      group_.push_back({store_.add(sweep, measurement), measurement.key, measurement.source_hash});
    }
  }

  WorkerOptions options_ = bad_worker("gpu");
  std::vector<StoredMeasurement> group_;
};

TEST_F(FollowUpOnGpu, finds_another_median_and_counters) {
  SweepRequest request;
  request.counters = CounterSet::standard;
  FollowUp follow_up(options_, request, store_, [](const std::string&) {});
  follow_up.cross_check(group_, {});
  follow_up.read_counters(group_, {});
  for (const Measurement& measurement : stored()) {
    ASSERT_TRUE(measurement.cross_check.has_value());
    EXPECT_EQ(measurement.cross_check->reason, "");
    EXPECT_GT(measurement.cross_check->median_ms.value_or(0), 0);
    ASSERT_THAT(measurement.counters, SizeIs(1));
    EXPECT_EQ(measurement.counters[0].value, 4096);
    EXPECT_EQ(measurement.counters_note, "");
  }
}

TEST_F(FollowUpOnGpu, a_locked_database_is_an_error_and_not_the_reason_of_a_row) {
  Store impatient(file_, std::chrono::milliseconds(20));
  const SweepRequest request;
  FollowUp follow_up(options_, request, impatient, [](const std::string&) {});
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THROW(follow_up.cross_check({group_.front()}, {}), Error);
  other.exec("ROLLBACK");
  for (const Measurement& measurement : stored()) EXPECT_FALSE(measurement.cross_check.has_value());
}

}  // namespace
}  // namespace triscope
