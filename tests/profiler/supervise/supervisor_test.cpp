// Every way a worker can go wrong costs one row with its reason, and the next measurement is right.
#include "profiler/supervise/supervisor.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "profiler/supervise/worker_jobs.hpp"
#include "tests/profiler/protocol/worker_requests.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

std::map<std::string, Measurement> measure(Supervisor& supervisor, const MeasureRequest& request,
                                           std::stop_token stop = {}) {
  std::map<std::string, Measurement> results;
  JobObserver observer;
  observer.measured = [&](std::int64_t, const Measurement& m) {
    EXPECT_TRUE(results.emplace(m.key.kernel, m).second) << "reported twice: " << m.key.kernel;
  };
  supervisor.measure(request, observer, stop);
  EXPECT_THAT(results, SizeIs(request.entries.size()));
  return results;
}

std::string refusal_of_start(const std::string& how, std::optional<milliseconds> limit = {}) {
  WorkerOptions options = bad_worker(how);
  options.handshake_limit = limit.value_or(options.handshake_limit);
  try {
    Supervisor(options).catalog();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::environment);
    return e.what();
  }
  return "it started";
}

TEST(Supervisor, measures_a_group_side_by_side) {
  Supervisor supervisor(bad_worker());
  MeasureRequest request = tiny_request({"test.good", "test.slow"});
  request.stopping = {1e-9, 3'600'000'000'000, 8, 4};  // four blocks of each, however long they take
  const auto results = measure(supervisor, request);
  for (const auto& [kernel, m] : results) {
    EXPECT_EQ(m.status, Status::ok) << m.reason;
    EXPECT_EQ(m.key.instance, "small");
    EXPECT_EQ(m.source_hash, "test");
    EXPECT_LT(m.error.value_or(1), 1e-5);
    EXPECT_EQ(m.summary.samples, static_cast<std::int64_t>(m.samples.size()));
    EXPECT_EQ(m.samples.front().started_ns, 0);
    EXPECT_THAT(m.launches, SizeIs(1));
    EXPECT_GT(m.started_unix_ns, 0);
    for (std::size_t n = 0; n < m.samples.size(); ++n) EXPECT_EQ(m.samples[n].block, static_cast<std::int64_t>(n));
  }
  const Measurement &good = results.at("test.good"), &slow = results.at("test.slow");
  EXPECT_THAT(good.samples, SizeIs(4));
  EXPECT_THAT(slow.samples, SizeIs(4));
  EXPECT_GE(good.group, 0);
  EXPECT_EQ(good.group, slow.group);
  EXPECT_GE(slow.summary.median_ms, 50);
  EXPECT_EQ(slow.samples.front().launches, 1);
  EXPECT_GT(good.samples.front().launches, 1);
}

TEST(Supervisor, a_group_of_one_gets_no_number_and_each_larger_group_gets_its_own) {
  Supervisor supervisor(bad_worker());
  EXPECT_EQ(measure(supervisor, tiny_request({"test.good"})).at("test.good").group, -1);
  const auto first = measure(supervisor, tiny_request({"test.good", "test.forward_only"}));
  const auto second = measure(supervisor, tiny_request({"test.good", "test.forward_only"}));
  EXPECT_NE(first.at("test.good").group, second.at("test.good").group);
}

TEST(Supervisor, a_narrow_interval_of_too_few_blocks_says_so) {
  Supervisor supervisor(bad_worker());
  MeasureRequest request = tiny_request({"test.slow"});   // it sleeps for so long that a busy machine adds little
  request.stopping = {1000, 3'600'000'000'000, 5000, 3};  // three blocks, however long they take
  EXPECT_THAT(measure(supervisor, request).at("test.slow").reason,
              HasSubstr("is narrow enough, but 3 blocks are too few to trust: at least 5000 are needed"));
}

TEST(Supervisor, burst_samples_are_single_launches) {
  Supervisor supervisor(bad_worker());
  MeasureRequest request = tiny_request({"test.good"});
  request.entries[0].regime = Regime::burst;
  request.stopping.budget_ns = 300'000'000;
  const Measurement m = measure(supervisor, request).at("test.good");
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  for (const Sample& sample : m.samples) EXPECT_EQ(sample.launches, 1);
}

