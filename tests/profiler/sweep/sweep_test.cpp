// run_sweep with real workers: what is stored, resumed, and what a kill costs.
#include "profiler/sweep/sweep.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/plan/progress.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/catalog_codec.hpp"
#include "profiler/store/store.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "tests/profiler/protocol/worker_requests.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/profiler/sweep/bad_worker_sweep.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class Sweep : public BadWorkerSweep {
 protected:
  static SweepRequest request(std::vector<std::string> kernels = {"test.good", "test.forward_only"}) {
    return tiny_sweep(std::move(kernels));
  }
  /// 3 windows x (2 kernels forward, 1 backward, 1 backward that is skipped).
  static constexpr std::int64_t kPlanned = 12;

  /// Every key of the plan once: the plan's keys, and no other.
  void expect_complete(std::int64_t sweep) {
    std::multiset<std::string> keys;
    Snapshot snapshot(database());
    for (const ResultRow& row : snapshot.results(sweep)) {
      keys.insert(
          fmt::format("{} {} {}x{}", row.kernel, to_string(row.pass), row.problem.window1, row.problem.window2));
      EXPECT_TRUE(row.status == Status::ok || row.status == Status::skipped) << row.reason;
    }
    EXPECT_EQ(keys.size(), static_cast<std::size_t>(kPlanned));
    EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
    EXPECT_FALSE(snapshot.sweep(sweep)->finished.empty());
  }
};

TEST_F(Sweep, stores_every_measurement_and_finishes) {
  std::int64_t measured = 0;
  double last_left = -1;
  SweepObserver observer;
  observer.measured = [&](const Measurement&, std::int64_t row) { measured += row > 0; };
  observer.progress = [&](const Progress& p) {
    EXPECT_EQ(p.total, kPlanned);
    EXPECT_LE(p.done, p.total);
    last_left = p.seconds_left.value_or(last_left);
  };
  const SweepOutcome outcome = run_sweep(request(), database(), observer, {});
  EXPECT_EQ(measured, kPlanned);
  EXPECT_EQ(outcome.ok, 9);
  EXPECT_EQ(outcome.skipped, 3);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_GE(last_left, 0);
  expect_complete(outcome.sweep);
  const SweepInfo info = *Snapshot(database()).sweep(outcome.sweep);
  EXPECT_EQ(info.planned, kPlanned);
  EXPECT_EQ(info.environment.device_id, "cpu");
  EXPECT_THAT(info.command, HasSubstr("--windows 5x3,4x4,1x1 --seq 20"));
}

TEST_F(Sweep, failures_are_rows_and_the_sweep_goes_on) {
  SweepRequest r = request({"test.good", "test.crashes_at_once"});
  r.passes = {Pass::forward};
  const SweepOutcome outcome = run_sweep(r, database(), {}, {});
  EXPECT_EQ(outcome.ok, 3);
  EXPECT_EQ(outcome.failed, 3);
  for (const ResultRow& row : Snapshot(database()).results(outcome.sweep)) {
    if (row.kernel == "test.good") continue;
    EXPECT_THAT(row.reason, HasSubstr("SIGSEGV"));
    EXPECT_EQ(row.median_ms, std::nullopt);
  }
}

TEST_F(Sweep, impossible_configurations_are_stored_as_skipped) {
  SweepRequest r = request({"test.good"});
  r.q_heads = {2, 3};
  r.kv_heads = {2};
  const SweepOutcome outcome = run_sweep(r, database(), {}, {});
  EXPECT_EQ(outcome.ok, 6);
  EXPECT_EQ(outcome.skipped, 6);
}

