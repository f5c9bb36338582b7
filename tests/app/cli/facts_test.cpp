// Facts as JSON from every command that prints some, and what a sweep would do without doing it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/text/number_text.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<json> lines(const ProgramResult& result) {
  std::vector<json> objects;
  std::istringstream stream(result.output);
  for (std::string line; std::getline(stream, line);) objects.push_back(json::parse(line));
  return objects;
}

TEST(Facts, every_command_that_prints_some_prints_json) {
  const TemporaryFolder folder;
  write_small_history(folder / "x.db");
  const std::string file = (folder / "x.db").string();
  const std::vector<std::vector<std::string>> commands{
      {"version"},
      {"version", "--licences"},
      {"kernels"},
      {"devices"},
      {"list", "--db", file},
      {"search", "tokens", "--db", file},
      {"show", "--step", "--db", file},
      {"compare", "1", "2", "--db", file},
      {"import", file, "--db", (folder / "all.db").string()},
      {"inspect", "--source", "random", "--seq", "16", "--head-dim", "4", "--query", "3", "--windows", "2x2"},
      {"doctor", "--db", file}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--format", "json"});
    const ProgramResult result = run_triscope(command);
    for (const json& object : lines(result)) EXPECT_TRUE(object.is_object()) << command.front();
    if (command[1] == "--step") continue;  // the history holds no step
    EXPECT_FALSE(result.output.empty()) << command.front() << result.errors;
  }
  const std::vector<json> slice = lines(run_triscope({"inspect", "--source", "random", "--seq", "16", "--head-dim", "4",
                                                      "--query", "3", "--windows", "2x2", "--format", "json"}));
  ASSERT_THAT(slice, SizeIs(1));
  EXPECT_EQ(slice.front().at("keys1"), 2);
  EXPECT_THAT(slice.front().at("top"), SizeIs(4));
}

TEST(Facts, the_groups_of_a_dry_run_add_up_to_its_total) {
  const ProgramResult result =
      run_triscope({"sweep", "--dry-run", "--json", "--device", "cpu", "--windows", "8x4,16x2", "--seq", "64,128"});
  std::map<std::int64_t, double> groups;
  double total = 0;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line);
    if (object["type"] == "planned") groups[object["group"]] = object["group_seconds"];
    if (object["type"] == "forecast") total = object["seconds"];
  }
  double sum = 0;
  for (const auto& [group, seconds] : groups) sum += seconds;
  EXPECT_GT(total, 0);
  EXPECT_NEAR(sum, total, 1e-9 * total) << result.output;
}

TEST(Facts, a_dry_run_says_what_would_be_measured_and_stores_nothing) {
  const TemporaryFolder folder;
  const std::vector<std::string> command{
      "sweep", "--dry-run", "--device", "cpu",    "--windows", "8x4,16x2", "--seq",
      "64",    "--kernel",  "cpu.fast", "--pass", "forward",   "--db",     (folder / "x.db").string()};
  const ProgramResult table = run_triscope(command);
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, AllOf(HasSubstr("8x4"), HasSubstr("16x2"), HasSubstr("2 measurements on"),
                                  HasSubstr("nothing was measured")));
  EXPECT_FALSE(std::filesystem::exists(folder / "x.db"));
  std::vector<std::string> one = command;
  *std::find(one.begin(), one.end(), "8x4,16x2") = "8x4";
  EXPECT_THAT(run_triscope(one).output, HasSubstr("1 measurement on"));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const std::vector<json> objects = lines(run_triscope(as_json));
  ASSERT_THAT(objects, SizeIs(3));
  EXPECT_EQ(objects[0].at("window1"), 8);
  EXPECT_EQ(objects[2].at("measurements"), 2);
  EXPECT_GT(objects[2].at("seconds"), 0);
  expect_error(run_triscope({"sweep", "--dry-run", "--resume"}), 2, "--dry-run together with --resume");
  expect_error(run_triscope({"sweep", "--dry-run", "--again", "m1"}), 2, "name the sweep as well: --resume ID");
  expect_error(run_triscope({"sweep", "--dry-run", "--unclear"}), 2, "name the sweep as well: --resume ID");
}

