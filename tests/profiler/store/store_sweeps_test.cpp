// A sweep's life in the database: resumed, followed up, listed, deleted.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using fixture::expect_same;
using fixture::StoreTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(StoreTest, resuming_replaces_what_is_not_ok_and_keeps_its_row_and_note) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  Measurement m = synthetic_measurement(0);
  m.status = Status::cancelled;
  const std::int64_t id = store.add(sweep, m);
  const std::int64_t other = store.add(sweep, synthetic_measurement(1));
  store.set_measurement_note(id, "look at this one");
  m.status = Status::ok;
  m.source_hash = "changed since";
  m.samples.resize(7);
  m.summary = summarize(m.samples, StoppingRule{});
  EXPECT_EQ(store.add(sweep, m), id);
  const Snapshot snapshot(file_);
  expect_same(*snapshot.measurement(id), m);
  EXPECT_EQ(snapshot.note(id), "look at this one");
  EXPECT_EQ(snapshot.note(other), "");
  EXPECT_THAT(snapshot.results(), SizeIs(2));
}

TEST_F(StoreTest, a_sweep_measured_again_as_a_whole_starts_with_its_first_measurement) {
  Store store(file_);
  const std::int64_t older = begin(store), newer = begin(store);
  const auto add = [&](std::int64_t sweep, std::int64_t index, std::int64_t year_ns, const char* source) {
    Measurement measurement = synthetic_measurement(index);
    measurement.started_unix_ns = year_ns;
    measurement.source_hash = source;
    store.add(sweep, measurement);
  };
  constexpr std::int64_t kIn2001 = 1'000'000'000'000'000'000, kIn2100 = 4'102'444'800'000'000'000;
  for (const std::int64_t index : {0, 1}) add(older, index, kIn2001, "first");
  add(newer, 0, kIn2001, "first");
  const Snapshot snapshot(file_);
  EXPECT_EQ(snapshot.sweeps().front().id, newer);
  const std::string began = snapshot.sweep(older)->started;
  EXPECT_FALSE(began.starts_with("2001")) << "a measurement's clock may lag behind, on another machine";
  add(older, 0, kIn2100, "changed");
  EXPECT_EQ(snapshot.sweep(older)->started, began) << "one is left of then";
  add(older, 1, kIn2100, "changed");
  EXPECT_EQ(snapshot.sweep(older)->started, "2100-01-01T00:00:00Z");
  EXPECT_EQ(snapshot.sweeps().front().id, older) << "and it is the newest now";
}

TEST_F(StoreTest, of_sweeps_that_began_at_one_time_the_last_stands_first) {
  {
    Store store(file_);
    for (int n = 0; n < 3; ++n) begin(store);
  }
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE sweep SET started_unix_ns = 1760000000000000000");
  std::vector<std::int64_t> ids;
  for (const SweepInfo& sweep : Snapshot(file_).sweeps()) ids.push_back(sweep.id);
  EXPECT_THAT(ids, ElementsAre(3, 2, 1));
}

TEST_F(StoreTest, an_ok_row_is_never_replaced_by_the_same_kernel) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  Measurement m = synthetic_measurement(0);
  const std::int64_t id = store.add(sweep, m);
  for (const Status status : {Status::ok, Status::failed, Status::cancelled}) {
    Measurement second = m;
    second.status = status;
    second.samples.clear();
    EXPECT_THROW(store.add(sweep, second), Error);
  }
  expect_same(*Snapshot(file_).measurement(id), m);
  EXPECT_NO_THROW(store.add(begin(store), m)) << "another sweep may measure the same";
}

TEST_F(StoreTest, an_ok_row_of_a_kernel_that_changed_is_replaced_but_not_by_a_cancelled_one) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Measurement old = synthetic_measurement(0);
  const std::int64_t id = store.add(sweep, old);
  Measurement changed = old;
  changed.source_hash = "changed since";
  changed.status = Status::cancelled;
  EXPECT_EQ(store.add(sweep, changed), id);
  expect_same(*Snapshot(file_).measurement(id), old);
  changed.status = Status::ok;
  EXPECT_EQ(store.add(sweep, changed), id);
  expect_same(*Snapshot(file_).measurement(id), changed);
}

