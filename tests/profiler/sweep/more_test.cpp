// What a person asks of a sweep while it is measured, with real workers: rows left out, measured again, measured
// longer.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "profiler/plan/progress.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/sweep_queue.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/store/store.hpp"
#include "profiler/sweep/stored_sweep.hpp"
#include "profiler/sweep/sweep.hpp"
#include "tests/profiler/sweep/bad_worker_sweep.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class More : public BadWorkerSweep {
 protected:
  static SweepRequest request(std::vector<std::string> kernels = {"test.good"}) {
    SweepRequest r = tiny_sweep(std::move(kernels));
    r.passes = {Pass::forward};
    r.restarts = 3;
    return r;
  }
  SweepOutcome resume(std::int64_t sweep, const std::function<void(SweepControl&)>& wish) {
    SweepObserver observer;
    observer.control = std::make_shared<SweepControl>();
    observer.log = [this](const std::string& line) { log_ += line + "\n"; };
    wish(*observer.control);
    return run_sweep({}, database(), observer, {}, sweep);
  }
  // Gives the samples times with which the ratio of any two rows is below 1, 1 and above 1 in the three restarts. (How
  // far restarts scatter in general is also known from the rows as they were measured, so only a ratio about 1 is
  // unclear whatever that was.)
  void make_unclear() const {
    SQLite::Database file(database().string(), SQLite::OPEN_READWRITE);
    for (const char* table : {"sample", "turn_sample"}) {
      file.exec(std::string("UPDATE ") + table +
                " SET flag = NULL, duration_ns = 1000000 + 50000 * (restart - 1) * measurement");
    }
  }
  std::vector<ResultRow> rows(std::int64_t sweep) const { return Snapshot(database()).results(sweep); }
  std::string log_;
};

TEST_F(More, the_queue_holds_each_part_once_a_restart_and_stages_go_through_it) {
  std::shared_ptr<const SweepQueue> queue;
  std::vector<SweepStage> stages;
  SweepObserver observer;
  observer.queued = [&](std::shared_ptr<const SweepQueue> told) { queue = std::move(told); };
  observer.began = [&](const SweepStage& stage) { stages.push_back(stage); };
  run_sweep(request(), database(), observer, {});
  ASSERT_NE(queue, nullptr);
  EXPECT_THAT(queue->parts, SizeIs(3));
  ASSERT_THAT(queue->groups, SizeIs(9));
  ASSERT_THAT(stages, SizeIs(9));
  for (std::size_t n = 0; n < stages.size(); ++n) {
    EXPECT_EQ(stages[n].group, n);
    EXPECT_EQ(queue->groups[n].restart, static_cast<std::int64_t>(n / 3));
    EXPECT_GT(queue->groups[n].seconds, 0);
    EXPECT_EQ(stages[n].keys, queue->parts[queue->groups[n].part]);
    EXPECT_EQ(stages[n].rows.front() > 0, n >= 3) << "stored from the second restart on";
  }
}

TEST_F(More, what_is_left_out_stays_missing_and_is_measured_by_resuming) {
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  observer.queued = [&](const std::shared_ptr<const SweepQueue>& queue) {
    for (std::size_t n = 0; n < queue->groups.size(); ++n) {
      if (queue->groups[n].part == 1) observer.control->skip(n);
    }
  };
  const SweepOutcome first = run_sweep(request(), database(), observer, {});
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.ok, 2);
  EXPECT_EQ(Snapshot(database()).sweep(first.sweep)->finished, "");
  for (const ResultRow& row : rows(first.sweep)) EXPECT_EQ(row.restarts, 3);
  const SweepOutcome second = run_sweep({}, database(), {}, {}, first.sweep);
  EXPECT_FALSE(second.stopped);
  EXPECT_EQ(second.ok, 3);
  for (const ResultRow& row : rows(first.sweep)) EXPECT_EQ(row.restarts, 3);
}

