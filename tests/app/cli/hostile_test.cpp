// Every command that opens a database, on the databases of strangers: no signal, nothing executed, one sentence.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "profiler/record/environment_difference.hpp"
#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

/// Every command that opens a database, on `file`; those that write elsewhere on `target`.
std::vector<std::vector<std::string>> commands_on(const std::string& file, const std::string& target) {
  return {{"list", "--db", file},
          {"list", "--db", file, "--format", "json"},
          {"search", "a", "--db", file},
          {"show", "1", "--db", file},
          {"show", "m3", "--db", file},
          {"show", "1", "--db", file, "--format", "md"},
          {"compare", "kernel:cuda.hopper", "kernel:cuda.portable", "--db", file},
          {"export", "--db", file},
          {"export", "--table", "--db", file},
          {"import", file, "--db", target},
          {"list", "--db", target},
          {"sweep", "--resume", "--db", target},
          {"sweep", "--resume", "1", "--db", file},
          {"paper", "recipe", "--db", file},
          {"explore", file, "--y", "ratio"},
          {"advise", "--seq", "1024", "--db", file},
          {"doctor", "--db", file}};
}
const Program::Options kNoWorker{.environment = {{"TRISCOPE_WORKER", "/no/such/worker"}}};

TEST(HostileDatabases, no_command_crashes_runs_anything_or_says_more_than_a_sentence) {
  const TemporaryFolder folder;
  const std::filesystem::path mark = folder / "mark", place = folder / "made";
  std::filesystem::create_directory(place);
  for (const HostileDatabase& hostile : write_hostile_databases(place, mark)) {
    const std::string file = hostile.file.string(), target = (folder / (hostile.name + ".target.db")).string();
    for (const std::vector<std::string>& command : commands_on(file, target)) {
      const ProgramResult result = run_triscope(command, kNoWorker);
      std::string line = hostile.name;
      for (const std::string& word : command) line += " " + word;
      EXPECT_EQ(result.signal, 0) << line << "\n" << result.errors;
      const auto sentences = std::count(result.errors.begin(), result.errors.end(), '\n');
      const bool left_out = command[0] == "import" && result.exit_code <= 1;  // a sentence for each of three
      EXPECT_LE(sentences, left_out ? 10 : 1) << line << "\n" << result.errors.substr(0, 2000);
      EXPECT_LT(result.errors.size(), 4000u) << line;
      const bool reads = command[0] == "list" || command[0] == "export" || command[0] == "import";
      const bool must_refuse = hostile.refused && reads && command[2] != target;
      EXPECT_TRUE(!must_refuse || result.exit_code == 3) << line;
    }
    EXPECT_FALSE(std::filesystem::exists(mark)) << hostile.name;
  }
}

TEST(HostileDatabases, a_line_feed_in_a_value_makes_no_second_line_of_an_error) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "x.db";
  const std::string device = "CPU\ntriscope: all is well";
  const std::vector<std::string> sweep = {"sweep", "--db",        file.string(), "--windows",  "2x2",      "--seq",
                                          "32",    "--q-heads",   "2",           "--kv-heads", "1",        "--head-dim",
                                          "16",    "--device",    "cpu",         "--kernel",   "cpu.fast", "--budget",
                                          "20ms",  "--precision", "50%"};
  ASSERT_EQ(run_triscope(sweep).exit_code, 0);
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    SQLite::Statement rename(database, "UPDATE environment SET device_name = ?");
    rename.bind(1, device);
    rename.exec();
    database.exec(
        "UPDATE sweep SET finished_unix_ns = NULL, planned = planned + 1; UPDATE measurement SET reason = 'slow' || "
        "char(10) || '  speed          9 TFLOP/s'; PRAGMA journal_mode = DELETE");
  }
  EXPECT_THAT(run_triscope({"show", "m1", "--db", file.string()}).output,
              testing::HasSubstr("ok: slow   speed          9 TFLOP/s\n"))
      << "no line of its own";
  const std::string before = read_bytes(file);
  expect_error(run_triscope({"sweep", "--resume", "1", "--db", file.string()}), 2,
               "CPU triscope: all is well, but this is");
  EXPECT_TRUE(read_bytes(file) == before) << "a sweep that is refused changes no byte, not even how it is journaled";
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "PRAGMA ignore_check_constraints = ON; UPDATE measurement SET status = 'ev' || char(10) || 'il' WHERE id = "
          "1");
  const ProgramResult imported = run_triscope({"import", file.string(), "--db", (folder / "target.db").string()});
  EXPECT_EQ(imported.exit_code, 0);
  EXPECT_THAT(imported.errors, testing::HasSubstr("ev il"));
  EXPECT_EQ(std::count(imported.errors.begin(), imported.errors.end(), '\n'), 1) << imported.errors;
}