TEST_F(StoreTest, an_ok_row_of_another_environment_is_replaced_with_its_environment_and_keeps_its_turns) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Measurement old = synthetic_measurement(0);
  const std::int64_t id = store.add(sweep, old);
  store.set_turns(id, 77, old.samples);
  Environment here = synthetic_environment();
  here.host = "here";
  store.resume_sweep(sweep, here);
  Measurement again = old;
  again.started_unix_ns += 1;
  again.status = Status::cancelled;
  EXPECT_EQ(store.add(sweep, again), id);
  EXPECT_EQ(Snapshot(file_).environment(id), synthetic_environment()) << "not by a cancelled one";
  again.status = Status::ok;
  EXPECT_EQ(store.add(sweep, again), id);
  EXPECT_EQ(Snapshot(file_).environment(id), here);
  again.turns[77] = old.samples;
  expect_same(*Snapshot(file_).measurement(id), again);
  EXPECT_THROW(store.add(sweep, again), Error) << "of this one it has a result now";
}

TEST_F(StoreTest, another_restart_adds_samples_and_replaces_the_summary) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  Measurement m = synthetic_measurement(0, 5);
  const std::int64_t row = store.add(sweep, m), other = store.add(sweep, synthetic_measurement(1, 5));
  std::vector<Sample> more = synthetic_measurement(2, 3).samples;
  for (Sample& sample : more) sample.restart = 1;
  m.samples.insert(m.samples.end(), more.begin(), more.end());
  const SweepSpread spread{{1e-4, 12}, {1e-6, 4}};
  m.summary = summarize(m.samples, StoppingRule{}, spread.times);
  m.reason = "2 of 3 restarts";
  const MeasurementUpdate update{row, more, m.summary, Status::ok, m.reason};
  store.update(sweep, std::span(&update, 1), spread);
  const Snapshot snapshot(file_);
  expect_same(*snapshot.measurement(row), m);
  expect_same(*snapshot.measurement(other), synthetic_measurement(1, 5));
  EXPECT_EQ(snapshot.sweep(sweep)->spread, spread);
  EXPECT_EQ(snapshot.results()[0].restarts, 2);
  Store copy(folder_ / "copy.db");
  copy.import(file_);
  expect_same(*Snapshot(folder_ / "copy.db").measurement(1), m);
  EXPECT_EQ(Snapshot(folder_ / "copy.db").sweep(1)->spread, spread);
  const MeasurementUpdate nowhere{99, {}, m.summary, Status::ok, ""};
  EXPECT_THROW(store.update(sweep, std::span(&nowhere, 1), {}), Error);
  EXPECT_EQ(Snapshot(file_).sweep(sweep)->spread, spread) << "all or nothing";
}

TEST_F(StoreTest, finished_keys_are_those_that_are_ok_or_skipped) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  for (const std::int64_t index : {0, 49, 69, 89})
    store.add(sweep, synthetic_measurement(index));  // ok failed skipped cancelled
  const Measurement ok = synthetic_measurement(0), skipped = synthetic_measurement(69);
  EXPECT_THAT(Snapshot(file_).finished_keys(sweep), ElementsAre(FinishedKey{ok.key, ok.source_hash, 1, 1},
                                                                FinishedKey{skipped.key, skipped.source_hash, 3, 0}));
  EXPECT_THAT(Snapshot(file_).finished_keys(sweep + 1), IsEmpty());
}

TEST_F(StoreTest, what_cupti_timed_and_nobody_cross_checked_is_found) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  std::vector<Measurement> timed(3, synthetic_measurement(0));
  for (std::size_t n = 0; n < timed.size(); ++n) {
    timed[n].key.problem.seq_len += static_cast<std::int64_t>(n);
    timed[n].cross_check.reset();
  }
  timed[1].key.timing_source = TimingSource::cuda_events;
  std::vector<std::int64_t> rows;
  for (const Measurement& m : timed) rows.push_back(store.add(sweep, m));
  Measurement failed = synthetic_measurement(49);
  failed.cross_check.reset();
  store.add(sweep, failed);
  store.set_cross_check(rows[0], {.timing_source = TimingSource::cuda_events, .samples = 0, .reason = "no driver"});
  const std::vector<StoredMeasurement> found = Snapshot(file_).without_cross_check(sweep);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, rows[2]);
  EXPECT_EQ(found[0].key, timed[2].key);
  EXPECT_EQ(found[0].source_hash, timed[2].source_hash);
}

