// Whole sweeps through the real programs: measured, stored, shown, stopped, resumed; and what a machine can refuse.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "kernels/tensors/tensor_file.hpp"
#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<json> json_lines(const std::string& text, const std::string& type) {
  std::vector<json> objects;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    json object = json::parse(line);
    if (object.at("type") == type) objects.push_back(std::move(object));
  }
  return objects;
}

/// A sweep of a tiny problem: half a second for each measurement, and longer only where a busy machine leaves fewer
/// than eight blocks of it.
std::vector<std::string> tiny_sweep(const std::filesystem::path& database, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"sweep",
                                     "--db",
                                     database.string(),
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
                                     "--budget",
                                     "10s",
                                     "--precision",
                                     "100%",
                                     "--restarts",
                                     "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Sweep, measures_stores_shows_and_exports) {
  TemporaryFolder folder;
  const std::filesystem::path database = folder / "sweep.db";
  const ProgramResult sweep =
      run_triscope(tiny_sweep(database, {"--windows", "4x2,2x2", "--kernel", "cpu.fast,baseline.cpu", "--json"}));
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  const std::vector<json> results = json_lines(sweep.output, "result");
  ASSERT_THAT(results, SizeIs(6)) << "two passes of two windows, and of the baseline, which has none";
  const std::vector<json> summaries = json_lines(sweep.output, "summary");
  ASSERT_THAT(summaries, SizeIs(1));
  EXPECT_EQ(summaries[0].at("ok"), 6);
  EXPECT_EQ(summaries[0].at("stopped"), false);

  const std::vector<ResultRow> rows = Snapshot(database).results();
  ASSERT_THAT(rows, SizeIs(6));
  for (const ResultRow& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.reason;
    EXPECT_EQ(row.timing_source, TimingSource::cpu_clock);
    EXPECT_GE(row.samples, 2);
    ASSERT_TRUE(row.median_ms && row.error);
    EXPECT_GT(*row.median_ms, 0);
    EXPECT_LT(*row.error, 1e-4);
    const auto shown = std::find_if(results.begin(), results.end(),
                                    [&](const json& r) { return r.at("measurement") == row.measurement; });
    ASSERT_NE(shown, results.end());
    EXPECT_DOUBLE_EQ(shown->at("median_ms").get<double>(), *row.median_ms) << "what was shown is what is stored";
  }

  const ProgramResult table = run_triscope({"show", "--db", database.string()});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, AllOf(HasSubstr("cpu.fast"), HasSubstr("4x2"), HasSubstr("vs baseline.cpu"),
                                  testing::Not(HasSubstr("not in turns"))));
  const ProgramResult compare = run_triscope(
      {"compare", "kernel:cpu.fast", "kernel:baseline.cpu", "--db", database.string(), "--format", "json"});
  EXPECT_EQ(compare.exit_code, 0) << compare.errors;
  EXPECT_THAT(compare.output, HasSubstr("\"paired\":true"));
  EXPECT_THAT(compare.output, testing::Not(HasSubstr("\"paired\":false")))
      << "the reference takes turns with the kernels of every pair of windows";

  for (const char* format : {"csv", "json", "md", "latex"}) {
    const std::filesystem::path file = folder / (std::string("table.") + format);
    const ProgramResult exported =
        run_triscope({"export", "--db", database.string(), "--format", format, "-o", file.string()});
    EXPECT_EQ(exported.exit_code, 0) << exported.errors;
    const std::string text = read_bytes(file);
    EXPECT_THAT(text, HasSubstr("baseline")) << format;
    const auto lines = std::count(text.begin(), text.end(), '\n');
    if (std::string(format) == "csv") {
      EXPECT_EQ(lines, 7) << text;
    } else if (std::string(format) == "json") {
      EXPECT_THAT(json::parse(text), SizeIs(6));
    }
  }
}