TEST(Supervisor, backward_reads_the_kernels_own_forward) {
  Supervisor supervisor(bad_worker());
  const Measurement m = measure(supervisor, tiny_request({"test.good"}, Pass::backward)).at("test.good");
  EXPECT_EQ(m.status, Status::ok) << m.reason;
  EXPECT_EQ(m.errors.count("grad_k2"), 1u);
}

struct BadKernel {
  const char* id;
  const char* reason;
};

class BadKernels : public testing::TestWithParam<BadKernel> {};

TEST_P(BadKernels, cost_one_row_and_the_next_measurement_is_right) {
  WorkerOptions options = bad_worker();
  // Only what hangs is to meet the limit: the others are in time on a busy machine, too.
  if (std::string_view(GetParam().id).starts_with("test.hangs")) options.time_limit = milliseconds(10'000);
  Supervisor supervisor(options);
  const auto results = measure(supervisor, tiny_request({"test.good", GetParam().id, "test.forward_only"}));
  EXPECT_EQ(results.at(GetParam().id).status, Status::failed);
  EXPECT_THAT(results.at(GetParam().id).reason, HasSubstr(GetParam().reason));
  EXPECT_TRUE(results.at(GetParam().id).samples.empty() || GetParam().id == std::string("test.throws_late"));
  for (const char* bystander : {"test.good", "test.forward_only"}) {
    EXPECT_EQ(results.at(bystander).status, Status::ok) << results.at(bystander).reason;
    EXPECT_GT(results.at(bystander).summary.samples, 0);
  }
  EXPECT_EQ(measure(supervisor, tiny_request({"test.good"})).at("test.good").status, Status::ok);
}

INSTANTIATE_TEST_SUITE_P(
    Supervisor, BadKernels,
    testing::Values(BadKernel{"test.wrong", "wrong result"},
                    BadKernel{"test.throws_late", "the launch failed: a test wants it so"},
                    BadKernel{"test.hangs_at_once", "it ran longer than the limit of 10 s, so the worker was killed"},
                    BadKernel{"test.hangs_late", "it ran longer than the limit of 10 s, so the worker was killed"},
                    BadKernel{"test.crashes_at_once",
                              "was killed by SIGSEGV (Segmentation fault); its last output: about to crash"},
                    BadKernel{"test.closes_protocol", "closed its output without ending, so it was killed"},
                    BadKernel{"test.crashes_late", "was killed by SIGSEGV"},
                    BadKernel{"test.exits", "ended with exit code 3"},
                    BadKernel{"test.exits_silently", "ended with exit code 0"},
                    BadKernel{"test.writes_rubbish", "\"what is this\" is not a JSON object"}),
    [](const auto& param) { return std::string(param.param.id).substr(5); });

TEST(Supervisor, what_a_kernel_prints_never_reaches_the_protocol) {
  std::vector<std::string> log;
  WorkerOptions options = bad_worker();
  options.log = [&](const std::string& line) { log.push_back(line); };
  Supervisor supervisor(options);
  EXPECT_EQ(measure(supervisor, tiny_request({"test.chatty"})).at("test.chatty").status, Status::ok);
  EXPECT_THAT(log, testing::Contains(HasSubstr("\"done\"")));
}

TEST(Supervisor, a_worker_that_cannot_start_is_an_environment_error) {
  EXPECT_THAT(refusal_of_start("version"),
              AllOf(HasSubstr("speaks protocol 999"), HasSubstr("install the same version")));
  EXPECT_THAT(refusal_of_start("rubbish"), HasSubstr("bash: welcome to this machine"));
  EXPECT_THAT(refusal_of_start("exit"), HasSubstr("ended with exit code 3"));
  EXPECT_THAT(refusal_of_start("silent_exit"), HasSubstr("ended with exit code 0"));
  EXPECT_THAT(refusal_of_start("no_hello"), HasSubstr("its first message is not a greeting"));
  EXPECT_THAT(refusal_of_start("mute", milliseconds(300)), HasSubstr("it said nothing for 0.3 s"));
  WorkerOptions missing;
  missing.program = "/no/such/triscope-worker";
  EXPECT_THROW(Supervisor(missing).catalog(), Error);
  WorkerOptions elsewhere = bad_worker();
  elsewhere.prefix = {"no-such-command"};
  try {
    Supervisor(elsewhere).catalog();
    ADD_FAILURE() << "it started";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("no-such-command"), HasSubstr("worker prefix")));
  }
}

