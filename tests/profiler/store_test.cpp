// What is written is what is read, exactly; resuming, notes, deletion and import keep their promises.
#include "profiler/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <thread>

#include "kernels/error.hpp"
#include "kernels/flops.hpp"
#include "profiler/sweep_lock.hpp"
#include "synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Equality of everything a measurement carries, with NaN equal to NaN.
void expect_same(double a, double b) { EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " and " << b; }

void expect_same_samples(const std::vector<Sample>& a, const std::vector<Sample>& b) {
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
  }
}

void expect_same_launches(const std::vector<LaunchRecord>& a, const std::vector<LaunchRecord>& b) {
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

void expect_same(const Summary& a, const Summary& b) {
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
}

void expect_same(const Measurement& a, const Measurement& b) {
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
  ASSERT_EQ(a.timelines.size(), b.timelines.size());
  for (std::size_t n = 0; n < a.timelines.size(); ++n) {
    EXPECT_EQ(a.timelines[n].name, b.timelines[n].name);
    EXPECT_EQ(a.timelines[n].unit, b.timelines[n].unit);
    ASSERT_EQ(a.timelines[n].points.size(), b.timelines[n].points.size());
    for (std::size_t p = 0; p < a.timelines[n].points.size(); ++p) {
      EXPECT_EQ(a.timelines[n].points[p].time_ns, b.timelines[n].points[p].time_ns);
      expect_same(a.timelines[n].points[p].value, b.timelines[n].points[p].value);
    }
  }
}

// A measurement with every field away from its default, and the hard values: extremes, NaN, infinities, odd text.
Measurement extreme_measurement() {
  Measurement m = synthetic_measurement(3, 5);
  m.key.problem = {
      Form::determinant, Mask::full, Element::fp32, true, 3, 77, 12, 4, 96, 13, 7, 0.1, -0.3, 1e-300, -2.5};
  m.key.device_id = "1";
  m.reason = "a remark with \"quotes\", a \\, a %, umlauts äöü and a\nsecond line";
  m.errors["grad_q"] = std::numeric_limits<double>::quiet_NaN();
  m.summary.ci_low_ms = -std::numeric_limits<double>::infinity();
  m.summary.ci_high_ms = std::numeric_limits<double>::infinity();
  m.summary.converged = false;
  m.samples[1].throttle_bits = 0xFFFF'FFFF'FFFF'FFFFu;
  m.samples[2].sm_clock_mhz.reset();
  m.samples[2].power_w.reset();
  m.samples[2].temperature_c.reset();
  m.samples[2].throttle_bits.reset();
  m.samples[4].duration_ns = std::numeric_limits<std::int64_t>::max();
  m.cross_check = {TimingSource::cpu_clock, 1.25, std::nullopt, 1e300, 7, "a reason"};
  m.counters_note = "not permitted";
  m.counters.push_back({"broken", "", std::numeric_limits<double>::quiet_NaN()});
  m.timelines.push_back({"L2", "byte/s", {{5, std::numeric_limits<double>::quiet_NaN()}}});
  m.launches.push_back(m.launches.front());
  m.launches.back().local_bytes_per_thread = 16;
  m.group = -1;
  return m;
}

class StoreTest : public testing::Test {
 protected:
  std::int64_t begin(Store& store, std::int64_t planned = 10) {
    return store.begin_sweep("triscope sweep", "{}", synthetic_environment(), planned);
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "results.db";
};

TEST_F(StoreTest, what_other_processes_find_out_later_is_added_and_replaced) {
  Store store(file_);
  const std::int64_t row = store.add(begin(store), synthetic_measurement(3, 5));
  store.set_cross_check(row, {TimingSource::cuda_events, std::nullopt, std::nullopt, std::nullopt, 0, "no events"});
  store.set_cross_check(row, {TimingSource::cuda_events, 2.5, 2.4, 2.6, 4, ""});
  store.set_counters(row, {}, "not permitted");
  EXPECT_EQ(Snapshot(file_).measurement(row)->counters_note, "not permitted");
  EXPECT_TRUE(Snapshot(file_).measurement(row)->counters.empty());
  store.set_counters(row, {{"a", "%", 1}, {"b", "", 2}}, "");
  const std::optional<Measurement> stored = Snapshot(file_).measurement(row);
  ASSERT_TRUE(stored && stored->cross_check);
  EXPECT_EQ(stored->cross_check->median_ms, 2.5);
  EXPECT_EQ(stored->counters_note, "");
  ASSERT_EQ(stored->counters.size(), 2u);
  EXPECT_EQ(stored->counters[1].name, "b");
  EXPECT_EQ(stored->samples.size(), 5u);
  EXPECT_EQ(Snapshot(file_).results().front().events_ms, 2.5);
  EXPECT_THROW(store.set_cross_check(row + 1, {}), Error);
  EXPECT_THROW(store.set_counters(row + 1, {}, ""), Error);
}

TEST_F(StoreTest, a_measurement_comes_back_exactly_as_it_was_written) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Snapshot snapshot(file_);
  for (const Measurement& written : {extreme_measurement(), synthetic_measurement(0), synthetic_measurement(49),
                                     synthetic_measurement(69), synthetic_measurement(89)}) {
    const std::int64_t id = store.add(sweep, written);
    const std::optional<Measurement> read = snapshot.measurement(id);
    ASSERT_TRUE(read);
    expect_same(*read, written);
    expect_same_samples(snapshot.samples(id), written.samples);
    EXPECT_EQ(snapshot.environment(id), synthetic_environment());
  }
  EXPECT_FALSE(snapshot.measurement(999));
  EXPECT_FALSE(snapshot.environment(999));
  EXPECT_THAT(snapshot.damage(), IsEmpty());
}

TEST_F(StoreTest, unset_facts_of_the_environment_stay_unset_and_equal_environments_share_a_row) {
  Store store(file_);
  Environment bare;
  bare.device_id = "cpu";
  store.begin_sweep("a", "{}", bare, 1);
  store.begin_sweep("b", "{}", bare, 1);
  begin(store);
  const Snapshot snapshot(file_);
  const std::vector<SweepInfo> sweeps = snapshot.sweeps();
  ASSERT_THAT(sweeps, SizeIs(3));
  EXPECT_EQ(sweeps[0].environment, synthetic_environment());
  EXPECT_EQ(sweeps[1].environment, bare);
  EXPECT_EQ(sweeps[2].environment, bare);
  SQLite::Database database(file_.string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM environment").getInt(), 2);
}

TEST_F(StoreTest, the_result_view_says_what_was_measured_with_rates_from_the_flop_counts) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Measurement m = synthetic_measurement(24);
  const std::int64_t id = store.add(sweep, m);
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  ASSERT_THAT(rows, SizeIs(1));
  const ResultRow& row = rows[0];
  EXPECT_EQ(row.measurement, id);
  EXPECT_EQ(row.sweep, sweep);
  EXPECT_EQ(row.started, "2025-10-09T08:53:44Z");
  EXPECT_EQ(row.device, "NVIDIA H200");
  EXPECT_EQ(row.kernel, m.key.kernel);
  EXPECT_EQ(row.instance, m.key.instance);
  EXPECT_EQ(row.source_hash, m.source_hash);
  EXPECT_EQ(row.pass, m.key.pass);
  EXPECT_EQ(row.problem, m.key.problem);
  EXPECT_EQ(row.timing_source, m.key.timing_source);
  EXPECT_EQ(row.regime, m.key.regime);
  EXPECT_EQ(row.median_ms, m.summary.median_ms);
  EXPECT_EQ(row.ci_low_ms, m.summary.ci_low_ms);
  EXPECT_EQ(row.ci_high_ms, m.summary.ci_high_ms);
  EXPECT_EQ(row.samples, m.summary.samples);
  EXPECT_EQ(row.flagged, m.summary.flagged);
  EXPECT_EQ(row.sm_clock_mhz, m.summary.sm_clock_mhz);
  EXPECT_EQ(row.error, m.error);
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.reason, "");
  const double tflops = useful_flops(m.key.problem, m.key.pass) / (m.summary.median_ms * 1e-3) * 1e-12;
  EXPECT_NEAR(row.tflops.value(), tflops, 1e-9 * tflops);
  const double paper = paper_flops(m.key.problem, m.key.pass) / (m.summary.median_ms * 1e-3) * 1e-12;
  EXPECT_NEAR(row.tflops_paper_count.value(), paper, 1e-9 * paper);
  EXPECT_NEAR(row.peak_fraction.value(), tflops / (989.5 * 1650 / 1980), 1e-9);
}