TEST_F(More, what_is_moved_to_the_front_is_measured_first_in_that_restart) {
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  std::vector<std::size_t> begun;
  observer.queued = [&](const std::shared_ptr<const SweepQueue>& queue) {
    if (queue->groups.size() == 9) observer.control->move(5, -100);
  };
  observer.began = [&](const SweepStage& stage) { begun.push_back(stage.group); };
  const SweepOutcome outcome = run_sweep(request(), database(), observer, {});
  EXPECT_EQ(begun, (std::vector<std::size_t>{0, 1, 2, 5, 3, 4, 6, 7, 8}));
  EXPECT_FALSE(outcome.stopped);
  EXPECT_THAT(observer.control->waiting(), SizeIs(0));
  for (const ResultRow& row : rows(outcome.sweep)) EXPECT_EQ(row.restarts, 3);
}

TEST(SweepControl, a_group_moves_among_those_of_its_restart_only) {
  SweepControl control;
  for (const std::int64_t restart : {0, 0, 0, 1, 1}) control.add(restart);
  EXPECT_EQ(control.take_next(), 0U);
  using Order = std::vector<std::size_t>;
  control.move(1, 1);
  EXPECT_EQ(control.waiting(), (Order{2, 1, 3, 4}));
  control.move(1, 1);
  control.move(3, -1);
  EXPECT_EQ(control.waiting(), (Order{2, 1, 3, 4})) << "the next one is another restart";
  control.move(4, -7);
  EXPECT_EQ(control.waiting(), (Order{2, 1, 4, 3}));
  control.move(0, 1);
  control.move(17, 1);
  EXPECT_EQ(control.waiting(), (Order{2, 1, 4, 3})) << "one that has begun, and one that there is not, stay";
  EXPECT_EQ(control.take_next(), 2U);
}

TEST_F(More, skipping_what_is_in_work_keeps_its_samples_and_goes_on) {
  SweepRequest r = request({"test.slow"});
  r.restarts = 1;
  r.stopping = {1e-9, 3'600'000'000'000, 8, 1'000'000};
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  std::size_t at = 0;
  observer.began = [&](const SweepStage& stage) { at = stage.group; };
  observer.sampled = [&](const MeasurementKey&, const std::vector<Sample>&) { observer.control->skip(at); };
  const SweepOutcome outcome = run_sweep(r, database(), observer, {});
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.cancelled, 3);
  EXPECT_EQ(at, 2u) << "each was begun";
  for (const ResultRow& row : rows(outcome.sweep)) {
    EXPECT_GT(row.samples, 0);
    EXPECT_EQ(row.reason, "skipped by the user");
    EXPECT_EQ(status_word(row), "skipped");
  }
}

TEST_F(More, a_stop_keeps_the_row_in_work_as_a_restart_of_its_own) {
  SweepRequest r = request({"test.slow"});
  r.windows.resize(1);
  // The first restart never ends by itself; it is stopped when it has blocks enough.
  r.stopping = {1e-9, 3'600'000'000'000, 8, 1'000'000};
  std::stop_source stop;
  std::set<std::int64_t> blocks;
  SweepObserver observer;
  observer.sampled = [&](const MeasurementKey&, const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) blocks.insert(sample.block);
    if (std::ssize(blocks) >= 10) stop.request_stop();
  };
  const SweepOutcome stopped = run_sweep(r, database(), observer, stop.get_token());
  EXPECT_TRUE(stopped.stopped);
  EXPECT_EQ(stopped.cancelled, 0);
  const std::vector<ResultRow> first = rows(stopped.sweep);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first.front().status, Status::ok);
  EXPECT_EQ(first.front().restarts, 1);
  EXPECT_GT(first.front().median_ms, 0);
  EXPECT_THAT(first.front().reason, HasSubstr("1 of 3 restarts"));
  EXPECT_EQ(Snapshot(database()).sweep(stopped.sweep)->finished, "");
  const std::vector<Sample> kept = Snapshot(database()).samples(first.front().measurement);

  // Each later one is stopped, too, and skipped as a person would: the restarts before stay as they are.
  for (std::int64_t restart = 2; restart <= 3; ++restart) {
    std::stop_source again;
    blocks.clear();
    observer.sampled = [&](const MeasurementKey&, const std::vector<Sample>& samples) {
      for (const Sample& sample : samples) blocks.insert(sample.block);
      if (std::ssize(blocks) >= 10) again.request_stop();
    };
    run_sweep({}, database(), observer, again.get_token(), stopped.sweep);
    const ResultRow row = rows(stopped.sweep).front();
    EXPECT_EQ(row.restarts, restart) << row.reason;
    std::vector<Sample> now = Snapshot(database()).samples(row.measurement);
    EXPECT_EQ(now.back().restart, restart - 1);
    now.resize(kept.size());
    for (std::size_t n = 0; n < kept.size(); ++n) {
      EXPECT_EQ(now[n].restart, 0);
      EXPECT_EQ(now[n].duration_ns, kept[n].duration_ns);
    }
  }
}