TEST(Supervisor, an_unknown_kernel_instance_or_source_fails_its_entry) {
  Supervisor supervisor(bad_worker());
  MeasureRequest request = tiny_request({"test.good", "test.none"});
  request.source_hashes[0] = "older";
  const auto results = measure(supervisor, request);
  EXPECT_THAT(results.at("test.good").reason, HasSubstr("the kernel changed while the sweep ran"));
  EXPECT_THAT(results.at("test.none").reason, HasSubstr("no kernel of that name"));
}

TEST(Supervisor, missing_tensors_fail_the_group_with_one_sentence) {
  Supervisor supervisor(bad_worker());
  MeasureRequest request = tiny_request({"test.good"});
  request.tensors = "/no/such/file.safetensors";
  const Measurement m = measure(supervisor, request).at("test.good");
  EXPECT_EQ(m.status, Status::failed);
  EXPECT_THAT(m.reason, HasSubstr("/no/such/file.safetensors"));
}

TEST(Supervisor, a_lost_device_ends_the_worker_and_costs_one_row) {
  Supervisor supervisor(bad_worker("gpu"));
  const auto results = measure(supervisor, tiny_request({"test.good", "test.loses_device", "test.forward_only"}));
  EXPECT_EQ(results.at("test.loses_device").status, Status::failed);
  EXPECT_THAT(results.at("test.loses_device").reason,
              AllOf(HasSubstr("ended with exit code 3"), HasSubstr("the device is lost")));
  for (const char* bystander : {"test.good", "test.forward_only"}) {
    EXPECT_EQ(results.at(bystander).status, Status::ok) << results.at(bystander).reason;
  }
}

TEST(Supervisor, a_tensor_file_must_hold_the_second_axis_even_when_the_baseline_comes_first) {
  TemporaryFolder folder;
  const Problem problem = tiny_problem();
  std::vector<HostTensor> tensors;
  for (const char* name : {"q", "k1", "v1"}) {
    const std::vector<std::int64_t> shape{1, problem.seq_len, *name == 'q' ? problem.q_heads : problem.kv_heads,
                                          problem.head_dim};
    tensors.push_back(
        {name, shape, std::vector<float>(static_cast<std::size_t>(shape[1] * shape[2] * shape[3]), 0.5f)});
  }
  write_safetensors(folder / "in.safetensors", tensors);
  MeasureRequest request = tiny_request({"baseline.cpu", "test.good"});
  request.tensors = (folder / "in.safetensors").string();
  request.entries[0].problem.form = Form::dot_product;
  request.entries[0].problem.window1 = problem.seq_len;
  request.entries[0].problem.window2 = 1;
  Supervisor supervisor(bad_worker());
  const Measurement m = measure(supervisor, request).at("test.good");
  EXPECT_EQ(m.status, Status::failed);
  EXPECT_THAT(m.reason, HasSubstr("k2"));
}

