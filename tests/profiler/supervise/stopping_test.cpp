// How a worker ends before its job does: stopped, killed, or with the program that started it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "kernels/base/error.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "tests/profiler/protocol/worker_requests.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

TEST(Supervisor, a_stop_keeps_the_samples_taken_so_far) {
  Supervisor supervisor(bad_worker());
  MeasureRequest request = tiny_request({"test.slow"});
  request.stopping = {1e-9, 3'600'000'000'000, 8, 1'000'000};
  std::stop_source stop;
  std::map<std::string, Measurement> results;
  JobObserver observer;
  int batches = 0;
  observer.sampled = [&](std::int64_t, const std::vector<Sample>&) {
    if (++batches == 2) stop.request_stop();
  };
  observer.measured = [&](std::int64_t, const Measurement& m) { results[m.key.kernel] = m; };
  supervisor.measure(request, observer, stop.get_token());
  EXPECT_EQ(results.at("test.slow").status, Status::cancelled);
  EXPECT_GE(results.at("test.slow").samples.size(), 2u);
}

TEST(Supervisor, a_worker_that_ignores_the_stop_is_killed) {
  WorkerOptions options = bad_worker();
  options.cancel_grace = milliseconds(200);
  std::string log;
  options.log = [&log](const std::string& line) { log += line + "\n"; };
  Supervisor supervisor(options);
  std::stop_source stop;
  JobObserver observer;
  std::map<std::string, Measurement> results;
  observer.progress = [&](const ProgressReport& report) {
    if (report.stage == "check") stop.request_stop();
  };
  observer.measured = [&](std::int64_t, const Measurement& m) { results[m.key.kernel] = m; };
  supervisor.measure(tiny_request({"test.hangs_at_once", "test.good"}), observer, stop.get_token());
  EXPECT_EQ(results.at("test.hangs_at_once").status, Status::cancelled);
  EXPECT_EQ(results.at("test.good").status, Status::cancelled);
  EXPECT_THAT(log, AllOf(HasSubstr("did not stop within 0.2 s and was killed"),
                         testing::Not(HasSubstr("ran longer than the limit"))));
  supervisor.measure(tiny_request({"test.good"}), observer, {});
  EXPECT_EQ(results.at("test.good").status, Status::ok);
}

TEST(Supervisor, a_worker_that_is_killed_while_it_starts_is_started_again) {
  const TemporaryFolder folder;
  const auto killed_until = [&](int start) {
    WorkerOptions options = bad_worker();
    const std::string starts = (folder / fmt::format("starts{}", start)).string();
    options.prefix = {
        "sh", "-c",
        fmt::format("echo >>{0}; [ $(wc -l <{0}) -ge {1} ] || kill -9 $$; exec \"$0\" \"$@\"", starts, start)};
    return options;
  };
  EXPECT_FALSE(Supervisor(killed_until(3)).catalog().kernels.empty());
  EXPECT_THROW(Supervisor(killed_until(100)).catalog(), Error) << "not without end";
}

TEST(Supervisor, a_program_that_ends_does_not_wait_for_a_worker_that_ignores_the_stop) {
  WorkerOptions options = bad_worker();
  options.cancel_grace = std::chrono::hours(1);
  for (const bool at_once : {true, false}) {
    std::stop_source stop, closing;
    options.closing = closing.get_token();
    Supervisor supervisor(options);
    std::jthread closer;
    std::map<std::string, Measurement> results;
    JobObserver observer;
    observer.progress = [&](const ProgressReport& report) {
      if (report.stage != "check") return;
      stop.request_stop();
      if (at_once) return (void)closing.request_stop();
      closer = std::jthread([&closing] {
        std::this_thread::sleep_for(milliseconds(300));  // it is waited for by then
        closing.request_stop();
      });
    };
    observer.measured = [&](std::int64_t, const Measurement& m) { results[m.key.kernel] = m; };
    supervisor.measure(tiny_request({"test.hangs_at_once"}), observer, stop.get_token());
    EXPECT_EQ(results.at("test.hangs_at_once").status, Status::cancelled);
    EXPECT_THROW(supervisor.catalog(), Error) << "no question is asked any more";
  }
}

TEST(Supervisor, samples_survive_the_worker_that_took_them) {
  TemporaryFolder folder;
  WorkerOptions options = bad_worker();
  options.cancel_grace = milliseconds(200);
  MeasureRequest request = tiny_request({"test.hangs_with_samples"});
  request.stopping = {1e-9, 3'600'000'000'000, 8, 1'000'000};
  for (const bool stopped : {true, false}) {
    // It hangs after a few blocks: when it is stopped there, and when it runs into the limit.
    options.time_limit = stopped ? milliseconds(120'000) : milliseconds(10'000);
    const std::filesystem::path mark = folder / (stopped ? "stopped" : "late");
    options.environment = {"TRISCOPE_TEST_MARK=" + mark.string()};
    Supervisor supervisor(options);
    std::stop_source stop;
    int batches = 0;
    std::jthread stopper;
    JobObserver observer;
    observer.sampled = [&](std::int64_t, const std::vector<Sample>&) {
      if (++batches != 3 || !stopped) return;
      stopper = std::jthread([&stop, &mark](std::stop_token over) {
        while (!over.stop_requested() && !std::filesystem::exists(mark)) std::this_thread::sleep_for(milliseconds(10));
        stop.request_stop();  // it hangs
      });
    };
    Measurement kept;
    observer.measured = [&](std::int64_t, const Measurement& m) { kept = m; };
    supervisor.measure(request, observer, stop.get_token());
    EXPECT_EQ(kept.status, stopped ? Status::cancelled : Status::failed);
    EXPECT_THAT(kept.reason, HasSubstr("was killed"));
    EXPECT_GE(kept.samples.size(), 3u);
    EXPECT_EQ(kept.summary.samples, static_cast<std::int64_t>(kept.samples.size()));
  }
}

}  // namespace
}  // namespace triscope