TEST(Sweep, without_a_terminal_it_prints_plain_lines) {
  TemporaryFolder folder;
  const ProgramResult sweep =
      run_triscope(tiny_sweep(folder / "sweep.db", {"--windows", "2x2", "--kernel", "cpu.fast", "--pass", "forward"}));
  EXPECT_EQ(sweep.exit_code, 0) << sweep.errors;
  EXPECT_THAT(sweep.output, AllOf(HasSubstr("1/1"), HasSubstr("TFLOP/s"), HasSubstr("1 measured")));
  EXPECT_THAT(sweep.output, HasSubstr("`triscope show 1 --db " + (folder / "sweep.db").string() + "` prints"));
  EXPECT_THAT(sweep.output + sweep.errors, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(sweep.output, Not(AnyOf(HasSubstr("so far"), HasSubstr("The intervals that stay"))))
      << "of one restart the interval stays";
}

TEST(Sweep, skipped_rows_are_counted_like_the_others) {
  TemporaryFolder folder;
  std::vector<std::string> arguments =
      tiny_sweep(folder / "sweep.db", {"--windows", "2x2", "--kernel", "cpu.fast", "--pass", "forward"});
  *std::find(arguments.begin(), arguments.end(), "1") = "2";
  *std::next(std::find(arguments.begin(), arguments.end(), "--q-heads")) = "2,3";  // 3 do not share 2
  const ProgramResult sweep = run_triscope(arguments);
  EXPECT_EQ(sweep.exit_code, 0) << sweep.errors;
  EXPECT_THAT(sweep.output, AllOf(HasSubstr("1/2"), HasSubstr("2/2"), testing::Not(HasSubstr("0/0"))));
}

TEST(Sweep, logits_beyond_what_fp32_resolves_are_not_blamed_on_the_kernel) {
  TemporaryFolder folder;
  const ProgramResult sweep = run_triscope(tiny_sweep(
      folder / "sweep.db", {"--windows", "4x4", "--kernel", "cpu.fast", "--pass", "forward", "--k2-bias", "1e30"}));
  EXPECT_EQ(sweep.exit_code, 1) << sweep.errors;
  EXPECT_THAT(sweep.output, AllOf(HasSubstr("wrong result"),
                                  HasSubstr("logits are about 1.0e30 here, where fp32 numbers are 1.2e23 apart")));
}

TEST(Sweep, ctrl_c_keeps_everything_measured_and_resuming_completes_it) {
  TemporaryFolder folder;
  const std::filesystem::path database = folder / "sweep.db";
  Program app(program_path("triscope"),
              tiny_sweep(database, {"--windows", "2x2,4x2,4x4,8x2", "--kernel", "cpu.fast", "--json"}));
  ASSERT_TRUE(app.wait_for_output("\"type\":\"result\""));
  kill(app.pid(), SIGINT);
  const ProgramResult stopped = app.wait();
  EXPECT_EQ(stopped.exit_code, 1) << stopped.errors;
  const std::vector<json> shown = json_lines(stopped.output, "result");
  ASSERT_THAT(json_lines(stopped.output, "summary"), SizeIs(1)) << stopped.output;
  EXPECT_EQ(json_lines(stopped.output, "summary")[0].at("stopped"), true);
  EXPECT_THAT(stopped.errors, HasSubstr("triscope: stopping after this sample"));
  std::set<std::int64_t> kept;
  for (const ResultRow& row : Snapshot(database).results()) {
    if (row.status == Status::ok) kept.insert(row.measurement);
  }
  EXPECT_LT(kept.size(), 8u) << "the signal came too late to show anything";
  for (const json& result : shown) {
    if (result.at("status") != "ok") continue;
    EXPECT_EQ(kept.count(result.at("measurement")), 1u);
  }
  EXPECT_THAT(run_triscope({"list", "--db", database.string()}).output,
              AllOf(HasSubstr("  interrupted  "), HasSubstr("interrupted: `triscope sweep --resume 1 --db " +
                                                            database.string() + "` measures what")));

  const ProgramResult resumed = run_triscope({"sweep", "--resume", "--db", database.string(), "--json"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  const std::vector<ResultRow> rows = Snapshot(database).results();
  EXPECT_THAT(rows, SizeIs(8));
  for (const ResultRow& row : rows) EXPECT_EQ(row.status, Status::ok) << row.reason;
  EXPECT_EQ(json_lines(resumed.output, "result").size(), 8 - kept.size()) << "what was kept is not measured again";
  EXPECT_EQ(run_triscope({"sweep", "--resume", "--db", database.string()}).exit_code, 2) << "nothing is left to resume";
  const ProgramResult complete = run_triscope({"sweep", "--resume", "1", "--db", database.string()});
  EXPECT_EQ(complete.exit_code, 0) << complete.errors;
  EXPECT_THAT(complete.output, HasSubstr("sweep 1: 8 measured; nothing was left to measure"));
}

TEST(Sweep, sigterm_stops_it_as_ctrl_c_does) {
  TemporaryFolder folder;
  const std::filesystem::path database = folder / "sweep.db";
  Program app(program_path("triscope"),
              tiny_sweep(database, {"--windows", "2x2,4x2,4x4,8x2", "--kernel", "cpu.fast", "--json"}));
  ASSERT_TRUE(app.wait_for_output("\"type\":\"result\""));
  kill(app.pid(), SIGTERM);
  EXPECT_EQ(app.wait().exit_code, 1);
  EXPECT_THAT(Snapshot(database).damage(), IsEmpty());
}

/// A stand-in for the worker: a shell script.
std::filesystem::path write_script(const std::filesystem::path& file, const std::string& body) {
  std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
  chmod(file.c_str(), 0700);
  return file;
}

TEST(Sweep, a_second_ctrl_c_ends_it_at_once) {
  TemporaryFolder folder;
  const std::filesystem::path worker = write_script(folder / "worker", "echo started >&2; exec sleep 600");
  Program app(program_path("triscope"), tiny_sweep(folder / "sweep.db"),
              {.environment = {{"TRISCOPE_WORKER", worker.string()}}, .output = {}, .new_group = false});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(app.pid(), SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(app.pid(), SIGINT);
  const ProgramResult result = app.wait();
  EXPECT_TRUE(result.signal == SIGINT || result.exit_code == 1 || result.exit_code == 3) << result.exit_code;
}

/// One sentence and the exit code for an environment that cannot do it.
void expect_environment_error(const ProgramResult& result, const std::string& part) {
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr(part));
  EXPECT_THAT(result.errors, testing::EndsWith(".\n"));
}

TEST(Sweep, a_missing_or_foreign_worker_is_one_clear_sentence) {
  TemporaryFolder folder;
  const auto with_worker = [&](const std::string& worker) {
    return run_triscope(tiny_sweep(folder / "sweep.db"),
                        {.environment = {{"TRISCOPE_WORKER", worker}}, .output = {}, .new_group = false});
  };
  expect_environment_error(with_worker((folder / "none").string()), "none");
  expect_environment_error(with_worker("/bin/true"), "worker");
  expect_environment_error(
      with_worker(write_script(folder / "rubbish", "echo hello, I am no worker; exec sleep 5").string()), "worker");
}

TEST(Sweep, impossible_problems_and_unknown_names_are_usage_errors) {
  TemporaryFolder folder;
  const auto expect_usage = [&](std::vector<std::string> more, const std::string& part) {
    const ProgramResult result = run_triscope(tiny_sweep(folder / "sweep.db", std::move(more)));
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(part));
  };
  expect_usage({"--kernel", "cpu.slow"}, "cpu.slow");
  expect_usage({"--kernel", "cpu.fast", "--instance", "none"}, "none");
  EXPECT_FALSE(std::filesystem::exists(folder / "sweep.db") && !Snapshot(folder / "sweep.db").sweeps().empty())
      << "a refused request leaves no sweep behind";
}

TEST(Sweep, a_tensor_file_without_the_second_axis_is_refused_before_anything_is_measured) {
  TemporaryFolder folder;
  std::vector<HostTensor> tensors;
  for (const char* name : {"q", "k1", "v1"}) tensors.push_back({name, {1, 4, 1, 8}, std::vector<float>(32, 0.5f)});
  write_safetensors(folder / "in.safetensors", tensors);
  const std::vector<std::string> arguments{
      "sweep", "--db",      (folder / "x.db").string(),          "--device", "cpu", "--windows", "2x2", "--budget",
      "50ms",  "--tensors", (folder / "in.safetensors").string()};
  const ProgramResult result = run_triscope(arguments);
  EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("the file holds no tensor called k2"));
  EXPECT_FALSE(std::filesystem::exists(folder / "x.db"));
  std::vector<std::string> baseline = arguments;
  baseline.insert(baseline.end(), {"--kernel", "baseline.cpu"});
  EXPECT_EQ(run_triscope(baseline).exit_code, 0) << "dot-product attention has no second axis";
}

TEST(Sweep, unknown_devices_are_named) {
  TemporaryFolder folder;
  std::vector<std::string> arguments = tiny_sweep(folder / "sweep.db");
  *std::find(arguments.begin(), arguments.end(), "cpu") = "99";
  expect_environment_error(run_triscope(arguments), "99");
}

TEST(Sweep, windows_beyond_the_sequence_are_measured) {
  TemporaryFolder folder;
  const ProgramResult result = run_triscope(
      tiny_sweep(folder / "sweep.db", {"--windows", "1000x64", "--kernel", "cpu.fast", "--pass", "forward"}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

/// A small file system in memory; needs root.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder, const char* size) : folder_(folder) {
    std::filesystem::create_directories(folder);
    mounted_ = mount("tmpfs", folder.c_str(), "tmpfs", 0, (std::string("size=") + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  bool make_read_only() { return mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

TEST(Sweep, a_full_disk_is_named_and_what_was_written_stays_sound) {
  TemporaryFolder folder;
  SmallDisk disk(folder / "disk", "640k");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  const std::filesystem::path database = folder / "disk" / "sweep.db";
  ASSERT_EQ(
      run_triscope(tiny_sweep(database, {"--windows", "2x2", "--kernel", "cpu.fast", "--pass", "forward"})).exit_code,
      0);
  {
    std::ofstream filler(folder / "disk" / "filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  const ProgramResult result = run_triscope(tiny_sweep(database, {"--windows", "2x2,4x2", "--kernel", "cpu.fast"}));
  expect_environment_error(result, "full");
  std::filesystem::remove(folder / "disk" / "filler");
  const Snapshot snapshot(database);
  EXPECT_THAT(snapshot.damage(), IsEmpty());
  EXPECT_GE(snapshot.results().size(), 1u);
}

TEST(Sweep, a_read_only_database_can_be_shown_but_not_swept) {
  TemporaryFolder folder;
  SmallDisk disk(folder / "disk", "4m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a read-only disk needs root";
  const std::filesystem::path database = folder / "disk" / "sweep.db";
  ASSERT_EQ(
      run_triscope(tiny_sweep(database, {"--windows", "2x2", "--kernel", "cpu.fast", "--pass", "forward"})).exit_code,
      0);
  ASSERT_TRUE(disk.make_read_only());
  const ProgramResult shown = run_triscope({"show", "--db", database.string()});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("cpu.fast"));
  expect_environment_error(run_triscope(tiny_sweep(database, {"--windows", "2x2"})), "read-only");
}

TEST(Eval, writes_what_the_kernel_computes) {
  TemporaryFolder folder;
  // One query sees one pair: the output is v1 * v2 whatever the logits are, and the LSE is the logit itself.
  const auto tensor = [](const char* name, std::vector<float> values) {
    return HostTensor{name, {1, 1, 1, 4}, std::move(values)};
  };
  const std::vector<HostTensor> tensors{tensor("q", {1, 2, 3, 4}), tensor("k1", {1, 1, 1, 1}),
                                        tensor("k2", {1, 0, 1, 0}), tensor("v1", {1, 2, 3, 4}),
                                        tensor("v2", {2, 2, 2, 2})};
  write_safetensors(folder / "in.safetensors", tensors);
  for (const char* kernel : {"cpu.oracle", "cpu.fast"}) {
    const std::filesystem::path out = folder / (std::string(kernel) + ".safetensors");
    const ProgramResult result = run_triscope({"eval", "--in", (folder / "in.safetensors").string(), "--out",
                                               out.string(), "--windows", "1x1", "--kernel", kernel, "--scale", "0.5"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const TensorFile file(out);
    EXPECT_THAT(read_floats(file.at("o")), testing::ElementsAre(2, 4, 6, 8));
    EXPECT_NEAR(read_floats(file.at("lse")).front(), 2.0f, 1e-5f);
  }
  const ProgramResult missing = run_triscope({"eval", "--in", (folder / "none").string(), "--out",
                                              (folder / "x").string(), "--windows", "1x1", "--kernel", "cpu.fast"});
  EXPECT_EQ(missing.exit_code, 2) << missing.errors;
  EXPECT_THAT(missing.errors, HasSubstr("none"));
  const ProgramResult backward =
      run_triscope({"eval", "--in", (folder / "in.safetensors").string(), "--out", (folder / "x").string(), "--windows",
                    "1x1", "--kernel", "cpu.fast", "--backward"});
  EXPECT_EQ(backward.exit_code, 2) << backward.errors;
  EXPECT_THAT(backward.errors, HasSubstr("do"));
}

TEST(Eval, takes_what_inspect_takes) {
  TemporaryFolder folder;
  // The tensors of the test above, two tokens long, by other names, heads first, without a batch, beside a tensor of a
  // type that is not read; written by hand, since write_safetensors knows no U8.
  const auto tensor = [](const char* name) { return HostTensor{name, {1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}; };
  const auto usual = [](const char* name) { return HostTensor{name, {1, 2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}; };
  write_safetensors(folder / "usual.safetensors", std::vector<HostTensor>{usual("q"), usual("k1"), usual("k2"),
                                                                          usual("v1"), usual("v2"), usual("do")});
  write_safetensors(folder / "own.safetensors",
                    std::vector<HostTensor>{tensor("query"), tensor("a"), tensor("b"), tensor("layer.v1"),
                                            tensor("layer.v2"), tensor("grad"), tensor("maskMASKmaskMASK")});
  std::string bytes = read_bytes(folder / "own.safetensors");
  const std::size_t at = bytes.find("\"dtype\":\"F32\"", bytes.find("maskMASK"));
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + 9, 3, "U99");
  std::ofstream(folder / "own.safetensors", std::ios::binary) << bytes;
  const auto eval = [&](const char* in, const char* out, std::vector<std::string> more) {
    std::vector<std::string> words{"eval",
                                   "--in",
                                   (folder / in).string(),
                                   "--out",
                                   (folder / out).string(),
                                   "--windows",
                                   "2x2",
                                   "--kernel",
                                   "cpu.fast",
                                   "--backward"};
    words.insert(words.end(), more.begin(), more.end());
    return run_triscope(words);
  };
  ASSERT_EQ(eval("usual.safetensors", "usual.out.safetensors", {}).exit_code, 0);
  const ProgramResult own =
      eval("own.safetensors", "own.out.safetensors", {"--heads-first", "--names", "q=query,k1=a,k2=b,do=grad"});
  ASSERT_EQ(own.exit_code, 0) << own.errors;
  EXPECT_EQ(read_bytes(folder / "own.out.safetensors"), read_bytes(folder / "usual.out.safetensors"));
  const ProgramResult unnamed = eval("own.safetensors", "x.safetensors", {});
  EXPECT_EQ(unnamed.exit_code, 2);
  EXPECT_THAT(unnamed.errors, HasSubstr("--names q=NAME"));
  const ProgramResult used = eval("own.safetensors", "x.safetensors", {"--names", "q=maskMASKmaskMASK,k1=a,k2=b"});
  EXPECT_EQ(used.exit_code, 2);
  EXPECT_THAT(used.errors, HasSubstr("the element type \"U99\""));
}

TEST(Eval, says_when_results_are_not_finite_and_spares_databases) {
  TemporaryFolder folder;
  const auto tensor = [](const char* name, float value) {
    return HostTensor{name, {1, 1, 1, 4}, std::vector<float>(4, value)};
  };
  const std::vector<HostTensor> tensors{tensor("q", 1), tensor("k1", 1), tensor("k2", 1), tensor("v1", 1e30f),
                                        tensor("v2", 1e30f)};
  write_safetensors(folder / "in.safetensors", tensors);
  const auto eval_into = [&](const char* name) {
    return run_triscope({"eval", "--in", (folder / "in.safetensors").string(), "--out", (folder / name).string(),
                         "--windows", "1x1", "--kernel", "cpu.fast"});
  };
  const ProgramResult result = eval_into("out.safetensors");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_EQ(result.errors, "triscope: o holds 4 values that are not finite.\n");
  EXPECT_EQ(TensorFile(folder / "out.safetensors").at("o").shape.size(), 4u) << "it is written all the same";
  { Store store(folder / "x.db"); }
  const std::string before = read_bytes(folder / "x.db");
  const ProgramResult refused = eval_into("x.db");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("it is a database, and writing would destroy it"));
  EXPECT_EQ(read_bytes(folder / "x.db"), before);
}

TEST(Check, passes_on_the_cpu_kernels) {
  const ProgramResult result =
      run_triscope({"check", "--quick", "--kernel", "cpu.fast", "--instance", "auto", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr(" 0 failed"));
}

TEST(Sweep, more_threads_than_the_system_starts_are_not_asked_for) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.db").string();
  const ProgramResult result =
      run_triscope({"sweep", "--db",        file,  "--windows",  "4x4", "--seq",      "64",       "--q-heads",
                    "2",     "--kv-heads",  "1",   "--head-dim", "16",  "--kernel",   "cpu.fast", "--budget",
                    "20ms",  "--precision", "50%", "--device",   "cpu", "--restarts", "1"},
                   {.environment = {{"OMP_NUM_THREADS", "100000"}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<ResultRow> rows = Snapshot(file).results();
  EXPECT_THAT(rows, Not(IsEmpty()));
  for (const ResultRow& row : rows) EXPECT_EQ(row.status, Status::ok) << row.reason;
}

TEST(Machine, doctor_devices_and_kernels_speak_with_the_worker) {
  TemporaryFolder folder;
  const std::string database = (folder / "x.db").string();
  const ProgramResult doctor = run_triscope({"doctor", "--db", database});
  EXPECT_EQ(doctor.exit_code, 0) << doctor.output << doctor.errors;
  EXPECT_THAT(doctor.output, HasSubstr("will be created"));
  EXPECT_FALSE(std::filesystem::exists(database)) << "the doctor changes nothing";
  EXPECT_THAT(run_triscope({"devices"}).output, HasSubstr("cpu"));
  EXPECT_THAT(run_triscope({"kernels"}).output,
              AllOf(HasSubstr("cpu.oracle"), HasSubstr("cpu.fast"), HasSubstr("baseline.cpu")));
  const Program::Options no_worker{.environment = {{"TRISCOPE_WORKER", "/none"}}, .output = {}, .new_group = false};
  const ProgramResult sick = run_triscope({"doctor", "--db", database}, no_worker);
  EXPECT_EQ(sick.exit_code, 3);
  EXPECT_THAT(sick.output, HasSubstr("BROKEN"));
}

}  // namespace
}  // namespace triscope