TEST(Supervisor, a_worker_s_variables_stand_before_ours) {
  setenv("TRISCOPE_TEST_A", "ours", 1);
  setenv("TRISCOPE_TEST_B", "ours", 1);
  std::vector<std::string> log;
  WorkerOptions options = bad_worker();
  options.log = [&](const std::string& line) { log.push_back(line); };
  options.prefix = {"sh", "-c", "env | grep TRISCOPE_TEST_ | sort | tr '\\n' ' ' >&2; echo >&2; exec \"$0\" \"$@\""};
  options.environment = {"TRISCOPE_TEST_A=its", "TRISCOPE_TEST_AB=its"};
  measure(*std::make_unique<Supervisor>(options), tiny_request({"test.good"}));
  unsetenv("TRISCOPE_TEST_A");
  unsetenv("TRISCOPE_TEST_B");
  EXPECT_THAT(log, testing::Contains(HasSubstr("TRISCOPE_TEST_A=its TRISCOPE_TEST_AB=its TRISCOPE_TEST_B=ours")));
}

/// What a worker says on stderr that first runs `script` and then greets.
std::vector<std::string> log_of(const std::string& script) {
  std::vector<std::string> log;
  WorkerOptions options = bad_worker();
  options.prefix = {"sh", "-c", script + "; exec \"$0\" \"$@\""};
  options.log = [&](const std::string& line) { log.push_back(line); };
  Supervisor(options).catalog();
  return log;
}

TEST(Supervisor, openmp_s_threads_wait_without_spinning_unless_a_policy_is_set) {
  const auto policy = [] {
    const std::vector<std::string> log = log_of("echo policy:$OMP_WAIT_POLICY. >&2");
    return log.empty() ? std::string() : log.front();
  };
  const char* before = std::getenv("OMP_WAIT_POLICY");
  const std::string kept = before == nullptr ? "" : before;
  unsetenv("OMP_WAIT_POLICY");
  EXPECT_EQ(policy(), "policy:passive.");
  setenv("GOMP_SPINCOUNT", "1000", 1);
  EXPECT_EQ(policy(), "policy:.");
  unsetenv("GOMP_SPINCOUNT");
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_EQ(policy(), "policy:active.");
  before == nullptr ? unsetenv("OMP_WAIT_POLICY") : setenv("OMP_WAIT_POLICY", kept.c_str(), 1);
}