TEST(HostileDatabases, minus_zero_in_a_request_is_zero) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "x.db";
  const std::vector<std::string> sweep = {"sweep", "--db",        file.string(), "--windows",  "2x2",     "--seq",
                                          "32",    "--q-heads",   "2",           "--head-dim", "16",      "--device",
                                          "cpu",   "--kernel",    "cpu.fast",    "--pass",     "forward", "--budget",
                                          "100ms", "--precision", "50%",         "--restarts", "2",       "--k2-bias",
                                          "-0.0",  "--sink",      "-0.0"};
  const ProgramResult first = run_triscope(sweep);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE sweep SET finished_unix_ns = NULL, planned = planned + 1; PRAGMA journal_mode = DELETE");
  const ProgramResult resumed = run_triscope({"sweep", "--resume", "1", "--db", file.string()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(Snapshot(file).results().size(), 1u);
}

TEST(HostileDatabases, a_row_whose_samples_say_something_else_has_one_answer_and_every_command_says_so) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "x.db";
  write_synthetic_database(file, 10, 20);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE measurement SET median_ms = 123.5, ci_low_ms = 123, ci_high_ms = 124 WHERE id = 8; "
          "PRAGMA journal_mode = DELETE");
  const std::string said = "its file says a median of 123.5 ms, where its samples have ";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"show", "1"},
                                                                                       {"show", "m8"},
                                                                                       {"show", "1", "--format", "csv"},
                                                                                       {"export"},
                                                                                       {"export", "--table"},
                                                                                       {"compare", "m8", "m7"},
                                                                                       {"explore"}}) {
    std::vector<std::string> words = command;
    if (command[0] != "explore") words.emplace_back("--db");
    words.push_back(file.string());
    const ProgramResult result = run_triscope(words);
    EXPECT_EQ(result.exit_code, 0) << command[0] << result.errors;
    EXPECT_THAT(result.output, testing::HasSubstr("123.5")) << command[0];
    EXPECT_THAT(result.output + result.errors, testing::HasSubstr(said)) << command[0];
    EXPECT_LE(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET median_ms = 125.5, ci_low_ms = 125, ci_high_ms = 126 WHERE id IN (5, 9)");
  const ProgramResult three = run_triscope({"export", "--db", file.string()});
  EXPECT_THAT(
      three.errors,
      testing::HasSubstr("3 rows have other times than their samples, m5 for one: its file says a median of 125"))
      << "one line for all";
  EXPECT_EQ(std::count(three.errors.begin(), three.errors.end(), '\n'), 1) << three.errors;
}

TEST(HostileDatabases, an_impossible_row_is_shown_as_failed_with_its_reason) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "x.db";
  write_synthetic_database(file, 10, 20);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE;"
          "UPDATE measurement SET error = -1 WHERE id = 3; UPDATE measurement SET median_ms = 1e-300 WHERE id = 4; "
          "UPDATE measurement SET kernel = 999 WHERE id = 5; UPDATE measurement SET status = 'evil' WHERE id = 6; "
          "UPDATE sample SET duration_ns = -5 WHERE measurement = 7 AND ordinal = 2; "
          "INSERT OR REPLACE INTO cross_check VALUES (8, 'evil', 1, 1, 1, 3, '')");

  const std::string table = run_triscope({"show", "1", "--db", file.string()}).output;
  for (const auto& [id, status, reason] :
       std::vector<std::array<const char*, 3>>{{"m3", "failed", "error is -1"},
                                               {"m4", "failed", "median_ms is 1e-300"},
                                               {"m5", "failed", "its kernel is missing"},
                                               {"m6", "failed", "its status is \"evil\", which Triscope does not know"},
                                               {"m7", "ok", "duration_ns of a sample is -5"}}) {
    const ProgramResult shown = run_triscope({"show", id, "--db", file.string()});
    EXPECT_EQ(shown.exit_code, 0) << id << shown.errors;
    EXPECT_THAT(shown.output, testing::StartsWith(std::string(id) + " of sweep 1: "));
    EXPECT_THAT(shown.output, testing::ContainsRegex(std::string("status +") + status + ": .*")) << id;
    EXPECT_THAT(shown.output, testing::HasSubstr(reason)) << id;
    EXPECT_THAT(table, testing::HasSubstr(reason)) << id << ": the table says the same";
  }
  EXPECT_THAT(run_triscope({"show", "m7", "--db", file.string()}).output, testing::HasSubstr(" ms median"));
  EXPECT_THAT(run_triscope({"show", "m8", "--db", file.string()}).output,
              testing::ContainsRegex("status +ok: its cross-check cannot be used: its timing_source is \"evil\""));
  EXPECT_THAT(table, testing::HasSubstr("m8: its cross-check cannot be used"));
  const ProgramResult listed = run_triscope({"list", "--db", file.string()});
  EXPECT_THAT(listed.output, testing::HasSubstr("left out because it cannot be used: a part of 1 row of sweep 1; "
                                                "`triscope show 1 --db "));
  const auto sweep = json_lines(run_triscope({"list", "--json", "--db", file.string()})).at(0);
  EXPECT_EQ(sweep.at("failed"), 4) << "as in the table";
  EXPECT_EQ(sweep.at("lack_a_part"), 1);
}