TEST(Facts, windows_are_advised_from_what_was_measured) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  const std::vector<std::string> sweep{"sweep",
                                       "--device",
                                       "cpu",
                                       "--seq",
                                       "64",
                                       "--q-heads",
                                       "2",
                                       "--pass",
                                       "forward",
                                       "--head-dim",
                                       "16",
                                       "--budget",
                                       "50ms",
                                       "--precision",
                                       "20%",
                                       "--kernel",
                                       "cpu.fast,baseline.cpu",
                                       "--windows",
                                       "4x2,16x2",
                                       "--db",
                                       file};
  ASSERT_EQ(run_triscope(sweep).exit_code, 0);
  // However busy this machine is: what is known badly would be refused.
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET ci_low_ms = 0.99 * median_ms, ci_high_ms = 1.01 * median_ms");
  std::vector<std::string> advise{"advise",       "--seq", "64", "--pass",   "forward", "--match",
                                  "baseline.cpu", "--db",  file, "--format", "json"};
  const std::vector<json> proposed = lines(run_triscope(advise));
  ASSERT_THAT(proposed, SizeIs(1)) << "one for the second window of 2";
  EXPECT_EQ(proposed.front().at("measured"), true);
  EXPECT_GT(proposed.front().at("ms"), 0);
  advise.resize(advise.size() - 2);
  EXPECT_THAT(run_triscope(advise).output, testing::Not(HasSubstr(", dim 16, on ")));
  SQLite::Database two_devices(file, SQLite::OPEN_READWRITE);
  const std::string columns =
      "power_limit_w, max_sm_clock_mhz, max_memory_clock_mhz, peak_tflops, host, cpu_model, "
      "cpu_threads, os, triscope_version, git_commit, compiler, compile_flags";
  two_devices.exec(
      "INSERT INTO environment (device_id, device_name, device_uuid, driver_version, cuda_version, "
      "cupti_version, " +
      columns + ") SELECT 'else', 'Another', '', '', '', '', " + columns + " FROM environment LIMIT 1");
  two_devices.exec(
      "UPDATE measurement SET device_id = 'else', environment = (SELECT max(id) FROM environment) WHERE "
      "config = (SELECT id FROM config WHERE window1 = 4)");
  EXPECT_THAT(run_triscope(advise).output, HasSubstr(", dim 16, on ")) << "which of the two";
  expect_error(run_triscope({"advise", "--seq", "64", "--match", "baseline.fa3", "--db", file}), 2,
               "of baseline.fa3 at 64 tokens and these heads the forward is not known: it was not measured");
  expect_error(run_triscope({"advise", "--seq", "64", "--match", "baseline.cpv", "--db", file}), 2,
               "did you mean baseline.cpu? choose from baseline.cpu.");
  expect_error(run_triscope({"advise", "--seq", "64", "--match", "", "--db", file}), 2, "--match '': it is empty");
  expect_error(run_triscope({"advise", "--db", file}), 2, "--seq");
}

/// The sizes of a tiny layer, and how long it is measured.
void add_tiny_layer(std::vector<std::string>& words) {
  for (const char* word : {"--seq", "64", "--q-heads", "2", "--head-dim", "16", "--pass", "forward"})
    words.emplace_back(word);
}

/// A sweep of three restarts, whose intervals are pooled over its rows in the end.
std::vector<std::string> restarted_sweep(const std::string& database) {
  std::vector<std::string> words{"sweep",    "--device", "cpu",       "--restarts", "3",    "--budget", "100ms",
                                 "--kernel", "cpu.fast", "--windows", "2x2,4x2",    "--db", database};
  add_tiny_layer(words);
  return words;
}

TEST(Facts, what_a_sweep_says_last_of_a_row_is_what_show_says) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  std::vector<std::string> words = restarted_sweep(file);
  words.emplace_back("--json");
  const ProgramResult sweep = run_triscope(words);
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  std::map<std::int64_t, json> first, last;
  for (const json& said : lines(sweep)) {
    if (said.at("type") != "result") continue;
    first.emplace(said.at("measurement"), said);
    last[said.at("measurement")] = said;
  }
  const json rows = json::parse(run_triscope({"show", "--db", file, "--json"}).output);
  ASSERT_THAT(rows, SizeIs(2));
  for (const json& row : rows) {
    const json& said = last.at(row.at("measurement"));
    for (const char* what : {"median_ms", "ci_low_ms", "ci_high_ms", "restarts", "reason"})
      EXPECT_EQ(said.at(what), row.at(what)) << what;
    EXPECT_EQ(said.at("preliminary"), false);
    EXPECT_EQ(first.at(row.at("measurement")).at("preliminary"), true) << "before all rows had their restarts";
  }
  const ProgramResult again = run_triscope({"sweep", "--resume", "1", "--db", file, "--json"});
  EXPECT_THAT(again.output, testing::Not(HasSubstr("\"type\":\"result\""))) << "nothing was measured";
}