TEST_F(StoreTest, a_peak_fraction_is_given_only_where_the_peak_is_known) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  Measurement no_clock = synthetic_measurement(0);
  no_clock.summary.sm_clock_mhz.reset();
  Measurement other_device = synthetic_measurement(1);
  other_device.key.device_id = "cpu";
  Measurement other_element = synthetic_measurement(2);
  other_element.key.problem.element = Element::fp32;
  for (const Measurement& m : {no_clock, other_device, other_element}) store.add(sweep, m);
  Environment cpu;
  cpu.device_id = "cpu";
  cpu.device_name = "Invented CPU";
  const std::int64_t cpu_sweep = store.begin_sweep("c", "{}", cpu, 1);
  store.add(cpu_sweep, other_device);
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_FALSE(rows[0].peak_fraction);
  EXPECT_FALSE(rows[1].peak_fraction);
  EXPECT_EQ(rows[1].device, "Invented CPU");
  EXPECT_FALSE(rows[2].peak_fraction);
  EXPECT_FALSE(rows[3].peak_fraction) << "a CPU has none";
}

TEST_F(StoreTest, a_measurement_without_samples_has_no_numbers) {
  Store store(file_);
  store.add(begin(store), synthetic_measurement(49));
  const ResultRow row = Snapshot(file_).results().at(0);
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_THAT(row.reason, HasSubstr("signal 11"));
  EXPECT_FALSE(row.median_ms);
  EXPECT_FALSE(row.tflops);
  EXPECT_FALSE(row.peak_fraction);
  EXPECT_FALSE(row.error);
}

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
  EXPECT_EQ(store.add(sweep, m), id);
  const Snapshot snapshot(file_);
  expect_same(*snapshot.measurement(id), m);
  EXPECT_EQ(snapshot.note(id), "look at this one");
  EXPECT_EQ(snapshot.note(other), "");
  EXPECT_THAT(snapshot.results(), SizeIs(2));
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