TEST_F(More, what_is_skipped_in_work_has_no_further_restart_in_this_run) {
  SweepRequest r = request({"test.slow"});
  r.windows.resize(1);
  r.stopping = {1e-9, 3'600'000'000'000, 8, 1'000'000};
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  std::set<std::int64_t> blocks;
  std::vector<std::size_t> begun;
  observer.began = [&](const SweepStage& stage) { begun.push_back(stage.group); };
  observer.sampled = [&](const MeasurementKey&, const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) blocks.insert(sample.block);
    if (std::ssize(blocks) >= 10) observer.control->skip(begun.back());
  };
  const SweepOutcome outcome = run_sweep(r, database(), observer, {});
  EXPECT_EQ(begun, (std::vector<std::size_t>{0}));
  EXPECT_TRUE(outcome.stopped) << "two restarts are missing";
  EXPECT_EQ(rows(outcome.sweep).front().restarts, 1);
}

TEST_F(More, a_row_measured_again_has_one_more_restart_together_with_what_took_turns_with_it) {
  const SweepRequest r = request({"cpu.fast", "baseline.cpu"});
  const std::int64_t sweep = run_sweep(r, database(), {}, {}).sweep;
  const std::string before = Snapshot(database()).sweep(sweep)->finished;
  ASSERT_NE(before, "");
  const std::vector<ResultRow> old = rows(sweep);
  const auto asked = std::ranges::find_if(old, [](const ResultRow& row) { return row.kernel == "cpu.fast"; });
  const SweepOutcome outcome = resume(sweep, [&](SweepControl& control) { control.measure_again(asked->measurement); });
  EXPECT_FALSE(outcome.stopped);
  const Snapshot snapshot(database());
  EXPECT_NE(snapshot.sweep(sweep)->finished, "") << "it is finished again";
  const auto series = snapshot.series_of_sweep(sweep);
  const std::int64_t group = series.at(asked->measurement).group;
  std::size_t with_four = 0;
  for (const ResultRow& row : rows(sweep)) {
    EXPECT_EQ(row.restarts, series.at(row.measurement).group == group ? 4 : 3) << row.kernel << row.problem.window1;
    with_four += row.restarts == 4;
    std::set<std::int64_t> restarts;
    for (const Sample& sample : series.at(row.measurement).samples) restarts.insert(sample.restart);
    EXPECT_THAT(restarts, SizeIs(static_cast<std::size_t>(row.restarts)));
    EXPECT_EQ(row.reason.find("restarts\""), std::string::npos);
  }
  EXPECT_GE(with_four, 1u);
  EXPECT_LT(with_four, old.size());
}