TEST(Facts, an_interval_that_does_not_stay_is_so_far) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  const ProgramResult sweep = run_triscope(restarted_sweep(file));
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  const std::size_t end = sweep.output.find("The intervals that stay");
  ASSERT_NE(end, std::string::npos) << sweep.output;
  const std::string before = sweep.output.substr(0, end), after = sweep.output.substr(end);
  for (const ResultRow& row : Snapshot(file).results()) {
    const std::string name = fmt::format("cpu.fast {} forward, sustained, {}: {} ms, ", row.instance,
                                         describe(row.problem), milliseconds_text(row.median_ms.value()));
    Summary summary;
    summary.samples = row.samples;
    summary.median_ms = row.median_ms.value();
    summary.ci_low_ms = row.ci_low_ms.value_or(0);
    summary.ci_high_ms = row.ci_high_ms.value_or(0);
    EXPECT_THAT(before, HasSubstr(name));
    EXPECT_THAT(after, HasSubstr(name + spread_text(summary) + ", "));
  }
  EXPECT_THAT(before, HasSubstr(" so far, "));
  EXPECT_THAT(after, testing::Not(HasSubstr("so far")));
}

TEST(Facts, advice_that_is_measured_goes_by_what_was_measured) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  std::vector<std::string> sweep{
      "sweep",     "--device", "cpu",  "--budget", "50ms", "--kernel", "cpu.fast,baseline.cpu",
      "--windows", "16x2",     "--db", file};
  add_tiny_layer(sweep);
  ASSERT_EQ(run_triscope(sweep).exit_code, 0);
  // What the database said before is known well, and wrong.
  constexpr double kPlantedMs = 4321;
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec(fmt::format("UPDATE measurement SET median_ms = {0}, ci_low_ms = 0.99 * {0}, ci_high_ms = 1.01 * {0}",
                        kPlantedMs));
  std::vector<std::string> advise{"advise", "--match",  "baseline.cpu", "--db",     file,
                                  "--json", "--budget", "300ms",        "--measure"};
  add_tiny_layer(advise);
  const ProgramResult result = run_triscope(advise);
  const std::vector<ResultRow> rows = Snapshot(file).results(2);
  ASSERT_THAT(rows, SizeIs(2)) << result.errors;
  const auto newest = [&](const char* kernel) {
    return *std::ranges::find(rows, std::string(kernel), &ResultRow::kernel);
  };
  const ResultRow ours = newest("cpu.fast"), match = newest("baseline.cpu");
  ASSERT_LT(ours.median_ms.value(), kPlantedMs / 2);
  std::vector<json> advice;
  std::istringstream output(result.output);
  for (std::string line; std::getline(output, line);) {
    if (json object = json::parse(line); object.at("type") == "advice") advice.push_back(std::move(object));
  }
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice.front().at("ms"), kPlantedMs) << "before it was measured";
  if (result.exit_code != 0) {  // on a busy machine the times may be known too badly for advice: then they are said
    EXPECT_THAT(advice, SizeIs(1));
    EXPECT_THAT(result.errors,
                testing::AnyOf(HasSubstr("cpu.fast took " + significant_text(*ours.median_ms, 3) + " ms here"),
                               HasSubstr("baseline.cpu took " + significant_text(*match.median_ms, 3) + " ms here")));
    return;
  }
  ASSERT_THAT(advice, SizeIs(2));
  const json& measured = advice.back();
  EXPECT_EQ(measured.at("measured"), true);
  EXPECT_DOUBLE_EQ(measured.at("low_ms"), ours.ci_low_ms.value());
  EXPECT_DOUBLE_EQ(measured.at("high_ms"), ours.ci_high_ms.value());
  EXPECT_DOUBLE_EQ(measured.at("match_low_ms"), match.ci_low_ms.value());
  EXPECT_DOUBLE_EQ(measured.at("match_high_ms"), match.ci_high_ms.value());
}