TEST_F(StoreTest, the_history_counts_by_status_and_lists_the_newest_first) {
  Store store(file_);
  const std::int64_t first = begin(store, 4);
  for (const std::int64_t index : {0, 1, 49, 69, 89}) store.add(first, synthetic_measurement(index));
  store.finish_sweep(first);
  const std::int64_t second = store.begin_sweep("triscope sweep --seq 77", R"({"seq":77})", synthetic_environment(), 9);
  store.set_note(second, "old note");
  store.set_note(second, "it's a note");
  store.set_starred(second, true);
  const Snapshot snapshot(file_);
  const std::vector<SweepInfo> sweeps = snapshot.sweeps();
  ASSERT_THAT(sweeps, SizeIs(2));
  EXPECT_EQ(sweeps[0].id, second);
  EXPECT_EQ(sweeps[0].command, "triscope sweep --seq 77");
  EXPECT_EQ(sweeps[0].request_json, R"({"seq":77})");
  EXPECT_EQ(sweeps[0].planned, 9);
  EXPECT_EQ(sweeps[0].note, "it's a note");
  EXPECT_TRUE(sweeps[0].starred);
  EXPECT_EQ(sweeps[0].finished, "");
  EXPECT_EQ(sweeps[0].ok + sweeps[0].failed + sweeps[0].skipped + sweeps[0].cancelled, 0);
  EXPECT_EQ(sweeps[1].id, first);
  EXPECT_EQ(sweeps[1].ok, 2);
  EXPECT_EQ(sweeps[1].failed, 1);
  EXPECT_EQ(sweeps[1].skipped, 1);
  EXPECT_EQ(sweeps[1].cancelled, 1);
  EXPECT_EQ(sweeps[1].note, "");
  EXPECT_THAT(sweeps[1].finished, testing::MatchesRegex("....-..-..T..:..:..Z"));
  EXPECT_NE(sweeps[0].uuid, sweeps[1].uuid);
  EXPECT_EQ(snapshot.sweep(first)->ok, 2);
  EXPECT_FALSE(snapshot.sweep(77));
  store.set_note(second, "");
  EXPECT_EQ(snapshot.sweep(second)->note, "");
}

TEST_F(StoreTest, a_sweep_resumed_elsewhere_says_where_each_number_came_from) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const std::int64_t before = store.add(sweep, synthetic_measurement(0));
  store.finish_sweep(sweep);
  Environment updated = synthetic_environment();
  updated.driver_version = "590.1";
  updated.device_name = "NVIDIA H200 NVL";
  store.resume_sweep(sweep, updated);
  const std::int64_t after = store.add(sweep, synthetic_measurement(1));
  const Snapshot snapshot(file_);
  EXPECT_EQ(snapshot.sweep(sweep)->finished, "");
  EXPECT_EQ(snapshot.sweep(sweep)->environment, synthetic_environment());
  EXPECT_EQ(snapshot.environment(before), synthetic_environment());
  EXPECT_EQ(snapshot.environment(after), updated);
  EXPECT_EQ(snapshot.results().at(1).device, "NVIDIA H200 NVL");
  EXPECT_THROW(store.resume_sweep(77, updated), Error);
}

TEST_F(StoreTest, a_deleted_sweep_leaves_nothing_of_its_own_behind) {
  Store store(file_);
  const std::int64_t kept = begin(store);
  store.add(kept, synthetic_measurement(0));
  const std::int64_t doomed = begin(store);
  store.set_measurement_note(store.add(doomed, synthetic_measurement(1)), "note");
  store.set_note(doomed, "note");
  store.delete_sweep(doomed);
  const Snapshot snapshot(file_);
  EXPECT_THAT(snapshot.sweeps(), SizeIs(1));
  EXPECT_THAT(snapshot.results(), SizeIs(1));
  EXPECT_THAT(snapshot.damage(), IsEmpty());
  SQLite::Database database(file_.string());
  for (const char* table : {"sample", "launch", "counter", "output_error"}) {
    EXPECT_EQ(database.execAndGet(std::string("SELECT count(DISTINCT measurement) FROM ") + table).getInt(), 1)
        << table;
  }
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM note").getInt(), 0);
  EXPECT_GT(begin(store), doomed) << "row ids are not used twice";
}