/// A database of ten rows that `sql` has damaged.
std::string damaged(const TemporaryFolder& folder, const std::string& name, const std::string& sql) {
  const std::filesystem::path file = folder / name;
  write_synthetic_database(file, 10, 20);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE; " + sql);
  return file.string();
}

TEST(HostileDatabases, a_long_reason_is_cut_with_its_length_said_and_programs_have_it_whole) {
  const TemporaryFolder folder;
  const std::string file =
      damaged(folder, "x.db", "UPDATE measurement SET reason = replace(hex(zeroblob(5000000)), '0', 'a') WHERE id = 2");
  for (const char* const what : {"1", "m2"}) {
    const std::string shown = run_triscope({"show", what, "--db", file}).output;
    EXPECT_LT(shown.size(), 10'000U) << what;
    EXPECT_THAT(shown, testing::HasSubstr("aaa... (10000000 bytes in all)")) << what;
  }
  EXPECT_GT(run_triscope({"show", "m2", "--json", "--db", file}).output.size(), 10'000'000U);
}

TEST(HostileDatabases, nobody_is_told_to_measure_longer_where_samples_cannot_be_read) {
  const TemporaryFolder folder;
  const std::string file =
      damaged(folder, "x.db", "UPDATE sample SET duration_ns = -5 WHERE measurement = 7 AND ordinal = 2");
  const ProgramResult compared = run_triscope({"compare", "m8", "m7", "--db", file});
  EXPECT_THAT(compared.output, testing::HasSubstr("m8 with m7: B has no samples that can be used."));
  EXPECT_THAT(compared.output + compared.errors, testing::Not(testing::HasSubstr("measure longer")));
}

TEST(HostileDatabases, a_row_without_its_sweep_or_environment_has_failed) {
  const TemporaryFolder folder;
  for (const auto& [table, why] :
       {std::pair{"environment", "its environment is missing"}, std::pair{"sweep", "its sweep is missing"}}) {
    const std::string file = damaged(folder, table, fmt::format("DELETE FROM {}", table));
    const ProgramResult one = run_triscope({"show", "m1", "--db", file});
    EXPECT_THAT(one.output, testing::ContainsRegex(fmt::format("status +failed: .*{}", why)));
    EXPECT_THAT(one.output, testing::Not(testing::HasSubstr("latency")));
  }
}

TEST(HostileDatabases, a_row_whose_problem_cannot_be_read_states_none) {
  const TemporaryFolder folder;
  const std::string file = damaged(folder, "x.db", "UPDATE config SET form = 'quadratic'");
  const std::string one = run_triscope({"show", "m1", "--db", file}).output;
  EXPECT_THAT(one, testing::HasSubstr("its form is \"quadratic\", which Triscope does not know"));
  EXPECT_THAT(one, testing::Not(testing::HasSubstr("1x1")));
}

TEST(HostileDatabases, a_sweep_that_cannot_be_used_has_no_training_step) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  write_synthetic_database(file, 30, 20);  // both passes of some problems
  const auto listed = [&] { return json_lines(run_triscope({"list", "--step", "--json", "--db", file})).at(0); };
  ASSERT_NE(listed().value("training_step", ""), "");
  SQLite::Database(file, SQLite::OPEN_READWRITE).exec("UPDATE sweep SET planned = -1");
  const auto sweep = listed();
  EXPECT_EQ(sweep.at("state"), "unusable");
  EXPECT_EQ(sweep.value("training_step", ""), "");
}

