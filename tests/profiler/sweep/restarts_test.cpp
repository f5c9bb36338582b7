// Restarts of a sweep, with real workers: how they are spread, stored and resumed.
#include "profiler/sweep/restarts.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/base/text/number_of.hpp"
#include "profiler/plan/progress.hpp"
#include "profiler/record/words/kernel_remark.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/store.hpp"
#include "profiler/sweep/sweep.hpp"
#include "tests/profiler/sweep/bad_worker_sweep.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class Restarts : public BadWorkerSweep {
 protected:
  static SweepRequest request() {
    SweepRequest r = tiny_sweep({"test.good"});
    r.passes = {Pass::forward};
    r.restarts = 3;
    return r;
  }
};

TEST_F(Restarts, each_row_is_measured_in_several_restarts_spread_over_the_sweep) {
  std::int64_t announced = 0, total = 0;
  SweepObserver observer;
  observer.measured = [&](const Measurement& m, std::int64_t) { announced += m.summary.restarts == 3; };
  observer.progress = [&](const Progress& p) { total = p.total; };
  const SweepRequest r = request();
  const SweepOutcome outcome = run_sweep(r, database(), observer, {});
  EXPECT_EQ(outcome.ok, 3);
  EXPECT_EQ(outcome.measured_now, 3);
  EXPECT_EQ(announced, 3) << "each row once";
  EXPECT_EQ(total, 9);
  const Snapshot snapshot(database());
  std::map<std::int64_t, std::vector<std::int64_t>> begun;  // unix time in ns, by restart
  for (const ResultRow& row : snapshot.results(outcome.sweep)) {
    EXPECT_EQ(row.restarts, 3);
    EXPECT_EQ(row.reason.find("of 3 restarts"), std::string::npos) << row.reason;
    const Measurement m = *snapshot.measurement(row.measurement);
    std::set<std::int64_t> restarts;
    for (const Sample& sample : m.samples) {
      if (restarts.insert(sample.restart).second)
        begun[sample.restart].push_back(m.started_unix_ns + sample.started_ns);
    }
    EXPECT_EQ(restarts, (std::set<std::int64_t>{0, 1, 2}));
  }
  ASSERT_THAT(begun, SizeIs(3));
  for (const std::int64_t restart : {0, 1}) {
    EXPECT_LT(*std::max_element(begun[restart].begin(), begun[restart].end()),
              *std::min_element(begun[restart + 1].begin(), begun[restart + 1].end()))
        << "a restart begins when all rows have had the one before";
  }
  EXPECT_GT(snapshot.spread(outcome.sweep).times.degrees, 0) << "pooled over the rows";
}

/// Three blocks of two samples each, one a process, a thousandth apart.
Measurement of_three_blocks() {
  Measurement measurement;
  for (std::int64_t n = 0; n < 6; ++n) {
    Sample sample;
    sample.block = n / 2;
    sample.restart = n / 2;
    sample.duration_ns = 1'000'000 + 1000 * (n / 2);
    measurement.samples.push_back(sample);
  }
  return measurement;
}

/// Half its interval, of its median.
double measurement_spread(const Measurement& measurement) {
  const Summary& of = measurement.summary;
  return *spread_percent(of.median_ms, of.ci_low_ms, of.ci_high_ms) / 100;
}

TEST(RestartRemarks, a_narrow_interval_of_too_few_blocks_is_not_called_too_wide) {
  SweepRequest request;
  request.restarts = 3;
  request.stopping.precision = 0.05;
  Measurement measurement = of_three_blocks();
  summarize_restarts(measurement, request, {});
  EXPECT_THAT(measurement.reason, HasSubstr("narrow enough, but 3 blocks are too few to trust"));
  // Up to 1.25 times what is asked for converges, so of such an interval the blocks are what is missing.
  request.stopping.precision = measurement_spread(measurement) / 1.1;
  summarize_restarts(measurement, request, {});
  EXPECT_THAT(measurement.reason, HasSubstr("narrow enough, but 3 blocks are too few to trust"));
  request.stopping.precision = measurement_spread(measurement) / 1.4;
  summarize_restarts(measurement, request, {});
  EXPECT_THAT(measurement.reason, testing::EndsWith("% was asked for"));
  request.stopping.precision = 1e-6;
  summarize_restarts(measurement, request, {});
  EXPECT_THAT(measurement.reason, HasSubstr("0.00010 % was asked for"));
}