TEST_F(Sweep, a_stop_keeps_what_was_measured_and_resume_completes_it) {
  std::stop_source stop;
  SweepObserver observer;
  int measured = 0;
  observer.measured = [&](const Measurement& m, std::int64_t) {
    if (m.status == Status::ok && ++measured == 4) stop.request_stop();
  };
  const SweepOutcome first = run_sweep(request(), database(), observer, stop.get_token());
  EXPECT_TRUE(first.stopped);
  EXPECT_GE(first.ok, 4);
  EXPECT_TRUE(Snapshot(database()).sweep(first.sweep)->finished.empty());
  std::set<std::string> again;
  observer.measured = [&](const Measurement& m, std::int64_t) { again.insert(nlohmann::json(m.key).dump()); };
  const SweepOutcome second = run_sweep({}, database(), observer, {}, first.sweep);
  EXPECT_EQ(second.sweep, first.sweep);
  EXPECT_EQ(static_cast<std::int64_t>(again.size()), kPlanned - first.ok - first.skipped);
  EXPECT_EQ(first.measured_now, first.ok);
  EXPECT_EQ(second.measured_now, second.ok - first.ok);
  expect_complete(first.sweep);
}

TEST_F(Sweep, after_kill_9_at_any_moment_resume_leaves_no_gap_and_no_duplicate) {
  for (int after = 1; after <= 9; after += 2) {
    std::filesystem::remove(database());
    std::filesystem::remove(database().string() + "-wal");
    std::filesystem::remove(database().string() + "-shm");
    ChildProcess child([&](int write_end) {
      SweepObserver observer;
      observer.measured = [&](const Measurement&, std::int64_t) {
        [[maybe_unused]] const ssize_t ignored = write(write_end, "m", 1);
      };
      run_sweep(request(), database(), observer, {});
    });
    const std::size_t reported = child.wait_for(static_cast<std::size_t>(after));
    child.kill();
    EXPECT_FALSE(Snapshot(database()).sweep(1)->running) << "the lock ends with its process";
    const std::size_t kept = Snapshot(database()).results().size();
    EXPECT_GE(kept, reported) << "a measurement that was reported is lost";
    run_sweep({}, database(), {}, {}, 1);
    expect_complete(1);
  }
}

TEST_F(Sweep, a_database_that_is_locked_for_longer_than_a_write_waits_costs_nothing) {
  std::optional<SQLite::Database> other;
  bool told = false;
  SweepObserver observer;
  observer.measured = [&](const Measurement& m, std::int64_t) {
    if (m.status != Status::ok || told || other) return;
    other.emplace(database().string(), SQLite::OPEN_READWRITE);
    other->exec("BEGIN IMMEDIATE");
  };
  observer.log = [&](const std::string& text) {
    if (text.find("could not be stored") == std::string::npos) return;
    told = true;
    other.reset();
  };
  expect_complete(run_sweep(request(), database(), observer, {}).sweep);
  EXPECT_TRUE(told);
}

TEST_F(Sweep, while_it_runs_it_is_listed_as_running_and_cannot_be_resumed) {
  std::string refusal;
  bool running = false;
  SweepObserver observer;
  observer.measured = [&](const Measurement&, std::int64_t) {
    if (!refusal.empty()) return;
    running = Snapshot(database()).sweep(1)->running;
    try {
      run_sweep({}, database(), {}, {}, 1);
    } catch (const Error& e) {
      refusal = e.what();
    }
  };
  const SweepOutcome outcome = run_sweep(request(), database(), observer, {});
  EXPECT_TRUE(running);
  EXPECT_THAT(refusal, HasSubstr("sweep 1 cannot be resumed: it is being measured by another process right now"));
  EXPECT_FALSE(Snapshot(database()).sweep(1)->running);
  EXPECT_FALSE(std::filesystem::exists(database().string() + ".sweep1.lock"));
  EXPECT_EQ(outcome.ok, 9);
}