TEST(HostileDatabases, rows_of_a_sweep_that_cannot_be_used_are_not_taken_without_a_word) {
  const TemporaryFolder folder;
  const std::string file = damaged(folder, "x.db", "UPDATE sweep SET planned = -1");
  const std::string said = "sweep 1 (planned is -1) cannot be used as a whole: its rows are taken as they are\n";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"show", "1"}, {"show", "m2"}, {"show", "1", "--json"}, {"compare", "m8", "m7"}, {"export"}, {"explore"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--db", file});
    const ProgramResult result = run_triscope(words);
    EXPECT_EQ(result.exit_code, 0) << command[0] << result.errors;
    EXPECT_THAT(result.output + result.errors, testing::HasSubstr(said)) << command[0];
  }
}

TEST(HostileDatabases, an_import_says_in_words_what_it_leaves_out_and_fails_where_that_is_all) {
  const TemporaryFolder folder;
  const auto import = [&](const std::string& name, const std::string& sql) {
    return run_triscope({"import", damaged(folder, name, sql), "--db", (folder / (name + ".target.db")).string()});
  };
  const ProgramResult identity = import("a.db", "UPDATE sweep SET uuid = 'short'");
  EXPECT_EQ(identity.exit_code, 1);
  EXPECT_THAT(identity.output, testing::HasSubstr("nothing was copied"));
  EXPECT_THAT(identity.errors, testing::HasSubstr("sweep 1 was not copied: it breaks the rule length(uuid) = 32"));
  EXPECT_THAT(identity.errors, testing::Not(testing::HasSubstr("constraint")));
  const ProgramResult rows = import("b.db", "UPDATE measurement SET status = 'evil' WHERE id > 1");
  EXPECT_EQ(rows.exit_code, 0) << "one row was copied";
  EXPECT_THAT(rows.errors, testing::HasSubstr("its status is \"evil\""));
  EXPECT_THAT(rows.errors, testing::HasSubstr("7 more were not copied"));
  EXPECT_EQ(std::count(rows.errors.begin(), rows.errors.end(), '\n'), 4) << rows.errors;
}

TEST(HostileDatabases, an_import_says_which_rows_it_takes_that_show_calls_unusable) {
  const TemporaryFolder folder;
  const std::string file = damaged(folder, "a.db", "UPDATE measurement SET median_ms = -3 WHERE id = 1");
  EXPECT_THAT(run_triscope({"show", "m1", "--db", file}).output, testing::HasSubstr("median_ms is -3"));
  const std::string target = (folder / "b.db").string();
  const ProgramResult first = run_triscope({"import", file, "--db", target});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.errors,
              testing::HasSubstr("measurement 1 of sweep 1 was copied, but not as it is there: its file said a "
                                 "median of -3 ms"));
  EXPECT_THAT(run_triscope({"import", file, "--db", target}).errors,
              testing::Not(testing::HasSubstr("not as it is there")))
      << "it is there";
  const ProgramResult corrected = run_triscope({"import", target, "--db", (folder / "c.db").string()});
  EXPECT_THAT(corrected.errors, testing::Not(testing::HasSubstr("not as it is there")))
      << "those of that file are its own";
  const std::string claimed =
      damaged(folder, "d.db",
              "UPDATE measurement SET median_ms = 0.001, reason = 'x computed again from the samples' WHERE id = 2");
  EXPECT_THAT(run_triscope({"import", claimed, "--db", (folder / "e.db").string()}).errors,
              testing::HasSubstr("measurement 2 of sweep 1 was copied, but not as it is there"))
      << "whatever its reason says";
}

