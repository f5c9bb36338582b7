// Kills a sweep with SIGKILL at random moments (the app, its worker, or both at once), then resumes it. Says for each
// kind how often and what was lost; exits 1 when the database is damaged, more than the configurations in flight are
// lost, a worker is left behind, or the resumed sweep has a gap or a duplicate.
//   kill_test TRIALS [SEED]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "profiler/store/store.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;
using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

enum class Victim { app, worker, both };
constexpr const char* name_of(Victim victim) {
  return victim == Victim::app ? "app" : victim == Victim::worker ? "worker" : "both";
}

/// Kernels of one problem are measured in turns and end together, so two configurations can be in flight.
constexpr std::size_t kInFlight = 2;

std::vector<std::string> sweep_arguments(const fs::path& database) {
  return {"sweep",
          "--db",
          database.string(),
          "--windows",
          "2x2,4x2,4x4",
          "--seq",
          "32",
          "--q-heads",
          "2",
          "--kv-heads",
          "1",
          "--head-dim",
          "16",
          "--device",
          "cpu",
          "--kernel",
          "cpu.fast,baseline.cpu",
          "--budget",
          "400ms",
          "--precision",
          "50%",
          "--restarts",
          "1",
          "--json"};
}

/// What a row measured, as text; two rows of one sweep with the same text are a duplicate.
std::string key_of(const ResultRow& row) {
  return fmt::format("{} {} {} {} {}", row.kernel, row.instance, to_string(row.pass), to_string(row.regime),
                     describe(row.problem));
}

std::multiset<std::string> keys_of(const std::vector<ResultRow>& rows) {
  std::multiset<std::string> keys;
  for (const ResultRow& row : rows) keys.insert(key_of(row));
  return keys;
}

std::size_t count_results(const std::string& json_lines) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = json_lines.find("\"type\":\"result\"", at)) != std::string::npos; ++at) ++count;
  return count;
}

/// Processes called triscope-worker whose parent is `parent`.
std::vector<pid_t> workers_of(pid_t parent) {
  std::vector<pid_t> workers;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string pid, program, state, parent_pid;
    if (stat >> pid >> program >> state >> parent_pid && program.starts_with("(triscope-work") &&
        parent_pid == std::to_string(parent)) {
      workers.push_back(static_cast<pid_t>(std::stol(pid)));
    }
  }
  return workers;
}

bool is_alive(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string number, program, state;
  return stat >> number >> program >> state && state != "Z" && state != "X" && program.starts_with("(triscope-work");
}

/// Sweeps the database holds; none when the kill came before its file was written.
std::vector<SweepInfo> sweeps_of(const fs::path& database) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(database, missing);
  if (missing || bytes == 0) return {};
  return Snapshot(database).sweeps();
}

struct Report {
  int trials = 0, before_start = 0, after_end = 0, problems = 0;
  std::size_t most_lost = 0;  ///< results shown or in flight that are not in the database
  std::size_t resumed = 0;
};

class Trial {
 public:
  Trial(Victim victim, milliseconds moment, const std::multiset<std::string>& expected, Report& report)
      : victim_(victim), moment_(moment), expected_(expected), report_(report) {}

  void run() {
    ++report_.trials;
    const std::string shown = kill_sweep();
    if (sweeps_of(database_).empty()) {
      ++report_.before_start;
      return;
    }
    check_what_is_kept(count_results(shown));
    resume();
  }

 private:
  void problem(const std::string& text) {
    ++report_.problems;
    fmt::print("PROBLEM: {} killed after {} ms: {}\n", name_of(victim_), moment_.count(), text);
  }

  /// Returns what the sweep printed.
  std::string kill_sweep() {
    Program app(program_path("triscope"), sweep_arguments(database_));
    std::this_thread::sleep_for(moment_);
    const std::vector<pid_t> workers = workers_of(app.pid());
    if (!app.running()) ++report_.after_end;
    if (victim_ != Victim::worker) kill(app.pid(), SIGKILL);
    if (victim_ != Victim::app) {
      for (const pid_t worker : workers) kill(worker, SIGKILL);
    }
    const ProgramResult result = app.wait();
    if (victim_ == Victim::worker && result.exit_code != 0 && result.exit_code != 1) {
      problem(fmt::format("the app ended with exit code {}, signal {}: {}", result.exit_code, result.signal,
                          result.errors));
    }
    const auto deadline = steady_clock::now() + std::chrono::seconds(20);
    const auto left = [&] { return std::any_of(workers.begin(), workers.end(), is_alive); };
    while (left() && steady_clock::now() < deadline) std::this_thread::sleep_for(milliseconds(20));
    if (left()) problem("a worker was left behind");
    return result.output;
  }