TEST_F(More, a_row_in_work_is_measured_longer_at_once_in_the_queue_and_by_resuming) {
  SweepRequest r = request();
  r.restarts = 2;
  std::stop_source stop;
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  std::shared_ptr<const SweepQueue> queue;
  std::size_t told_in_work = 0, at = 99;
  std::optional<double> after;
  std::int64_t total = 0;
  observer.queued = [&](std::shared_ptr<const SweepQueue> told) {
    if (queue) told_in_work = at;
    queue = std::move(told);
  };
  observer.began = [&](const SweepStage& stage) {
    at = stage.group;
    if (at == 1) observer.control->measure_longer({{1}, {}});
    if (at == 6) stop.request_stop();
  };
  observer.progress = [&](const Progress& progress) {
    if (at == 1 && queue->groups.size() == 8) after = progress.seconds_left;
    if (queue->groups.size() == 8) total = progress.total;
  };
  const SweepOutcome first = run_sweep(r, database(), observer, stop.get_token());
  ASSERT_THAT(queue->groups, SizeIs(8));
  EXPECT_EQ(told_in_work, 1U) << "while it was in work";
  for (const std::size_t n : {6U, 7U}) {
    EXPECT_EQ(queue->groups[n].part, 1U);
    EXPECT_EQ(queue->groups[n].restart, static_cast<std::int64_t>(n - 4));
    EXPECT_GT(queue->groups[n].seconds, 0);
  }
  EXPECT_TRUE(after) << "the forecast knows of it";
  EXPECT_EQ(total, 8);
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(Snapshot(database()).sweep(first.sweep)->finished, "");
  const SweepOutcome second = run_sweep({}, database(), {}, {}, first.sweep);
  EXPECT_FALSE(second.stopped);
  const std::vector<ResultRow> all = rows(first.sweep);
  for (std::size_t n = 0; n < all.size(); ++n) EXPECT_EQ(all[n].restarts, n == 1 ? 4 : 2);
  EXPECT_EQ(run_sweep({}, database(), {}, {}, first.sweep).repeated_now, 0) << "it has what was asked for";
}

TEST_F(More, a_stored_row_is_measured_longer_and_the_wish_is_taken_back_by_leaving_it_out) {
  const std::int64_t sweep = run_sweep(request(), database(), {}, {}).sweep;
  const std::string asked = Snapshot(database()).sweep(sweep)->request_json;
  const std::int64_t row = rows(sweep).front().measurement;
  resume(sweep, [&](SweepControl& control) { control.measure_longer({{}, {row}}); });
  EXPECT_EQ(rows(sweep).front().restarts, 6);
  EXPECT_EQ(rows(sweep).back().restarts, 3);
  EXPECT_NE(Snapshot(database()).sweep(sweep)->finished, "");
  const std::string longer = Snapshot(database()).sweep(sweep)->request_json;
  ASSERT_THAT(sweep_request_from_json(longer).longer, SizeIs(1));
  EXPECT_EQ(sweep_request_from_json(longer).longer.front().restarts, 3);
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  observer.control->measure_longer({{}, {row}});
  observer.queued = [&](const std::shared_ptr<const SweepQueue>& queue) {
    for (std::size_t n = 1; n < queue->groups.size(); ++n) observer.control->skip(n);  // one of three
  };
  const SweepOutcome outcome = run_sweep({}, database(), observer, {}, sweep);
  EXPECT_FALSE(outcome.stopped) << "nothing that was asked for is missing";
  EXPECT_EQ(rows(sweep).front().restarts, 7);
  EXPECT_EQ(sweep_request_from_json(Snapshot(database()).sweep(sweep)->request_json).longer.front().restarts, 4);
  EXPECT_EQ(with_longer(longer, {}), with_longer(asked, {})) << "nothing else changed";
}

TEST_F(More, rows_are_measured_longer_after_that_was_taken_back_in_the_same_run) {
  const std::int64_t sweep = run_sweep(request(), database(), {}, {}).sweep;
  const std::int64_t row = rows(sweep).front().measurement;
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  observer.control->measure_longer({{}, {row}});
  bool again = false;
  observer.queued = [&](const std::shared_ptr<const SweepQueue>& queue) {
    if (std::exchange(again, true)) return;
    for (std::size_t n = 0; n < queue->groups.size(); ++n) observer.control->skip(n);
    observer.control->measure_longer({{}, {row}});
  };
  Progress last;
  observer.progress = [&](const Progress& progress) { last = progress; };
  EXPECT_FALSE(run_sweep({}, database(), observer, {}, sweep).stopped);
  EXPECT_EQ(rows(sweep).front().restarts, 6);
  EXPECT_EQ(last.done, last.total);
  const std::string stored = Snapshot(database()).sweep(sweep)->request_json;
  ASSERT_THAT(sweep_request_from_json(stored).longer, SizeIs(1));
  EXPECT_EQ(sweep_request_from_json(stored).longer.front().restarts, 3);
}