TEST_F(StoreTest, a_sweep_that_is_being_measured_is_not_deleted) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  {
    const SweepLock lock(file_, sweep);
    EXPECT_THROW(store.delete_sweep(sweep), Error);
  }
  EXPECT_THAT(Snapshot(file_).sweeps(), SizeIs(1));
  store.delete_sweep(sweep);
  EXPECT_THAT(Snapshot(file_).sweeps(), IsEmpty());
}

TEST_F(StoreTest, what_does_not_exist_is_named_in_the_error) {
  Store store(file_);
  const auto expect_usage_error = [](auto&& action, const char* name) {
    try {
      action();
      ADD_FAILURE() << "no error for " << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_EQ(error.code(), ExitCode::usage);
    }
  };
  expect_usage_error([&] { store.add(5, synthetic_measurement(0)); }, "sweep 5");
  expect_usage_error([&] { store.finish_sweep(5); }, "sweep 5");
  expect_usage_error([&] { store.set_note(5, "x"); }, "sweep 5");
  expect_usage_error([&] { store.set_starred(5, true); }, "sweep 5");
  expect_usage_error([&] { store.delete_sweep(5); }, "sweep 5");
  expect_usage_error([&] { store.set_measurement_note(6, "x"); }, "measurement 6");
}

TEST_F(StoreTest, a_clock_that_jumps_by_decades_is_remarked) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  constexpr std::int64_t kNsOfYear = 31'557'600'000'000'000;
  Measurement before = synthetic_measurement(0), after = synthetic_measurement(1), usual = synthetic_measurement(2);
  before.started_unix_ns -= 40 * kNsOfYear;
  after.started_unix_ns += 40 * kNsOfYear;
  after.reason = "not converged";
  store.add(sweep, std::vector{before, after, usual});
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[0].reason,
              testing::MatchesRegex("the clock of this machine jumped: .* years before its sweep began"));
  EXPECT_THAT(rows[1].reason, testing::StartsWith("not converged; the clock of this machine jumped"));
  EXPECT_EQ(rows[2].reason, "");
  const MeasurementUpdate restart{rows[1].measurement, after.samples, after.summary, Status::ok, "converged late"};
  store.update(sweep, std::vector{restart, restart}, {});
  EXPECT_THAT(Snapshot(file_).results()[1].reason,
              testing::MatchesRegex("converged late; the clock of this machine jumped: [^;]*"))
      << "a restart does not lose it";
}

TEST_F(StoreTest, a_clock_that_jumps_before_a_later_process_of_a_row_is_remarked) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  constexpr std::int64_t kNsOfYear = 31'557'600'000'000'000;
  for (const std::int64_t years : {-40, 40}) {
    const Measurement m = synthetic_measurement(years > 0 ? 1 : 0);
    const std::int64_t row = store.add(sweep, m);
    std::vector<Sample> later = m.samples;
    for (Sample& sample : later) {
      sample.restart = 1;
      sample.started_ns += years * kNsOfYear;
    }
    const auto remark = testing::MatchesRegex(
        fmt::format("the clock of this machine jumped: [^;]* years {} its .*", years < 0 ? "before" : "after"));
    store.update(sweep, std::vector{MeasurementUpdate{row, later, m.summary, Status::ok, ""}}, {});
    EXPECT_THAT(Snapshot(file_).result(row)->reason, remark);
    store.update(sweep, std::vector{MeasurementUpdate{row, {}, m.summary, Status::ok, ""}}, {});
    EXPECT_THAT(Snapshot(file_).result(row)->reason, remark) << "nor does the end of the sweep lose it";
  }
}

TEST_F(StoreTest, a_whole_sweep_is_read_in_one_pass) {
  Store store(file_);
  const std::int64_t first = begin(store), second = begin(store);
  for (std::int64_t index = 0; index < 4; ++index)
    store.add(index < 3 ? first : second, synthetic_measurement(index, index == 1 ? 0 : 5));
  Environment other = synthetic_environment();
  other.host = "elsewhere";
  store.resume_sweep(first, other);
  store.add(first, synthetic_measurement(7, 5));
  const Snapshot snapshot(file_);
  const auto series = snapshot.series_of_sweep(first);
  EXPECT_THAT(series, SizeIs(3)) << "one of the four has no samples";
  for (const std::int64_t id : {1, 3, 5}) {
    fixture::expect_same_samples(series.at(id).samples, snapshot.samples(id));
    fixture::expect_same_samples(snapshot.series(id).samples, snapshot.samples(id));
    EXPECT_EQ(series.at(id).group, snapshot.measurement(id)->group);
  }
  EXPECT_THAT(snapshot.series(99).samples, IsEmpty());
  const auto places = snapshot.environments(first);
  ASSERT_THAT(places, SizeIs(2));
  EXPECT_EQ(places[0].first, synthetic_environment());
  EXPECT_THAT(places[0].second, ElementsAre(1, 2, 3));
  EXPECT_EQ(places[1].first.host, "elsewhere");
  EXPECT_THAT(places[1].second, ElementsAre(5));
  EXPECT_EQ(snapshot.result(3)->kernel, snapshot.measurement(3)->key.kernel);
  EXPECT_FALSE(snapshot.result(99).has_value());
}