TEST(RestartRemarks, what_older_versions_stored_of_a_narrow_interval_is_corrected) {
  const std::string narrow = "not converged: +-0.44 % over 3 restarts", modes = "; two modes: 1 ms and 2 ms";
  EXPECT_EQ(corrected_reason(narrow + ", 1.0 % was asked for" + modes),
            narrow + " is narrow enough, but its blocks are too few to trust" + modes);
  EXPECT_EQ(corrected_reason("not converged: +-1.2 % over 3 restarts, 1.0 % was asked for"),
            "not converged: +-1.2 % over 3 restarts is narrow enough, but its blocks are too few to trust")
      << "1.25 % ends it";
  for (const std::string& stays :
       {narrow + ", 0.20 % was asked for", std::string("not converged: +-1.3 % over 3 restarts, 1.0 % was asked for"),
        narrow + " is narrow enough, but 3 blocks are too few to trust: at least 8",
        std::string("not converged: one sample after 1.3 s, 0.5 % was asked for"), std::string("2 of 3 restarts"),
        std::string("failed, 1.0 % was asked for"), std::string()})
    EXPECT_EQ(corrected_reason(stays), stays);
}

TEST(RestartRemarks, what_the_kernel_said_stays_whatever_the_samples_say) {
  SweepRequest request;
  request.restarts = 3;
  request.stopping.precision = 1e-6;
  Measurement measurement = of_three_blocks();
  measurement.reason = "not converged: +-2 % after 1 s, 1 % was asked for; " +
                       beyond_half_remark(Fold::query_k2, Fold::half_k2) + "; two modes: 1 ms and 2 ms";
  for (int again = 0; again < 2; ++again) {
    summarize_restarts(measurement, request, {});
    EXPECT_THAT(measurement.reason,
                testing::StartsWith("query_k2 instead of half_k2: the inputs are beyond the range of fp16; "));
    EXPECT_THAT(measurement.reason, HasSubstr("0.00010 % was asked for"));
    EXPECT_THAT(measurement.reason, testing::Not(HasSubstr("after 1 s")));
  }
}

TEST(RestartRemarks, one_of_them_says_that_a_row_did_not_converge) {
  const std::string narrow = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for",
                    of_kernel = beyond_half_remark(Fold::query_k2, Fold::half_k2);
  ResultRow row;
  for (const std::string& reason : {narrow, of_kernel + "; " + narrow, "2 of 3 restarts; " + narrow + "; two modes"}) {
    row.reason = reason;
    EXPECT_FALSE(has_converged(row)) << reason;
  }
  for (const std::string& reason :
       {std::string(), of_kernel, of_kernel + "; two modes", std::string("its search has not converged; two modes")}) {
    row.reason = reason;
    EXPECT_TRUE(has_converged(row)) << reason;
  }
}

TEST_F(Restarts, resuming_measures_the_restarts_that_are_missing) {
  std::stop_source stop;
  SweepObserver observer;
  observer.progress = [&](const Progress& p) {
    if (p.done >= 4) stop.request_stop();  // three rows once, and one of them again
  };
  const SweepRequest r = request();
  const SweepOutcome first = run_sweep(r, database(), observer, stop.get_token());
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.ok, 3);
  std::int64_t restarts = 0;
  for (const ResultRow& row : Snapshot(database()).results(first.sweep)) {
    restarts += row.restarts;
    EXPECT_THAT(row.reason, HasSubstr("of 3 restarts"));
  }
  EXPECT_GE(restarts, 4);
  EXPECT_LT(restarts, 9);
  const SweepOutcome second = run_sweep({}, database(), {}, {}, first.sweep);
  EXPECT_FALSE(second.stopped);
  EXPECT_EQ(second.measured_now, 0) << "each has its first restart";
  EXPECT_GT(second.repeated_now, 0);
  for (const ResultRow& row : Snapshot(database()).results(first.sweep)) EXPECT_EQ(row.restarts, 3);
  EXPECT_EQ(run_sweep({}, database(), {}, {}, first.sweep).repeated_now, 0);
}