TEST_F(More, more_rows_than_a_request_may_name_are_refused) {
  const std::int64_t sweep = run_sweep(request(), database(), {}, {}).sweep;
  const std::string asked = Snapshot(database()).sweep(sweep)->request_json;
  const MeasurementKey key = Snapshot(database()).finished_keys(sweep).front().key;
  const std::vector<LongerRow> many(kMostLonger + 1, LongerRow{key, 1});
  EXPECT_THAT(request_fault(with_longer(asked, many)), HasSubstr("more than 1000 rows are measured longer"));
}

TEST_F(More, unclear_rows_beside_what_is_gone_do_not_end_the_sweep) {
  const std::int64_t sweep = run_sweep(request({"cpu.fast", "baseline.cpu"}), database(), {}, {}).sweep;
  resume(sweep, [&](SweepControl& control) { control.measure_unclear_longer("row:4711"); });
  EXPECT_THAT(log_, HasSubstr("Unclear rows are not measured longer."));
  EXPECT_NE(Snapshot(database()).sweep(sweep)->finished, "");
}

TEST_F(More, rows_of_one_restart_are_not_measured_longer) {
  SweepRequest r = request();
  r.restarts = 1;
  const std::int64_t sweep = run_sweep(r, database(), {}, {}).sweep;
  const std::int64_t row = rows(sweep).front().measurement;
  resume(sweep, [&](SweepControl& control) { control.measure_longer({{}, {row}}); });
  EXPECT_THAT(log_, HasSubstr("Start a sweep with restarts"));
  EXPECT_EQ(rows(sweep).front().restarts, 1);
}

TEST(Unclear, rows_that_no_look_can_decide_are_left_out) {
  EXPECT_FALSE(can_reach_verdict(2, 2)) << "a block each: three more make five";
  EXPECT_FALSE(can_reach_verdict(3, 3));
  EXPECT_TRUE(can_reach_verdict(6, 3)) << "two each: three more make twelve";
  EXPECT_TRUE(can_reach_verdict(4, 2)) << "ten";
  EXPECT_TRUE(can_reach_verdict(7, 0)) << "of before restarts were counted";
}

TEST_F(More, unclear_rows_get_a_fixed_number_of_looks) {
  SweepRequest r = request({"cpu.fast", "baseline.cpu"});
  r.restarts = 6;  // of one block each: three looks make more than a verdict needs
  const std::int64_t sweep = run_sweep(r, database(), {}, {}).sweep;
  make_unclear();
  const std::set<std::int64_t> unclear = unclear_rows(database(), sweep, "auto");
  ASSERT_FALSE(unclear.empty()) << "the ratio is 1, give or take 5 %";
  resume(sweep, [](SweepControl& control) { control.measure_unclear_longer("auto"); });
  const std::set<std::int64_t> still = unclear_rows(database(), sweep, "auto");
  std::int64_t most = 0;
  for (const ResultRow& row : rows(sweep)) {
    EXPECT_LE(row.restarts, r.restarts + kMostLooks);
    EXPECT_TRUE(row.restarts > r.restarts || !unclear.contains(row.measurement));
    most = std::max(most, row.restarts);
  }
  EXPECT_TRUE(still.empty() || most == r.restarts + kMostLooks) << "unclear stays after the last look";
  EXPECT_THAT(log_, HasSubstr("unclear before look 1 of 3"));
}

TEST_F(More, no_restart_is_added_to_rows_of_another_environment) {
  const std::int64_t sweep = run_sweep(request(), database(), {}, {}).sweep;
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE).exec("UPDATE environment SET host = 'elsewhere'");
  const SweepOutcome outcome =
      resume(sweep, [&](SweepControl& control) { control.measure_again(rows(sweep).front().measurement); });
  EXPECT_EQ(outcome.measured_now + outcome.repeated_now, 0);
  for (const ResultRow& row : rows(sweep)) EXPECT_EQ(row.restarts, 3);
  EXPECT_THAT(log_, HasSubstr("No restart is added to 1 row: it was measured in another environment"));
  EXPECT_THAT(log_, HasSubstr("host elsewhere (not "));
}