TEST_F(StoreTest, companions_are_the_kernels_of_the_other_measurements_of_a_group) {
  {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    std::vector<Measurement> measurements;
    for (int n = 0; n < 150; ++n) {
      Measurement& one = measurements.emplace_back(synthetic_measurement(0, 2));
      one.key.kernel = n < 2 ? "alone" : n < 5 ? "twice" : fmt::format("kernel.{:03}", n);
      one.key.instance = fmt::format("{}", n);
      one.group = n < 1 ? 0 : n < 5 ? 1 : 2;
    }
    store.add(sweep, measurements);
    measurements.back().key.kernel = "reference";
    measurements.back().group = 3;
    store.set_turns(store.add(sweep, measurements.back()), 0, measurements.back().samples);
  }
  auto series = Snapshot(file_).series_of_sweep(1);
  EXPECT_THAT(series.at(1).companions, ElementsAre("reference")) << "a row of another group that took turns with it";
  EXPECT_THAT(series.at(2).companions, ElementsAre("twice")) << "not itself";
  EXPECT_THAT(series.at(3).companions, ElementsAre("alone", "twice")) << "another row of its kernel";
  EXPECT_THAT(series.at(6).companions, SizeIs(100)) << "not a set of all for each";
  EXPECT_THAT(series.at(151).companions, IsEmpty()) << "in its own group";
  EXPECT_THAT(Snapshot(file_).series(1).companions, ElementsAre("reference"));
  EXPECT_THAT(Snapshot(file_).series(3).companions, ElementsAre("alone", "twice"));
}

std::int64_t rows_read = 0;  // by SQLite, of every connection that was opened since it was asked to count

/// Counts while it lives.
struct RowCounter {
  RowCounter() {
    rows_read = 0;
    sqlite3_auto_extension(entry());
  }
  ~RowCounter() { sqlite3_cancel_auto_extension(entry()); }
  RowCounter(const RowCounter&) = delete;
  RowCounter& operator=(const RowCounter&) = delete;

 private:
  using Entry = void (*)();
  static int count(unsigned, void*, void*, void*) {
    ++rows_read;
    return 0;
  }
  static int on_open(sqlite3* database, const char**, const void*) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_ROW, count, nullptr);
  }
  static Entry entry() { return reinterpret_cast<Entry>(on_open); }
};

/// The window compares dozens of rows of a sweep with one. Each looked through the whole sweep for its companions.
TEST_F(StoreTest, the_companions_of_many_single_measurements_are_read_once) {
  constexpr std::int64_t kRows = 300, kAsked = 40, kSamplesOfEach = 5;
  {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    std::vector<Measurement> measurements;
    for (std::int64_t n = 0; n < kRows; ++n) {
      measurements.push_back(synthetic_measurement(0, kSamplesOfEach));
      measurements.back().key.instance = fmt::format("{}", n);
      measurements.back().group = n / 3;
    }
    measurements.front().key.kernel = "reference";
    measurements.front().group = kRows;
    store.add(sweep, measurements);
  }
  const RowCounter counter;
  const Snapshot snapshot(file_);
  for (std::int64_t id = 2; id <= kAsked; ++id) EXPECT_THAT(snapshot.series(id).companions, SizeIs(1)) << id;
  EXPECT_GE(rows_read, kRows + (kAsked - 1) * kSamplesOfEach);
  EXPECT_LE(rows_read, 2 * kRows + kAsked * (kSamplesOfEach + 8));
  Store(file_).set_turns(1, 1, snapshot.samples(1));
  EXPECT_THAT(snapshot.series(4).companions, SizeIs(2)) << "what another program writes is seen";
}

}  // namespace
}  // namespace triscope