TEST_F(StoreTest, several_are_written_at_once_or_not_at_all) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const std::vector<Measurement> two{synthetic_measurement(0), synthetic_measurement(1)};
  EXPECT_THAT(store.add(sweep, two), SizeIs(2));
  const std::vector<Measurement> one_is_there{synthetic_measurement(2), synthetic_measurement(1)};
  EXPECT_THROW(store.add(sweep, one_is_there), Error);
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(2));
}

TEST_F(StoreTest, every_part_of_the_key_makes_another_measurement) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Measurement first = synthetic_measurement(0);
  std::vector<Measurement> variants(12, first);
  variants[1].key.problem.scale = 0.125;
  variants[2].key.problem.sink = 0.0;
  variants[3].key.problem.k2_bias = 1e-9;
  variants[4].key.problem.deterministic = true;
  variants[5].key.pass = Pass::backward;
  variants[6].key.kernel = "cuda.portable";
  variants[7].key.instance = "64x64";
  variants[8].key.regime = Regime::burst;
  variants[9].key.timing_source = TimingSource::cuda_events;
  variants[10].key.device_id = "1";
  variants[11].key.problem.sink = -0.5;
  for (const Measurement& m : variants) store.add(sweep, m);
  std::vector<FinishedKey> keys;
  for (const Measurement& m : variants) keys.push_back({m.key, m.source_hash});
  EXPECT_EQ(Snapshot(file_).finished_keys(sweep), keys);
}