TEST_F(Sweep, resuming_measures_again_what_an_older_kernel_gave) {
  const SweepOutcome first = run_sweep(request(), database(), {}, {});
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE kernel SET source_hash = 'older' WHERE name = 'test.good'");
  std::vector<std::string> log;
  std::int64_t again = 0;
  SweepObserver observer;
  observer.measured = [&](const Measurement& m, std::int64_t) {
    EXPECT_EQ(m.key.kernel, "test.good");
    ++again;
  };
  observer.log = [&](const std::string& text) { log.push_back(text); };
  run_sweep({}, database(), observer, {}, first.sweep);
  EXPECT_EQ(again, 6);
  EXPECT_THAT(log, testing::Contains("6 measurements repeated, because kernels have changed since"));
  expect_complete(first.sweep);
  for (const ResultRow& row : Snapshot(database()).results(first.sweep)) EXPECT_EQ(row.source_hash, "test");
}

// assets/recorded/record --resume marks the rows of a changed kernel and those that alternated with it as stopped.
TEST_F(Sweep, resuming_measures_a_forgotten_group_whole_in_its_place_and_leaves_the_others) {
  const SweepOutcome first = run_sweep(request(), database(), {}, {});
  const auto measured = [&] {
    std::map<std::int64_t, std::string> rows;  // by id: everything that a second measurement changes
    Snapshot snapshot(database());
    for (const ResultRow& row : snapshot.results(first.sweep)) {
      const std::optional<Measurement> m = snapshot.measurement(row.measurement);
      rows[row.measurement] = fmt::format("{} {} {} {}", row.kernel, row.started, m->group, m->started_unix_ns);
    }
    return rows;
  };
  SQLite::Database file(database().string(), SQLite::OPEN_READWRITE);
  file.setBusyTimeout(5000);
  const std::int64_t group = file.execAndGet("SELECT max(interleave_group) FROM measurement").getInt64();
  ASSERT_EQ(
      file.execAndGet("SELECT count(*) FROM measurement WHERE interleave_group = " + std::to_string(group)).getInt(),
      2);
  file.exec("UPDATE measurement SET status = 'cancelled' WHERE interleave_group = " + std::to_string(group));
  file.exec("UPDATE sweep SET finished_unix_ns = NULL, starred = 1");
  const std::map<std::int64_t, std::string> before = measured();

  std::vector<std::int64_t> groups;
  SweepObserver observer;
  observer.measured = [&](const Measurement& m, std::int64_t) { groups.push_back(m.group); };
  run_sweep({}, database(), observer, {}, first.sweep);
  ASSERT_THAT(groups, SizeIs(2)) << "both that alternated, and no other";
  EXPECT_EQ(groups[0], groups[1]) << "in turns again";
  EXPECT_GT(groups[0], group) << "a group of its own";
  expect_complete(first.sweep);
  EXPECT_TRUE(Snapshot(database()).sweep(first.sweep)->starred);
  const std::map<std::int64_t, std::string> after = measured();
  std::int64_t changed = 0;
  for (const auto& [row, text] : before) {
    ASSERT_TRUE(after.contains(row)) << "a row keeps its number, and its place in a table";
    changed += after.at(row) != text;
  }
  EXPECT_EQ(changed, 2);
}

TEST_F(Sweep, a_stop_is_heeded_among_thousands_of_skipped_rows) {
  SweepRequest r = request({"test.good"});
  r.windows.clear();
  for (std::int64_t window = 1; window <= 500; ++window) r.windows.push_back({window, 1});
  r.seq_lens = {500};  // no two windows are the same problem
  r.q_heads = {2, 3};  // 3 on 2 kv heads is impossible: 1000 skipped rows
  r.kv_heads = {2};
  std::stop_source stop;
  SweepObserver observer;
  observer.progress = [&](const Progress& p) { EXPECT_EQ(p.total, 2000); };
  observer.measured = [&](const Measurement& m, std::int64_t) {
    EXPECT_EQ(m.status, Status::skipped);
    stop.request_stop();
  };
  const SweepOutcome outcome = run_sweep(r, database(), observer, stop.get_token());
  EXPECT_TRUE(outcome.stopped);
  EXPECT_GT(outcome.skipped, 0);
  EXPECT_LT(outcome.skipped, 1000);
  EXPECT_EQ(outcome.ok, 0);
}

