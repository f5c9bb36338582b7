// What is written is what is read, exactly.
#include "profiler/store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <limits>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using fixture::expect_same;
using fixture::expect_same_samples;
using fixture::StoreTest;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A measurement with every field away from its default, and the hard values: extremes, NaN, infinities, odd text.
Measurement extreme_measurement() {
  Measurement m = synthetic_measurement(3, 5);
  m.key.problem = {
      Form::determinant, Mask::full, Element::fp32, true, 3, 77, 12, 4, 96, 13, 7, 0.1, -0.3, 1e-300, -2.5};
  m.key.device_id = "1";
  m.reason = "a remark with \"quotes\", a \\, a %, umlauts äöü";
  m.errors["grad_q"] = std::numeric_limits<double>::quiet_NaN();
  m.samples[1].throttle_bits = 0xFFFF'FFFF'FFFF'FFFFu;
  m.samples[2].sm_clock_mhz.reset();
  m.samples[2].power_w.reset();
  m.samples[2].temperature_c.reset();
  m.samples[2].throttle_bits.reset();
  m.samples[4].duration_ns = std::numeric_limits<std::int64_t>::max();
  m.summary = summarize(m.samples, StoppingRule{});
  m.summary.ci_low_ms = -std::numeric_limits<double>::infinity();
  m.summary.ci_high_ms = std::numeric_limits<double>::infinity();
  m.summary.converged = false;
  m.cross_check = {TimingSource::cpu_clock, 1.25, std::nullopt, 1e300, 7, "a reason"};
  m.counters_note = "not permitted";
  m.counters.push_back({"broken", "", std::numeric_limits<double>::quiet_NaN()});
  m.launches.push_back(m.launches.front());
  m.launches.back().local_bytes_per_thread = 16;
  m.group = -1;
  return m;
}

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

TEST_F(StoreTest, an_interval_that_says_nothing_is_in_no_row) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  Measurement m = synthetic_measurement(24);
  m.reason = "not converged: +-0.44 % over 3 restarts, 1.0 % was asked for";
  for (const double reach : {0.9, 1.1}) {  // of the median
    m.summary.ci_low_ms = 0.05 * m.summary.median_ms;
    m.summary.ci_high_ms = m.summary.ci_low_ms + 2 * reach * m.summary.median_ms;
    m.key.problem.seq_len *= 2;
    store.add(sweep, m);
  }
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_TRUE(rows[0].ci_low_ms && rows[0].ci_high_ms) << "+-90 %";
  EXPECT_FALSE(rows[1].ci_low_ms || rows[1].ci_high_ms) << "+-110 %: `show` and `export` both say unknown";
  for (const ResultRow& row : rows) EXPECT_THAT(row.reason, HasSubstr("its blocks are too few to trust"));
  EXPECT_THAT(Snapshot(file_).measurement(rows[0].measurement)->reason, HasSubstr("its blocks are too few to trust"));
}

TEST_F(StoreTest, the_result_view_says_what_was_measured_with_rates_from_the_flop_counts) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  Measurement m = synthetic_measurement(24);
  m.counters = {{"sm__cycles_elapsed.max", "cycle", 2e6}, {"sm__cycles_elapsed.avg.per_second", "Hz", 1.6e9}};
  m.summary.limiter = "sw_power_cap";
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
  const double flops_per_cycle = 989.5e12 / 1980e6;
  EXPECT_NEAR(row.peak_fraction.value(), useful_flops(m.key.problem, m.key.pass) / (2e6 * flops_per_cycle), 1e-6);
  EXPECT_EQ(row.counted_clock_mhz, 1600);
  EXPECT_EQ(row.restarts, 1);
  EXPECT_EQ(row.power_w, m.summary.power_w);
  EXPECT_EQ(row.power_limit_w, 700);
  EXPECT_NEAR(row.joules.value(), *m.summary.power_w * m.summary.median_ms * 1e-3, 1e-9);
  EXPECT_NEAR(row.joules_per_tflop.value(), *m.summary.power_w / tflops, 1e-9);
  EXPECT_EQ(row.limiter, "sw_power_cap");
  EXPECT_EQ(row.max_sm_clock_mhz, 1980);
}

TEST_F(StoreTest, a_peak_fraction_is_given_only_where_the_peak_is_known) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Measurement not_counted = synthetic_measurement(0);
  const std::vector<Counter> counted{{"sm__cycles_elapsed.max", "cycle", 2e6}};
  Measurement other_device = synthetic_measurement(1);
  other_device.key.device_id = "cpu";
  Measurement other_element = synthetic_measurement(2);
  other_element.key.problem.element = Element::fp32;
  other_device.counters = other_element.counters = counted;
  for (const Measurement& m : {not_counted, other_device, other_element}) store.add(sweep, m);
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
  for (const Measurement& m : variants)
    keys.push_back({m.key, m.source_hash, static_cast<std::int64_t>(keys.size()) + 1, m.summary.restarts});
  EXPECT_EQ(Snapshot(file_).finished_keys(sweep), keys);
}

}  // namespace
}  // namespace triscope