TEST(HostileDatabases, settings_of_a_request_that_are_none_are_not_compared) {
  SweepInfo sweep;
  sweep.request_json = R"({"restarts":"3","seed":7,"tensors":")" + std::string(10'000, 't') +
                       R"(","stopping":{"precision":0.01,"budget_ns":1000000000,"x":1,"y":[2]}})";
  std::vector<std::string> names;
  for (const PlaceFact& fact : settings_of(sweep)) {
    names.push_back(fact.name);
    EXPECT_LE(fact.value.size(), 200u);
  }
  EXPECT_THAT(names, testing::ElementsAre("restarts", "precision", "budget", "seed", "tensors"));
}

TEST(HostileDatabases, a_request_that_is_nested_deeply_does_not_end_a_comparison) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "x.db";
  write_synthetic_database(file, 10, 3);
  {
    Store store(file);
    const std::string nested = std::string(400'000, '[') + std::string(400'000, ']');
    const std::int64_t sweep =
        store.begin_sweep("triscope sweep", R"({"seed":)" + nested + "}", synthetic_environment(), 10);
    for (std::int64_t index = 0; index < 10; ++index) store.add(sweep, synthetic_measurement(index, 3));
    store.finish_sweep(sweep);
  }
  for (const char* format : {"table", "json"}) {
    const ProgramResult result = run_triscope({"compare", "1", "2", "--format", format, "--db", file.string()});
    EXPECT_EQ(result.signal, 0) << format;
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
}

std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found[entry.path().filename()] = read_bytes(entry.path());
  return found;
}

TEST(HostileDatabases, no_command_touches_what_only_has_the_name_of_a_journal_or_a_log) {
  const TemporaryFolder folder;
  const std::filesystem::path there = folder / "there", file = there / "x.db", source = folder / "source.db";
  std::filesystem::create_directory(there);
  for (const std::filesystem::path& database : {file, source}) write_synthetic_database(database, 10, 3);
  for (const char* end : {"-journal", "-wal", "-shm"}) {
    std::ofstream(file.string() + end) << "my own notes";
    const auto before = contents(there);
    auto commands = commands_on(file.string(), (folder / "target.db").string());
    commands.push_back({"import", source.string(), "--db", file.string()});
    commands.push_back({"doctor", "--rebuild-view", "--db", file.string()});
    for (const std::vector<std::string>& command : commands) {
      const ProgramResult result = run_triscope(command, kNoWorker);
      EXPECT_NE(result.exit_code, 0) << command[0];
      EXPECT_EQ(contents(there), before) << command[0] << end;
      if (command[0] == "list" && command[2] == file) {
        EXPECT_EQ(result.exit_code, 3);
        EXPECT_THAT(result.errors, testing::HasSubstr("; move x.db" + std::string(end) + " away."));
      }
    }
    std::filesystem::remove(file.string() + end);
  }
}

TEST(HostileDatabases, a_name_that_leads_nowhere_is_not_called_a_missing_file) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("x.db", folder / "x.db");
  expect_error(run_triscope({"list", "--db", (folder / "x.db").string()}), 3, "Too many levels of symbolic links");
}

TEST(HostileDatabases, no_command_that_reads_changes_a_database_with_a_log_that_was_left_behind) {
  const TemporaryFolder folder;
  const std::filesystem::path whole = folder / "whole.db", there = folder / "there", file = there / "x.db";
  std::filesystem::create_directory(there);
  write_synthetic_database(whole, 10, 3);
  Store store(whole);
  store.set_note(1, "from the log");
  for (const char* end : {"", "-wal"}) std::filesystem::copy_file(whole.string() + end, file.string() + end);
  const auto before = contents(there);
  for (const std::vector<std::string>& command : commands_on(file.string(), (folder / "target.db").string())) {
    const ProgramResult result = run_triscope(command, kNoWorker);
    EXPECT_EQ(result.signal, 0) << command[0];
    EXPECT_EQ(contents(there), before) << command[0];
    if (command[0] == "export") {
      EXPECT_EQ(result.exit_code, 0) << result.errors;
    }
  }
  EXPECT_EQ(Snapshot(folder / "target.db").sweep(1)->note, "from the log");
}

}  // namespace
}  // namespace triscope