TEST_F(More, a_wish_replaces_no_row_of_an_earlier_kernel) {
  const std::int64_t sweep = run_sweep(request({"cpu.fast", "baseline.cpu"}), database(), {}, {}).sweep;
  SQLite::Database file(database().string(), SQLite::OPEN_READWRITE);
  file.exec("UPDATE kernel SET source_hash = 'earlier' WHERE name = 'cpu.fast'");
  const auto old = Snapshot(database()).series_of_sweep(sweep);
  const std::vector<ResultRow> before = rows(sweep);
  const auto row_of = [&](const char* kernel) {
    return std::ranges::find_if(before, [&](const ResultRow& row) { return row.kernel == kernel; })->measurement;
  };
  const std::int64_t earlier = row_of("cpu.fast"), same = row_of("baseline.cpu");
  const SweepOutcome outcome = resume(sweep, [&](SweepControl& control) {
    control.measure_again(earlier);
    control.measure_again(same);
  });
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(outcome.measured_now, 0);
  const auto now = Snapshot(database()).series_of_sweep(sweep);
  for (const ResultRow& row : rows(sweep)) {
    EXPECT_EQ(row.restarts, row.measurement == same ? 4 : 3) << row.kernel << row.problem.window1;
    EXPECT_EQ(row.source_hash == "earlier", row.kernel == "cpu.fast");
    const bool grew = now.at(row.measurement).samples.size() > old.at(row.measurement).samples.size();
    EXPECT_EQ(grew, row.measurement == same) << row.kernel << row.problem.window1;
  }
  EXPECT_NE(Snapshot(database()).sweep(sweep)->finished, "") << "as it was";
  EXPECT_THAT(log_, HasSubstr("3 measurements stay as they are: kernels have changed since"));
  EXPECT_THAT(log_, HasSubstr("No restart is added to 1 row: its kernel has changed since"));
  EXPECT_EQ(run_sweep({}, database(), {}, {}, sweep).measured_now, 3) << "who resumes it without a wish measures them";
}

TEST_F(More, a_sweep_stays_unfinished_where_a_wish_left_rows_of_an_earlier_kernel) {
  SweepObserver observer;
  observer.control = std::make_shared<SweepControl>();
  observer.queued = [&](const std::shared_ptr<const SweepQueue>& queue) {
    for (std::size_t n = 0; n < queue->groups.size(); ++n) {
      if (queue->groups[n].restart == 2) observer.control->skip(n);
    }
  };
  const std::int64_t sweep = run_sweep(request(), database(), observer, {}).sweep;
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE).exec("UPDATE kernel SET source_hash = 'earlier'");
  const SweepOutcome outcome =
      resume(sweep, [&](SweepControl& control) { control.measure_again(rows(sweep).front().measurement); });
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(Snapshot(database()).sweep(sweep)->finished, "");
  for (const ResultRow& row : rows(sweep)) EXPECT_EQ(row.restarts, 2);
}

TEST_F(More, nothing_is_cross_checked_here_that_was_measured_elsewhere) {
  const std::int64_t sweep = run_sweep(request(), database(), {}, {}).sweep;
  SQLite::Database file(database().string(), SQLite::OPEN_READWRITE);
  file.exec("UPDATE environment SET host = 'elsewhere'");
  file.exec("UPDATE measurement SET timing_source = 'cupti'");
  resume(sweep, [](SweepControl&) {});
  EXPECT_EQ(file.execAndGet("SELECT count(*) FROM cross_check").getInt(), 0);
  EXPECT_THAT(log_, HasSubstr("3 cross-checks are left out: "));
  EXPECT_THAT(log_, HasSubstr("in another environment"));
}

TEST_F(More, nothing_is_added_to_rows_of_one_restart) {
  SweepRequest r = request();
  r.restarts = 1;
  const std::int64_t sweep = run_sweep(r, database(), {}, {}).sweep;
  resume(sweep, [&](SweepControl& control) { control.measure_again(rows(sweep).front().measurement); });
  EXPECT_THAT(log_, HasSubstr("Start a sweep with restarts"));
  for (const ResultRow& row : rows(sweep)) EXPECT_EQ(row.restarts, 1);
}

}  // namespace
}  // namespace triscope