  void check_what_is_kept(std::size_t shown) {
    const Snapshot snapshot(database_);
    for (const std::string& damage : snapshot.damage()) problem("the database is damaged: " + damage);
    const std::vector<ResultRow> rows = snapshot.results();
    if (rows.size() < shown) problem(fmt::format("{} results were shown, {} are in the database", shown, rows.size()));
    const auto not_ok = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const ResultRow& row) { return row.status != Status::ok; }));
    if (not_ok > kInFlight)
      problem(fmt::format("{} configurations failed, at most {} were in flight", not_ok, kInFlight));
    report_.most_lost = std::max(report_.most_lost, not_ok + (shown > rows.size() ? shown - rows.size() : 0));
  }

  void resume() {
    const std::int64_t sweep = Snapshot(database_).sweeps().front().id;
    const ProgramResult result =
        run_triscope({"sweep", "--resume", std::to_string(sweep), "--db", database_.string(), "--json"});
    if (result.exit_code != 0)
      problem(fmt::format("resuming ended with exit code {}: {}", result.exit_code, result.errors));
    report_.resumed += count_results(result.output);
    const Snapshot snapshot(database_);
    for (const std::string& damage : snapshot.damage()) problem("the resumed database is damaged: " + damage);
    if (snapshot.sweeps().size() != 1 || snapshot.sweeps().front().finished.empty())
      problem("the resumed sweep is not finished");
    const std::vector<ResultRow> rows = snapshot.results();
    if (keys_of(rows) != expected_)
      problem(fmt::format("{} rows after resuming, {} expected: a gap or a duplicate", rows.size(), expected_.size()));
    for (const ResultRow& row : rows) {
      if (row.status != Status::ok)
        problem(fmt::format("m{} is {} after resuming: {}", row.measurement, to_string(row.status), row.reason));
    }
  }

  Victim victim_;
  milliseconds moment_;
  const std::multiset<std::string>& expected_;
  Report& report_;
  TemporaryFolder folder_;
  fs::path database_ = folder_ / "sweep.db";
};

int run(int trials, unsigned seed, std::string_view only) {
  TemporaryFolder folder;
  const auto started = steady_clock::now();
  const ProgramResult whole = run_triscope(sweep_arguments(folder / "whole.db"));
  const double seconds = duration<double>(steady_clock::now() - started).count();
  if (whole.exit_code != 0) {
    fmt::print("the sweep fails without being killed (exit code {}): {}\n", whole.exit_code, whole.errors);
    return 1;
  }
  const std::multiset<std::string> expected = keys_of(Snapshot(folder / "whole.db").results());
  fmt::print("a whole sweep: {} measurements in {:.1f} s; seed {}\n", expected.size(), seconds, seed);
  std::mt19937 random(seed);
  std::uniform_int_distribution<long> moment(0, static_cast<long>(seconds * 1000));
  int problems = 0;
  for (const Victim victim : {Victim::app, Victim::worker, Victim::both}) {
    if (!only.empty() && only != name_of(victim)) continue;
    Report report;
    for (int trial = 0; trial < trials; ++trial) Trial(victim, milliseconds(moment(random)), expected, report).run();
    fmt::print(
        "{:<6} {} kills ({} before the sweep began, {} after its end): most configurations lost by one kill {}, "
        "measured by resuming {}, problems {}\n",
        name_of(victim), report.trials, report.before_start, report.after_end, report.most_lost, report.resumed,
        report.problems);
    std::fflush(stdout);
    problems += report.problems;
  }
  return problems == 0 ? 0 : 1;
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 0;
  const std::string_view only = argc > 2 ? argv[2] : "";
  if (trials < 1 || (!only.empty() && only != "app" && only != "worker" && only != "both")) {
    fmt::print(stderr, "usage: kill_test TRIALS [app|worker|both [SEED]]\n");
    return 2;
  }
  return triscope::run(trials, argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : std::random_device{}(), only);
}