TEST_F(StoreTest, finished_keys_are_those_that_are_ok_or_skipped) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  for (const std::int64_t index : {0, 49, 69, 89})
    store.add(sweep, synthetic_measurement(index));  // ok failed skipped cancelled
  const Measurement ok = synthetic_measurement(0), skipped = synthetic_measurement(69);
  EXPECT_THAT(Snapshot(file_).finished_keys(sweep),
              ElementsAre(FinishedKey{ok.key, ok.source_hash}, FinishedKey{skipped.key, skipped.source_hash}));
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
  for (const char* table : {"sample", "launch", "counter", "timeline", "output_error"}) {
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

TEST_F(StoreTest, importing_copies_everything_once) {
  const std::filesystem::path source = folder_ / "source.db";
  write_synthetic_database(source, 120, 3);
  {
    Store writer(source);
    writer.set_measurement_note(1, "a note");
    writer.set_starred(1, true);
  }
  Store store(file_);
  store.add(begin(store), synthetic_measurement(7));
  EXPECT_EQ(store.import(source), 120);
  EXPECT_EQ(store.import(source), 0);
  const Snapshot copy(file_), original(source);
  ASSERT_THAT(copy.sweeps(), SizeIs(2));
  const SweepInfo sweep = copy.sweep(2).value(), of_source = original.sweep(1).value();
  EXPECT_EQ(sweep.uuid, of_source.uuid);
  EXPECT_EQ(sweep.started, of_source.started);
  EXPECT_EQ(sweep.finished, of_source.finished);
  EXPECT_EQ(sweep.note, of_source.note);
  EXPECT_EQ(sweep.request_json, of_source.request_json);
  EXPECT_TRUE(sweep.starred);
  EXPECT_EQ(sweep.environment, of_source.environment);
  EXPECT_EQ(copy.note(2), "a note");
  const std::vector<ResultRow> rows = copy.results(2), source_rows = original.results(1);
  ASSERT_EQ(rows.size(), source_rows.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    expect_same(*copy.measurement(rows[n].measurement), *original.measurement(source_rows[n].measurement));
    EXPECT_EQ(rows[n].tflops, source_rows[n].tflops);
    EXPECT_EQ(rows[n].peak_fraction, source_rows[n].peak_fraction);
  }
  EXPECT_THAT(copy.damage(), IsEmpty());
}

TEST_F(StoreTest, importing_completes_a_sweep_that_was_partly_copied) {
  const std::filesystem::path source = folder_ / "source.db";
  Store writer(source);
  const std::int64_t sweep = begin(writer);
  Measurement cancelled = synthetic_measurement(1);
  cancelled.status = Status::cancelled;
  writer.add(sweep, synthetic_measurement(0));
  writer.add(sweep, cancelled);
  Store store(file_);
  EXPECT_EQ(store.import(source), 2);
  writer.add(sweep, synthetic_measurement(1));  // resumed at the source
  writer.add(sweep, synthetic_measurement(2));
  writer.finish_sweep(sweep);
  EXPECT_EQ(store.import(source), 2);
  EXPECT_EQ(store.import(source), 0);
  const Snapshot snapshot(file_);
  ASSERT_THAT(snapshot.sweeps(), SizeIs(1));
  EXPECT_EQ(snapshot.sweeps()[0].ok, 3);
  EXPECT_NE(snapshot.sweeps()[0].finished, "");
}

TEST_F(StoreTest, importing_the_database_itself_is_refused) {
  Store store(file_);
  begin(store);
  EXPECT_THROW(store.import(file_), Error);
  std::filesystem::create_symlink(file_, folder_ / "link.db");
  EXPECT_THROW(store.import(folder_ / "link.db"), Error);
}

TEST_F(StoreTest, two_stores_create_and_fill_one_file_at_once) {
  constexpr std::int64_t kEach = 30;
  const auto fill = [&](std::int64_t first) {
    Store store(file_);
    const std::int64_t sweep = begin(store, kEach);
    for (std::int64_t n = 0; n < kEach; ++n) store.add(sweep, synthetic_measurement(first + n, 20));
  };
  std::thread one(fill, 0), two(fill, 1000);
  one.join();
  two.join();
  const Snapshot snapshot(file_);
  EXPECT_THAT(snapshot.results(1), SizeIs(kEach));
  EXPECT_THAT(snapshot.results(2), SizeIs(kEach));
  EXPECT_THAT(snapshot.damage(), IsEmpty());
}

TEST_F(StoreTest, a_snapshot_sees_what_was_committed_and_tells_that_something_changed) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Snapshot snapshot(file_);
  const std::int64_t version = snapshot.data_version();
  EXPECT_EQ(snapshot.data_version(), version);
  store.add(sweep, synthetic_measurement(0));
  EXPECT_NE(snapshot.data_version(), version);
  EXPECT_THAT(snapshot.results(), SizeIs(1));
}

TEST_F(StoreTest, the_log_is_tidied_away_when_the_last_connection_closes) {
  {
    Store store(file_);
    begin(store);
    const Snapshot snapshot(file_);
  }
  EXPECT_THAT(Snapshot(file_).sweeps(), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.db-wal"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.db-shm"));
}

TEST_F(StoreTest, odd_file_names_work) {
  for (const char* name : {"with space.db", "100%.db", "what?.db", "a#b.db", "file:x.db", ":memory:", "ümlaut.db"}) {
    const std::filesystem::path file = folder_ / name;
    {
      Store store(file);
      begin(store);
    }
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << name;
    EXPECT_THAT(Snapshot(file).sweeps(), SizeIs(1)) << name;
  }
}

TEST(DefaultDatabase, lies_in_the_users_data_folder) {
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(default_database(), "/data/triscope/results.db");
  ::setenv("XDG_DATA_HOME", "relative", 1);  // the XDG rules say to ignore it
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(default_database(), "/home/someone/.local/share/triscope/results.db");
  ::unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace triscope