TEST(Facts, advice_without_a_measurement_takes_no_budget) {
  expect_error(run_triscope({"advise", "--seq", "64", "--budget", "1s"}), 2,
               "--budget without --measure: nothing is measured; add --measure, or leave it out");
}

TEST(Facts, advice_refuses_a_length_before_it_counts_tiles) {
  const Program::Options no_worker{.environment = {{"TRISCOPE_WORKER", "/no/such/worker"}}};
  expect_error(run_triscope({"advise", "--db", recorded_file(), "--seq", "1m"}, no_worker), 2,
               "the length is 1,048,576 where 2,048 to ");
}

TEST(Facts, advice_says_what_fits) {
  const std::vector<std::string> advise{"advise", "--db", recorded_file(), "--pass", "forward", "--seq"};
  const auto said = [&](const char* seq_len) {
    std::vector<std::string> words = advise;
    words.emplace_back(seq_len);
    const ProgramResult result = run_triscope(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  };
  EXPECT_THAT(said("2k"),
              AllOf(HasSubstr("\nNothing fits: the nearest takes "), HasSubstr("; measure smaller windows.\n")));
  // A build with CUDA knows the tiles of larger windows, and estimates them.
  EXPECT_THAT(said("64k"),
              testing::AnyOf(HasSubstr("; measure larger windows.\n"), HasSubstr("estimate by tiles from ")));
  EXPECT_THAT(said("32k"), testing::Not(HasSubstr("Nothing fits")));
  // 384x32 fits, 128x128 does not.
  const std::string some = run_triscope({"advise", "--db", recorded_file(), "--seq", "27k"}).output;
  EXPECT_THAT(
      some,
      AllOf(HasSubstr(" about what baseline.fa3 costs (within 1.25 times); with the second windows of the others"),
            testing::Not(HasSubstr("Nothing fits"))));
}

TEST(Facts, advice_is_by_turns_as_the_step_is) {
  const std::vector<std::string> common{"--db", recorded_file(), "--format", "json"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), common.begin(), common.end());
    return lines(run_triscope(words));
  };
  const std::vector<json> steps = with({"show", "--step"});
  std::size_t compared = 0;
  for (const char* seq_len : {"16384", "32768"}) {
    for (const json& one : with({"advise", "--seq", seq_len})) {
      if (!one.at("in_turns").get<bool>()) continue;
      const auto step = std::ranges::find_if(steps, [&](const json& of) {
        return of.at("windows") == json{one.at("window1"), one.at("window2")} && of.at("form") == "trilinear" &&
               std::to_string(of.at("seq_len").get<int>()) == seq_len && of.at("q_heads") == 64 &&
               of.at("kv_heads") == 1 && of.at("deterministic") == false;
      });
      ASSERT_NE(step, steps.end()) << one;
      EXPECT_EQ(one.at("over_match"), step->at("over_baseline").at("value"));
      EXPECT_EQ(one.at("over_match_low"), step->at("over_baseline").at("low"));
      EXPECT_EQ(one.at("in_turns_ms"), step->at("in_turns_ms"));
      EXPECT_EQ(one.at("match_in_turns_ms"), step->at("baseline_in_turns_ms"));
      ++compared;
    }
  }
  EXPECT_GE(compared, 4U);
  const std::string text = run_triscope({"advise", "--seq", "16k", "--db", recorded_file()}).output;
  EXPECT_THAT(text, HasSubstr(" 1.04  measured, "));
  EXPECT_THAT(text, HasSubstr("proposals are estimates: add --measure to measure all "));
}

TEST(Facts, advice_of_one_pass_is_by_turns_as_the_table_is) {
  const std::vector<json> rows =
      lines(run_triscope({"paper", "lengths", "--window", "512x32", "--db", recorded_file(), "--format", "json"}));
  const auto row = std::ranges::find_if(
      rows, [](const json& of) { return of.at("pass") == "forward" && of.at("seq_len") == 32768; });
  ASSERT_NE(row, rows.end());
  bool found = false;
  for (const json& one : lines(run_triscope(
           {"advise", "--seq", "32k", "--pass", "forward", "--db", recorded_file(), "--format", "json"}))) {
    if (one.at("window1") != 512 || one.at("window2") != 32) continue;
    found = true;
    EXPECT_EQ(one.at("over_match"), row->at("ratio"));
    EXPECT_EQ(one.at("over_match_high"), row->at("ratio_high"));
  }
  EXPECT_TRUE(found);
}