// A machine with a GPU whose clock is CUPTI: the kernel's two instances are one group, then cross-checked and counted.
class SweepOnGpu : public Sweep {
 public:
  ~SweepOnGpu() override { unsetenv("TRISCOPE_TEST_WORKER"); }

 protected:
  SweepOnGpu() { setenv("TRISCOPE_TEST_WORKER", "gpu", 1); }

  static SweepRequest with_counters() {
    SweepRequest r = request({"test.gpu"});
    r.windows = {{5, 3}};
    r.passes = {Pass::forward};
    r.instance = "all";
    r.element = Element::fp32;
    r.counters = CounterSet::standard;
    return r;
  }
  void expect_followed_up(std::int64_t sweep) {
    const Snapshot snapshot(database());
    const std::vector<ResultRow> rows = snapshot.results(sweep);
    EXPECT_THAT(rows, SizeIs(2));
    for (const ResultRow& row : rows) {
      const Measurement measurement = *snapshot.measurement(row.measurement);
      EXPECT_TRUE(measurement.cross_check && measurement.cross_check->median_ms) << "no cross-check";
      EXPECT_THAT(measurement.counters, SizeIs(1)) << measurement.counters_note;
    }
    EXPECT_FALSE(snapshot.sweep(sweep)->finished.empty());
  }
};

TEST_F(SweepOnGpu, every_measurement_is_cross_checked_and_counted) {
  const SweepOutcome outcome = run_sweep(with_counters(), database(), {}, {});
  EXPECT_EQ(outcome.ok, 2);
  expect_followed_up(outcome.sweep);
}

TEST_F(SweepOnGpu, what_is_complete_needs_no_device_to_be_resumed) {
  const std::int64_t sweep = run_sweep(with_counters(), database(), {}, {}).sweep;
  unsetenv("TRISCOPE_TEST_WORKER");  // a machine without the GPU
  const SweepOutcome again = run_sweep({}, database(), {}, {}, sweep);
  EXPECT_EQ(again.measured_now, 0);
  EXPECT_GT(again.ok, 0);
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM cross_check");
  EXPECT_THROW(run_sweep({}, database(), {}, {}, sweep), Error) << "something is left, and needs the GPU";
}

TEST_F(SweepOnGpu, a_stop_after_the_last_measurement_leaves_a_sweep_to_resume) {
  std::stop_source stop;
  SweepObserver observer;
  int measured = 0;
  observer.measured = [&](const Measurement&, std::int64_t) {
    if (++measured == 2) stop.request_stop();
  };
  const SweepOutcome first = run_sweep(with_counters(), database(), observer, stop.get_token());
  EXPECT_EQ(first.ok, 2);
  EXPECT_TRUE(first.stopped);
  EXPECT_TRUE(Snapshot(database()).sweep(first.sweep)->finished.empty());
  const SweepOutcome second = run_sweep({}, database(), {}, {}, first.sweep);
  EXPECT_FALSE(second.stopped);
  expect_followed_up(first.sweep);
}

TEST_F(SweepOnGpu, resuming_reads_counters_that_are_missing_also_where_nothing_is_cross_checked) {
  SweepRequest r = with_counters();
  r.timing_source = TimingSource::cuda_events;
  std::stop_source stop;
  SweepObserver observer;
  int measured = 0;
  observer.measured = [&](const Measurement&, std::int64_t) {
    if (++measured == 2) stop.request_stop();
  };
  const SweepOutcome first = run_sweep(r, database(), observer, stop.get_token());
  EXPECT_TRUE(first.stopped);
  run_sweep({}, database(), {}, {}, first.sweep);
  for (const ResultRow& row : Snapshot(database()).results(first.sweep))
    EXPECT_THAT(Snapshot(database()).measurement(row.measurement)->counters, SizeIs(1));
}