// As if everything so far had been measured on another host, by another build.
void measured_elsewhere(const std::filesystem::path& database) {
  SQLite::Database(database.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE environment SET host = 'elsewhere', git_commit = 'aaaaaaaaaaaa', driver_version = '1'");
}

TEST_F(Restarts, resuming_elsewhere_begins_anew_what_lacks_restarts_and_leaves_what_is_whole) {
  std::stop_source stop;
  SweepObserver observer;
  observer.progress = [&](const Progress& p) {
    if (p.done >= 7) stop.request_stop();  // one row three times, the others twice
  };
  const std::int64_t sweep = run_sweep(request(), database(), observer, stop.get_token()).sweep;
  measured_elsewhere(database());
  std::map<std::int64_t, Measurement> before;
  std::int64_t whole = 0;
  for (const ResultRow& row : Snapshot(database()).results(sweep)) {
    before[row.measurement] = *Snapshot(database()).measurement(row.measurement);
    whole += row.restarts == 3;
  }
  ASSERT_GT(whole, 0);
  ASSERT_LT(whole, 3);
  std::string log;
  SweepObserver elsewhere;
  elsewhere.log = [&](const std::string& line) { log += line + "\n"; };
  const SweepOutcome second = run_sweep({}, database(), elsewhere, {}, sweep);
  EXPECT_FALSE(second.stopped);
  EXPECT_EQ(second.measured_now, 3 - whole);
  const Snapshot snapshot(database());
  for (const ResultRow& row : snapshot.results(sweep)) {
    EXPECT_EQ(row.restarts, 3);
    const Measurement& old = before.at(row.measurement);
    const Measurement now = *snapshot.measurement(row.measurement);
    const bool was_whole = old.summary.restarts == 3;
    EXPECT_EQ(snapshot.environment(row.measurement).value().host == "elsewhere", was_whole) << "a row names its own";
    EXPECT_EQ(now.started_unix_ns == old.started_unix_ns, was_whole) << "no sample of the other host is left";
  }
  EXPECT_THAT(log, HasSubstr(fmt::format("{} begun anew: ", number_of(3 - whole, "measurement"))));
  EXPECT_THAT(log, HasSubstr("commit aaaaaaaaaaaa (not "));
  EXPECT_THAT(log, HasSubstr("host elsewhere (not "));
}

TEST_F(Restarts, a_cancelled_beginning_elsewhere_leaves_what_is_there) {
  std::stop_source stop;
  SweepObserver observer;
  observer.progress = [&](const Progress& p) {
    if (p.done >= 4) stop.request_stop();
  };
  const std::int64_t sweep = run_sweep(request(), database(), observer, stop.get_token()).sweep;
  measured_elsewhere(database());
  std::stop_source at_once;
  at_once.request_stop();
  run_sweep({}, database(), {}, at_once.get_token(), sweep);
  const Snapshot snapshot(database());
  EXPECT_THAT(snapshot.results(sweep), SizeIs(3));
  for (const ResultRow& row : snapshot.results(sweep)) {
    EXPECT_EQ(row.status, Status::ok);
    EXPECT_EQ(snapshot.environment(row.measurement).value().host, "elsewhere");
  }
}

TEST_F(Restarts, a_kernel_that_is_wrong_in_a_later_process_fails) {
  setenv("TRISCOPE_TEST_MARK", (folder_.path() / "mark").c_str(), 1);
  SweepRequest r = request();
  r.kernels = {"test.wrong_later"};
  r.windows = {{5, 3}};
  const SweepOutcome outcome = run_sweep(r, database(), {}, {});
  unsetenv("TRISCOPE_TEST_MARK");
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_THAT(Snapshot(database()).results(outcome.sweep).front().reason,
              HasSubstr("restart 2 of 3: wrong result: o: "));
}

TEST_F(Restarts, resuming_pools_what_a_run_was_killed_before) {
  const std::int64_t sweep = run_sweep(request(), database(), {}, {}).sweep;
  const SweepSpread whole = Snapshot(database()).spread(sweep);
  // As after a resumed run that added a restart and was killed: the spread is that of the run before.
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE sweep SET finished_unix_ns = NULL, time_variance = 42, time_degrees = 1");
  EXPECT_EQ(run_sweep({}, database(), {}, {}, sweep).measured_now, 0);
  EXPECT_DOUBLE_EQ(Snapshot(database()).spread(sweep).times.variance, whole.times.variance);
  EXPECT_DOUBLE_EQ(Snapshot(database()).spread(sweep).times.degrees, whole.times.degrees);
}

TEST_F(Restarts, the_reference_takes_turns_with_every_group_in_every_restart) {
  SweepRequest r = request();
  r.kernels = {"cpu.fast", "baseline.cpu"};
  const SweepOutcome outcome = run_sweep(r, database(), {}, {});
  EXPECT_EQ(outcome.ok, 4) << "the reference is one row";
  const Snapshot snapshot(database());
  const auto series = snapshot.series_of_sweep(outcome.sweep);
  const SampleSeries* reference = nullptr;
  for (const ResultRow& row : snapshot.results(outcome.sweep)) {
    if (row.kernel == "baseline.cpu") reference = &series.at(row.measurement);
  }
  ASSERT_NE(reference, nullptr);
  EXPECT_THAT(reference->turns, SizeIs(2)) << "of the windows after the first";
  for (const ResultRow& row : snapshot.results(outcome.sweep)) {
    const SampleSeries& own = series.at(row.measurement);
    const std::vector<Sample>* beside = reference->in_turns_with(own.group);
    ASSERT_NE(beside, nullptr) << row.problem.window1;
    std::set<std::pair<std::int64_t, std::int64_t>> places, places_beside;
    for (const Sample& sample : own.samples) places.emplace(sample.restart, sample.block);
    for (const Sample& sample : *beside) places_beside.emplace(sample.restart, sample.block);
    EXPECT_EQ(places, places_beside);
    EXPECT_THAT(places, SizeIs(3));
  }
  // How many degrees of freedom they lend each other depends on how unequal the machine made them.
  EXPECT_GT(snapshot.spread(outcome.sweep).ratios.degrees, 0) << "one pair alone would lend nothing";
}

TEST_F(Restarts, the_turns_of_a_reference_survive_an_import) {
  SweepRequest r = request();
  r.kernels = {"cpu.fast", "baseline.cpu"};
  r.restarts = 1;
  run_sweep(r, database(), {}, {});
  const std::filesystem::path copy = folder_.path() / "copy.db";
  Store(copy).import(database());
  const auto turns_of = [](const std::filesystem::path& file) {
    std::map<std::int64_t, std::size_t> turns;
    const Snapshot snapshot(file);
    for (const auto& [row, series] : snapshot.series_of_sweep(1)) {
      for (const auto& [group, samples] : series.turns) turns[group] = samples.size();
    }
    return turns;
  };
  EXPECT_THAT(turns_of(copy), SizeIs(2));
  EXPECT_EQ(turns_of(copy), turns_of(database()));
}

TEST_F(Restarts, a_restart_that_fails_makes_its_row_fail_and_keeps_the_samples) {
  Measurement stored;
  stored.samples = {Sample{.duration_ns = 1000}};
  stored.summary.restarts = 1;
  Measurement again;
  again.status = Status::failed;
  again.reason = "the worker died";
  const Measurement failed = with_restart(stored, again, request(), {});
  EXPECT_EQ(failed.status, Status::failed);
  EXPECT_EQ(failed.reason, "restart 2 of 3: the worker died");
  EXPECT_THAT(failed.samples, SizeIs(1));
}

TEST_F(Restarts, a_restart_that_a_stop_left_unchecked_marks_its_row) {
  Measurement stored, again;
  stored.samples = again.samples = {Sample{.duration_ns = 1000}};
  stored.summary.restarts = 1;
  again.reason = "not converged; " + std::string(kUncheckedAfter);
  const Measurement marked = with_restart(stored, again, request(), {});
  EXPECT_THAT(marked.reason, HasSubstr(std::string(kUncheckedAfter)));
  again.reason.clear();
  const Measurement whole = with_restart(marked, again, request(), {});
  EXPECT_EQ(whole.reason.find(kUncheckedAfter), whole.reason.rfind(kUncheckedAfter)) << "once";
  EXPECT_THAT(whole.reason, HasSubstr(std::string(kUncheckedAfter)));
}

}  // namespace
}  // namespace triscope