TEST(Facts, advice_and_the_layer_calculator_say_the_same) {
  for (const char* seq_len : {"32k", "48k"}) {
    std::size_t known = 0;
    for (const json& line :
         lines(run_triscope({"advise", "--db", recorded_file(), "--seq", seq_len, "--format", "json"}))) {
      const std::string windows = fmt::format("{}x{}", line.at("window1").get<int>(), line.at("window2").get<int>());
      const ProgramResult told = run_triscope(
          {"paper", "recipe", "--db", recorded_file(), "--seq", seq_len, "--window", windows, "--format", "json"});
      if (line.at("type") == "not_advised") {
        EXPECT_EQ(told.exit_code, 2) << windows;
        const std::string reason = line.at("reason");
        EXPECT_THAT(told.errors, HasSubstr(reason.substr(reason.find(": ") + 2))) << windows;
        continue;
      }
      ++known;
      ASSERT_EQ(told.exit_code, 0) << told.errors;
      const json mix = lines(told).back();
      for (const char* end : {"low_ms", "high_ms"}) {
        const auto step = [&](const char* layer) {
          const auto of = [&](const char* pass) { return mix.at(std::string(layer) + pass).at(end).get<double>(); };
          return of("_forward") + of("_backward");
        };
        EXPECT_DOUBLE_EQ(line.at(end), step("simplicial")) << windows;
        EXPECT_DOUBLE_EQ(line.at(std::string("match_") + end), step("global")) << windows;
      }
    }
    EXPECT_GT(known, 0U) << seq_len;
  }
}

TEST(Facts, a_comparison_says_that_its_ratio_is_not_the_quotient_of_medians) {
  const TemporaryFolder folder;
  write_small_history(folder / "x.db");
  const auto said = [](const char* a, const char* b, const std::string& file) {
    return run_triscope({"compare", a, b, "--db", file}).output;
  };
  EXPECT_THAT(said("kernel:cuda.hopper@1", "kernel:baseline.fa3@1", recorded_file()),
              HasSubstr("the quotient of the two medians may lie"));
  EXPECT_THAT(said("1", "2", (folder / "x.db").string()),
              AllOf(HasSubstr(" compared"), testing::Not(HasSubstr("quotient"))));
}

TEST(Facts, a_starred_sweep_has_a_legend) {
  const TemporaryFolder folder;
  write_small_history(folder / "x.db");
  const std::vector<std::string> list{"list", "--db", (folder / "x.db").string()};
  EXPECT_THAT(run_triscope(list).output, testing::Not(HasSubstr("starred")));
  Store(folder / "x.db").set_starred(1, true);
  EXPECT_THAT(run_triscope(list).output, AllOf(HasSubstr("*1"), HasSubstr("* starred in the window")));
}

TEST(Facts, an_empty_file_is_a_database_to_be) {
  const TemporaryFolder folder;
  { std::ofstream(folder / "x.db"); }
  const ProgramResult doctor = run_triscope({"doctor", "--db", (folder / "x.db").string()});
  EXPECT_THAT(doctor.output, HasSubstr("x.db will be created"));
}

TEST(Facts, no_database_will_be_where_there_is_no_folder) {
  const TemporaryFolder folder;
  const std::string file = (folder / "none").string() + "/x.db";
  const ProgramResult named = run_triscope({"doctor", "--db", file});
  EXPECT_EQ(named.exit_code, 3);
  EXPECT_THAT(named.output, HasSubstr("x.db cannot be created: there is no folder " + (folder / "none").string()));
  const ProgramResult usual = run_triscope(
      {"doctor"}, {.environment = {{"XDG_DATA_HOME", (folder / "home").string()}}, .output = {}, .new_group = false});
  EXPECT_THAT(usual.output, HasSubstr("results.db will be created"));
}

TEST(Facts, a_folder_without_room_of_its_own_is_no_full_disk) {
  const ProgramResult result = run_triscope(
      {"sweep", "--device", "cpu", "--windows", "2x2", "--seq", "8", "--kernel", "cpu.fast", "--db", "/proc/x.db"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("full")));
}

}  // namespace
}  // namespace triscope