TEST_F(Sweep, the_remark_and_the_table_give_the_same_spread) {
  std::vector<Measurement> measured;
  SweepObserver observer;
  observer.measured = [&](const Measurement& m, std::int64_t) { measured.push_back(m); };
  SweepRequest r = request({"test.good"});
  r.stopping.precision = 1e-9;
  r.stopping.budget_ns = 300'000'000;
  r.passes = {Pass::forward};
  run_sweep(r, database(), observer, {});
  ASSERT_FALSE(measured.empty());
  for (const Measurement& m : measured)
    EXPECT_THAT(m.reason, HasSubstr("not converged: " + spread_text(m.summary) + " after"));
}

TEST_F(Sweep, tensors_are_recorded_by_their_full_path) {
  SweepRequest r = request({"test.good"});
  const Problem problem = tiny_problem();
  std::vector<HostTensor> tensors;
  for (const char* name : {"q", "k1", "k2", "v1", "v2"}) {
    const std::vector<std::int64_t> shape{1, problem.seq_len, *name == 'q' ? problem.q_heads : problem.kv_heads,
                                          problem.head_dim};
    tensors.push_back(
        {name, shape, std::vector<float>(static_cast<std::size_t>(shape[1] * shape[2] * shape[3]), 0.5f)});
  }
  const std::filesystem::path file = folder_.path() / "in.safetensors";
  write_safetensors(file, tensors);
  r.tensors = std::filesystem::relative(file);
  ASSERT_TRUE(r.tensors.is_relative());
  r.seq_lens = r.q_heads = r.kv_heads = r.head_dims = {};
  const SweepOutcome outcome = run_sweep(r, database(), {}, {});
  EXPECT_EQ(outcome.ok, 6);
  EXPECT_THAT(Snapshot(database()).sweep(outcome.sweep)->request_json,
              HasSubstr(std::filesystem::absolute(r.tensors).string()));
}