TEST(Supervisor, a_flood_on_stderr_is_bounded_and_its_end_is_kept) {
  const std::vector<std::string> log = log_of("yes noise | head -n 5000000 >&2; echo the end >&2");
  std::size_t bytes = 0;
  for (const std::string& line : log) bytes += line.size();
  EXPECT_LT(bytes, 20'000U);
  const auto rest = std::ranges::find_if(log, [](const std::string& line) { return line.starts_with("("); });
  ASSERT_NE(rest, log.end());
  const std::size_t left_out = 5'000'001 - (log.size() - 1);
  EXPECT_EQ(*rest, fmt::format("({} more lines of it were left out)", left_out));
  EXPECT_EQ(log.back(), "the end");
}

TEST(Supervisor, a_long_line_on_stderr_is_cut_and_escapes_are_written_out) {
  const std::vector<std::string> log =
      log_of("head -c 20000000 /dev/zero | tr '\\0' x >&2; echo >&2; printf '\\033[31mred\\n' >&2");
  ASSERT_THAT(log, SizeIs(2));
  EXPECT_EQ(log[0], std::string(2000, 'x') + "...");
  EXPECT_EQ(log[1], "\\x1b[31mred");
}

TEST(Supervisor, what_a_worker_started_ends_with_it) {
  const std::vector<std::string> log = log_of("sleep 1000 >/dev/null 2>&1 & echo $! >&2");
  ASSERT_THAT(log, SizeIs(1));
  const auto gone = [&] {
    std::ifstream stat("/proc/" + log[0] + "/stat");
    std::string number, program, state;
    return !(stat >> number >> program >> state) || state == "Z" || state == "X";
  };
  while (!gone()) std::this_thread::sleep_for(milliseconds(10));  // the test's own limit ends a failure
}

TEST(Supervisor, a_worker_that_ended_is_noticed_although_another_program_holds_its_pipes) {
  WorkerOptions options = bad_worker();
  options.prefix = {"sh", "-c", "sleep 1000 & exit 3"};
  EXPECT_THAT([&] { Supervisor(options).catalog(); }, testing::ThrowsMessage<Error>(HasSubstr("exit code 3")));
}

TEST(Supervisor, a_worker_that_is_killed_before_it_says_what_it_can_do_is_replaced_twice) {
  TemporaryFolder folder;
  WorkerOptions options = bad_worker();
  // It greets, never hears the question, and is killed when the pipe that it reads instead does.
  const std::string deaf = "sleep 0.5 | \"$0\" \"$@\"; kill -9 $$";
  const std::string mark = folder / "mark";
  options.prefix = {"sh", "-c",
                    "if mkdir " + mark + "1 2>/dev/null || mkdir " + mark + "2 2>/dev/null; then " + deaf +
                        "; fi; exec \"$0\" \"$@\""};
  EXPECT_FALSE(Supervisor(options).catalog().kernels.empty());
  options.prefix = {"sh", "-c", deaf};
  EXPECT_THAT([&] { Supervisor(options).catalog(); }, testing::ThrowsMessage<Error>(HasSubstr("did not do its job")));
}

TEST(Supervisor, what_took_longer_than_the_time_limit_names_it_in_place_of_doctor) {
  WorkerOptions options = bad_worker();
  options.prefix = {"sh", "-c", "sleep 1000 | \"$0\" \"$@\""};  // greets, and never hears a question
  options.time_limit = milliseconds(50);
  try {
    Supervisor(options).support({});
    ADD_FAILURE() << "it answered";
  } catch (const Error& error) {
    EXPECT_THAT(error.why(), HasSubstr("no answer within 0.05 s"));
    EXPECT_THAT(error.fix(), HasSubstr("time limit"));
    EXPECT_THAT(error.fix(), testing::Not(HasSubstr("doctor")));
  }
}

TEST(Supervisor, a_worker_killed_while_idle_is_replaced) {
  std::vector<std::string> log;
  WorkerOptions options = bad_worker();
  options.log = [&](const std::string& line) { log.push_back(line); };
  options.prefix = {"sh", "-c", "echo pid $$ >&2; exec \"$0\" \"$@\""};
  Supervisor supervisor(options);
  measure(supervisor, tiny_request({"test.good"}));
  ASSERT_FALSE(log.empty());
  const pid_t worker = std::stoi(log.front().substr(4));
  ASSERT_EQ(kill(worker, SIGKILL), 0);
  // The request may be written before the death is noticed, or after.
  EXPECT_EQ(measure(supervisor, tiny_request({"test.good"})).at("test.good").status, Status::ok);
  EXPECT_THAT(log, testing::Contains(HasSubstr("was killed by SIGKILL")));
}

TEST(Supervisor, the_worker_ends_when_its_supervisor_is_killed) {
  for (const bool direct : {true, false}) {
    // Direct: the kernel sends the signal of a dying parent. Behind a shell (as behind ssh) only the end of stdin tells
    // it.
    ChildProcess child([direct](int write_end) {
      WorkerOptions options = bad_worker();
      options.log = [write_end](const std::string& line) {
        if (line.starts_with("pid ")) [[maybe_unused]]
          const ssize_t ignored = write(write_end, line.data() + 4, line.size() - 4);
      };
      options.prefix = {"sh", "-c",
                        direct ? "echo pid $$ >&2; exec \"$0\" \"$@\""
                               : "exec 3<&0; \"$0\" \"$@\" <&3 & echo pid $! >&2; exec 3<&- <&-; wait"};
      Supervisor supervisor(options);
      JobObserver observer;
      observer.progress = [write_end](const ProgressReport& report) {
        if (report.stage == "check") [[maybe_unused]]
          const ssize_t ignored = write(write_end, "\n", 1);
      };
      supervisor.measure(tiny_request({"test.hangs_at_once"}), observer, {});
    });
    std::string said;
    for (char c; said.find('\n') == std::string::npos && read(child.read_end(), &c, 1) == 1;) said += c;
    const pid_t worker = std::stoi(said);
    ASSERT_EQ(kill(worker, 0), 0);
    child.kill();
    // Gone, or a zombie that nobody in this container reaps.
    const auto alive = [worker] {
      std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
      std::string line;
      return std::getline(stat, line) && line.find(") Z") == std::string::npos;
    };
    while (alive()) std::this_thread::sleep_for(milliseconds(10));  // the test's own limit ends a failure
  }
}

TEST(Supervisor, support_answers_in_order_with_resolved_instances) {
  Supervisor supervisor(bad_worker());
  SupportQuestion question{"test.good", tiny_problem(), Pass::forward, "auto"};
  SupportQuestion all = question, named = question, backward = question;
  all.instance = "all";
  named.instance = "none";
  backward.kernel = "test.forward_only";
  backward.pass = Pass::backward;
  const auto answers = supervisor.support({question, all, named, backward});
  ASSERT_THAT(answers, SizeIs(4));
  EXPECT_EQ(answers[0].instances.at(0).instance, "small");
  EXPECT_FALSE(answers[0].instances.at(0).unsupported);
  EXPECT_THAT(answers[1].instances, SizeIs(2));
  EXPECT_THAT(*answers[2].instances.at(0).unsupported, HasSubstr("no instance called none"));
  EXPECT_EQ(*answers[3].instances.at(0).unsupported, "it has no backward");
}

TEST(Supervisor, check_compares_each_kernel_on_the_device_it_runs_on) {
  CheckRequest request;
  request.quick = true;
  request.instance = "auto";
  request.kernels = {"test.good", "test.gpu"};
  std::set<std::string> compared;
  const auto note = [&](const CheckRow& row) { compared.insert(row.kernel); };
  EXPECT_TRUE(run_check(bad_worker("gpu"), "auto", request, note));
  EXPECT_THAT(compared, testing::ElementsAre("test.good", "test.gpu"));
}

TEST(Supervisor, a_kernel_of_another_device_is_refused_in_words) {
  CheckRequest request;
  request.kernels = {"test.gpu"};
  const auto refusal = [](const auto& job) {
    try {
      job();
    } catch (const Error& error) {
      return error;
    }
    return Error("not refused", "", "");
  };
  const auto check_on = [&](const char* device) {
    return refusal(
        [&] { run_check(bad_worker(), device, request, [](const CheckRow& row) { ADD_FAILURE() << row.kernel; }); });
  };
  const Error named = check_on("cpu"), automatic = check_on("auto");
  EXPECT_EQ(named.code(), ExitCode::usage);
  EXPECT_THAT(named.what(), HasSubstr("test.gpu cannot be run on device cpu: it runs on cuda devices only"));
  EXPECT_EQ(automatic.code(), ExitCode::environment);
  EXPECT_THAT(automatic.what(), HasSubstr("test.gpu cannot be checked: it runs on GPUs only, and there is none here"));
  EXPECT_THAT(automatic.fix(), HasSubstr("assets/recorded/h200.db"));
  EvalRequest evaluation;
  evaluation.kernel = "test.gpu";
  EXPECT_EQ(refusal([&] { run_eval(bad_worker(), "auto", evaluation); }).code(), ExitCode::environment);
}

TEST(Supervisor, check_reports_a_wrong_kernel_and_a_crash_as_failed_rows) {
  Supervisor supervisor(bad_worker());
  CheckRequest request;
  request.quick = true;
  request.instance = "auto";
  request.kernels = {"test.wrong"};
  int failed = 0;
  EXPECT_FALSE(supervisor.check(request, [&](const CheckRow& row) { failed += row.status == Status::failed; }, {}));
  EXPECT_GT(failed, 0);
  request.kernels = {"test.crashes_at_once"};
  std::vector<CheckRow> rows;
  EXPECT_FALSE(supervisor.check(request, [&](const CheckRow& row) { rows.push_back(row); }, {}));
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].kernel, "test.crashes_at_once");
  EXPECT_THAT(rows[0].reason, HasSubstr("SIGSEGV"));
  request.kernels = {"test.good"};
  EXPECT_TRUE(supervisor.check(request, [](const CheckRow&) {}, {}));
}

}  // namespace
}  // namespace triscope