TEST_F(Sweep, resume_runs_and_opens_nothing_that_the_database_names) {
  const SweepOutcome outcome = run_sweep(request({"test.good"}), database(), {}, {});
  const std::filesystem::path mark = folder_.path() / "was_here";
  const auto store_request = [&](const std::string& member, const nlohmann::json& value) {
    nlohmann::json stored = nlohmann::json::parse(Snapshot(database()).sweep(outcome.sweep)->request_json);
    stored["worker_prefix"] = nlohmann::json::array();
    stored["tensors"] = "";
    stored[member] = value;
    SQLite::Database poisoned(database().string(), SQLite::OPEN_READWRITE);
    SQLite::Statement update(poisoned, "UPDATE sweep SET finished_unix_ns = NULL, request = ?");
    update.bind(1, stored.dump());
    update.exec();
    poisoned.exec("DELETE FROM measurement WHERE id = 1");
  };
  const auto refusal = [&](const SweepRequest& given) -> std::string {
    try {
      run_sweep(given, database(), {}, {}, outcome.sweep);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  store_request("worker_prefix", {"sh", "-c", "touch " + mark.string()});
  EXPECT_THAT(refusal({}), HasSubstr("a command that a database names is never run"));
  EXPECT_FALSE(std::filesystem::exists(mark));
  SweepRequest given;
  given.worker_prefix = {"env"};
  EXPECT_THAT(refusal(given), HasSubstr("env triscope-worker")) << "the command that was given is the one that is run";
  EXPECT_FALSE(std::filesystem::exists(mark));
  store_request("tensors", "/dev/zero");
  EXPECT_THAT(refusal({}), HasSubstr("a file that a database names is never opened"));
}

TEST_F(Sweep, resume_refuses_what_is_not_there) {
  run_sweep(request({"test.good"}), database(), {}, {});
  EXPECT_THROW(run_sweep({}, database(), {}, {}, 99), Error);
}

TEST_F(Sweep, resuming_a_finished_sweep_measures_nothing) {
  const SweepOutcome first = run_sweep(request(), database(), {}, {});
  SweepObserver observer;
  observer.measured = [](const Measurement& m, std::int64_t) { ADD_FAILURE() << m.key.kernel; };
  // As after a kill at its very end: the sweep is finished, and its lock file is still there.
  const std::filesystem::path lock = database().string() + ".sweep1.lock";
  ASSERT_FALSE(std::filesystem::exists(lock));
  std::ofstream(lock).close();
  const SweepOutcome second = run_sweep({}, database(), observer, {}, first.sweep);
  EXPECT_FALSE(std::filesystem::exists(lock));
  EXPECT_EQ(second.ok, first.ok);
  EXPECT_EQ(second.measured_now, 0);
  EXPECT_FALSE(second.stopped);
}

TEST_F(Sweep, a_gpu_kernel_on_a_machine_without_a_gpu_is_no_fault_of_the_request) {
  for (const bool measured : {false, true}) {
    try {
      if (measured) run_sweep(request({"test.gpu"}), database(), {}, {});
      forecast_sweep(request({"test.gpu"}), {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      EXPECT_THAT(error.what(), HasSubstr("test.gpu cannot be measured: it runs on GPUs only, and there is none here"));
    }
  }
}

TEST_F(Sweep, a_worker_that_cannot_start_is_an_error_and_no_sweep) {
  setenv("TRISCOPE_WORKER", "/no/such/worker", 1);
  EXPECT_THROW(run_sweep(request(), database(), {}, {}), Error);
}

/// Why `sweep` ended early. A sweep that would wait for its database is stopped.
template <typename... Resumed>
std::string end_of_sweep(const SweepRequest& request, const std::filesystem::path& database, SweepObserver observer,
                         Resumed... resumed) {
  std::stop_source stop;
  observer.unstored = [&](const Unstored&) { stop.request_stop(); };
  try {
    run_sweep(request, database, observer, stop.get_token(), resumed...);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Sweep, a_row_with_an_unknown_status_is_refused_before_anything_is_measured) {
  run_sweep(request(), database(), {}, {});
  SQLite::Database(database().string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA ignore_check_constraints = ON; UPDATE measurement SET status = 'great' WHERE id = 3");
  const std::string finished = Snapshot(database()).sweep(1)->finished;
  int began = 0;
  SweepObserver observer;
  observer.began = [&](const SweepStage&) { ++began; };
  EXPECT_THAT(end_of_sweep({}, database(), observer, 1), HasSubstr("of m3 its status is \"great\""));
  EXPECT_EQ(began, 0);
  EXPECT_EQ(Snapshot(database()).sweep(1)->finished, finished);
}

TEST_F(Sweep, one_that_is_deleted_while_it_is_measured_ends_at_once_and_says_where_its_samples_are) {
  for (const std::int64_t restarts : {1, 2}) {
    SweepRequest r = request({"test.good"});
    r.passes = {Pass::forward};
    r.restarts = restarts;
    int began = 0;
    const int before = restarts == 1 ? 2 : 4;  // in the first round, in the second
    SweepObserver observer;
    observer.began = [&](const SweepStage&) {
      if (++began == before)
        SQLite::Database(database().string(), SQLite::OPEN_READWRITE)
            .exec("PRAGMA foreign_keys = ON; DELETE FROM sweep");
    };
    const std::string end = end_of_sweep(r, database(), observer);
    EXPECT_THAT(end, HasSubstr("is not in " + database().string() + " any more: it was deleted")) << restarts;
    EXPECT_THAT(end, testing::Not(HasSubstr("--resume")));
    EXPECT_EQ(end.find(".spool") != std::string::npos, restarts == 1) << end;
    EXPECT_EQ(began, before) << "nothing is measured after that";
  }
}

}  // namespace
}  // namespace triscope
