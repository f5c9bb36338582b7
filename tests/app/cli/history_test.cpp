// Stored sweeps through the real program: listed, shown, compared, exported, imported.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/record/recorded_database.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using namespace std::string_literals;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class HistoryTest : public testing::Test {
 protected:
  void SetUp() override { write_small_history(file_); }
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.emplace_back("--db");
    arguments.push_back(file_.string());
    return run_triscope(arguments);
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "history.db";
};

TEST_F(HistoryTest, list_shows_newest_first) {
  const ProgramResult table = run({"list"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  std::istringstream stream(run({"list", "--format", "json"}).output);
  std::vector<std::int64_t> ids;
  for (std::string line; std::getline(stream, line);) ids.push_back(nlohmann::json::parse(line).at("sweep"));
  EXPECT_THAT(ids, ElementsAre(2, 1));
}

TEST_F(HistoryTest, show_prints_every_measurement_of_the_sweep) {
  const ProgramResult table = run({"show", "1"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  for (const ResultRow& row : Snapshot(file_).results(1)) {
    EXPECT_THAT(table.output, HasSubstr("m" + std::to_string(row.measurement) + " "));
    EXPECT_THAT(table.output, HasSubstr(row.reason));
  }
}

TEST_F(HistoryTest, show_prints_one_measurement_in_full) {
  const ProgramResult result = run({"show", "m1"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  for (const char* part : {"m1 of sweep 1", "latency", "quartiles", "errors", "FLOP/byte"})
    EXPECT_THAT(result.output, HasSubstr(part));
  for (const char* part :
       {"host synthetic, GPU-00000000-0000-0000-0000-000000000001, driver 580.159", "commit 0123456789ab"}) {
    EXPECT_THAT(result.output, HasSubstr(part));
  }
}

TEST_F(HistoryTest, show_marks_what_was_measured_in_another_environment_than_most) {
  EXPECT_THAT(run({"show", "1"}).output, Not(HasSubstr("environment")));
  const std::vector<ResultRow> rows = Snapshot(file_).results(1);
  Environment other = synthetic_environment();
  other.host = "elsewhere";
  other.git_commit = "fedcba";
  {
    Store store(file_);
    store.resume_sweep(1, other);
    Measurement changed = *Snapshot(file_).measurement(rows[3].measurement);
    changed.source_hash = "changed since";
    store.add(1, changed);
  }
  const std::string output = run({"show", "1"}).output;
  const std::string id = "m" + std::to_string(rows[3].measurement);
  EXPECT_THAT(output, HasSubstr(id + ": measured in another environment than most rows: commit fedcba (not "
                                     "0123456789ab), host elsewhere (not synthetic)\n"));
  std::istringstream stream(output);
  std::int64_t marked = 0;
  for (std::string line; std::getline(stream, line);)
    marked += line.find(" other ") != std::string::npos || line.ends_with(" other");
  EXPECT_EQ(marked, 1) << output;
}

TEST_F(HistoryTest, nothing_has_a_verdict_against_itself) {
  const std::string one = "m" + std::to_string(kHistoryMeasurements / 2);
  for (const std::string& what : {std::string("1"), one, "kernel:cuda.hopper@1"s})
    expect_error(run({"compare", what, what, "--fail-if", "longer>1%"}), 2, "both name the same measurements");
  expect_error(run({"compare", "2", "latest"}), 2, "both name the same measurements");
}

/// A third sweep with the first `count` configurations of the others, each `factor` times as slow.
void add_part(const std::filesystem::path& file, std::int64_t count, double factor) {
  Store store(file);
  const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), count);
  for (std::int64_t index = 50; index < 50 + count; ++index) {
    Measurement m = synthetic_measurement(index, 20);
    for (Sample& sample : m.samples)
      sample.duration_ns = static_cast<std::int64_t>(static_cast<double>(sample.duration_ns) * factor);
    store.add(sweep, m);
  }
  store.finish_sweep(sweep);
}

TEST_F(HistoryTest, a_gate_does_not_pass_when_a_lacks_what_b_has) {
  add_part(file_, 3, 1);
  const ProgramResult lacking = run({"compare", "3", "1", "--fail-if", "longer>2%"});
  EXPECT_EQ(lacking.exit_code, 1) << lacking.output;
  EXPECT_THAT(lacking.errors, HasSubstr("A lacks "));
  EXPECT_THAT(lacking.output, HasSubstr("3 compared"));
  EXPECT_THAT(lacking.output, HasSubstr("without a partner: 0 of A, 9 of B"));
  const ProgramResult ungated = run({"compare", "3", "1"});
  EXPECT_EQ(ungated.exit_code, 0) << "without a gate there is nothing to fail";
  const ProgramResult other_way = run({"compare", "1", "3", "--fail-if", "longer>2%"});
  EXPECT_EQ(other_way.exit_code, 0) << "what A has more does not matter: " << other_way.errors;
}

TEST_F(HistoryTest, a_gate_fails_on_what_it_names_and_json_counts) {
  add_part(file_, 3, 1.5);
  const ProgramResult slower = run({"compare", "3", "1", "--fail-if", "longer>2%", "--format", "json"});
  EXPECT_EQ(slower.exit_code, 1);
  std::istringstream stream(slower.output);
  nlohmann::json last;
  for (std::string line; std::getline(stream, line);) last = nlohmann::json::parse(line);
  EXPECT_THAT(run({"compare", "3", "1"}).output, HasSubstr("1.50x longer  1.497 .. 1.503"))
      << "the interval is that of the verdict";
  EXPECT_EQ(last.at("type"), "summary");
  EXPECT_EQ(last.at("compared"), 3);
  EXPECT_EQ(last.at("longer"), 3);
  EXPECT_EQ(last.at("only_b"), 9);
  EXPECT_EQ(last.at("violations"), 3);
  EXPECT_EQ(last.at("fails"), true);
}

TEST_F(HistoryTest, kernels_without_a_common_question_are_sent_to_the_sweep_that_holds_both) {
  Measurement other = synthetic_measurement(45, 20);
  other.key.kernel = "cpu.other";
  {
    Store store(file_);
    const std::int64_t both = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
    store.add(both, synthetic_measurement(45, 20));
    store.add(both, other);
    other.key.problem.seq_len += 1;
    store.add(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), other);
  }
  const std::string kernel = Snapshot(file_).results(3).front().kernel;
  expect_error(run({"compare", "kernel:cpu.other", "kernel:" + kernel}), 2,
               "of 1 measurement of A (sweep 4) none has the same problem, pass, regime and clock as one of the 1 "
               "of B (sweep 3); "
               "sweep 3 holds both: `triscope compare kernel:cpu.other@3 kernel:" +
                   kernel + "@3 --db " + file_.string() + "`");
}

TEST_F(HistoryTest, versions_of_two_passes_are_sent_to_those_of_one) {
  {
    Store store(file_);
    const std::int64_t both = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      Measurement one = synthetic_measurement(45, 20);
      one.key.kernel = "cpu.other";
      one.key.pass = pass;
      one.source_hash = pass == Pass::forward ? "7ca50e000000" : "2c6a73000000";
      store.add(both, one);
    }
  }
  const ProgramResult result = run({"compare", "kernel:cpu.other@7ca50e", "kernel:cpu.other@2c6a73"});
  expect_error(result, 2,
               "2c6a73 is a version of the backward, 7ca50e of the forward; name two versions of one pass: `triscope "
               "explore --x version --where kernel=cpu.other --db " +
                   file_.string() + "` lists them");
}

TEST_F(HistoryTest, versions_are_told_beside_what_did_not_change_between_their_sweeps) {
  const std::filesystem::path file = folder_ / "versions.db";
  {
    Store store(file);
    for (const bool newer : {false, true}) {
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
      const auto add = [&](const char* kernel, const char* instance, const char* hash, std::int64_t duration_ns) {
        Measurement one = synthetic_measurement(45, 20);
        one.key.kernel = kernel;
        one.key.instance = instance;
        one.source_hash = hash;
        for (Sample& sample : one.samples) {
          sample.duration_ns = duration_ns;
          sample.sm_clock_mhz = newer ? 1470 : 1500;
        }
        one.summary = summarize(one.samples, StoppingRule{});
        store.add(sweep, one);
      };
      add("cpu.other", "default", newer ? "2c6a73000000" : "63ca6c000000", newer ? 1'100'000 : 1'000'000);
      add("baseline.fa3", "0.3.6", newer ? "05c2e1000000" : "25a658000000", newer ? 510'000 : 500'000);
    }
  }
  const std::vector<std::string> words{"compare", "kernel:cpu.other@2c6a73", "kernel:cpu.other@63ca6c", "--db",
                                       file.string()};
  const ProgramResult table = run_triscope(words);
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("1.078")) << "in cycles, three decimals";
  EXPECT_THAT(table.output, HasSubstr("1 unchanged measurement (baseline.fa3): time A / B 1.020; in cycles 1.000."));
  EXPECT_THAT(table.output, HasSubstr("Too few to say how much they vary: 5 are needed."));
  std::vector<std::string> json = words;
  json.emplace_back("--json");
  EXPECT_THAT(run_triscope(json).output, testing::ContainsRegex("\"type\":\"unchanged\""));
  std::vector<std::string> markdown = words;
  markdown.insert(markdown.end(), {"--format", "md"});
  EXPECT_THAT(run_triscope(markdown).output, testing::AllOf(HasSubstr("in cycles"), HasSubstr("1.078")));
}

TEST_F(HistoryTest, a_gate_fails_when_nothing_can_be_paired) {
  Store(file_).begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
  const ProgramResult gated = run({"compare", "3", "1", "--fail-if", "longer>2%"});
  expect_error(gated, 1,
               "of 0 measurements of A none has the same problem, pass, regime and clock as one of the 12 of B");
  expect_error(run({"compare", "3", "1"}), 2, "of 0 measurements of A none has");
  const ProgramResult json = run({"compare", "3", "1", "--fail-if", "longer>2%", "--format", "json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_THAT(json.output, HasSubstr("\"compared\":0"));
}

TEST_F(HistoryTest, importing_what_cannot_be_read_leaves_no_target_behind) {
  const std::filesystem::path letter = folder_ / "letter.txt", target = folder_ / "new.db";
  std::ofstream(letter) << "Dear reader, this is no database, and it is long enough to be looked at.";
  expect_error(run_triscope({"import", letter.string(), "--db", target.string()}), 3, "letter.txt");
  const ProgramResult missing = run_triscope({"import", (folder_ / "none.db").string(), "--db", target.string()});
  expect_error(missing, 3, "there is no such file");
  expect_error(run_triscope({"import", folder_.path().string(), "--db", target.string()}), 2,
               "it is a folder; name a file in it");
  expect_error(run_triscope({"import", "", "--db", target.string()}), 2, "import ''");
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("DROP VIEW result; CREATE VIEW result AS SELECT 1 AS measurement");
  expect_error(run_triscope({"import", file_.string(), "--db", target.string()}), 3, "--rebuild-view");
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(HistoryTest, resuming_a_sweep_whose_request_was_left_out_of_the_import_says_so) {
  const std::filesystem::path target = folder_ / "new.db";
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("UPDATE sweep SET request = '{{{'");
  const ProgramResult imported = run_triscope({"import", file_.string(), "--db", target.string()});
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  expect_error(run_triscope({"sweep", "--resume", "1", "--db", target.string()}), 3,
               "it could not be used and was left out");
}

TEST_F(HistoryTest, a_sweep_whose_environment_is_bad_is_not_blamed_on_its_request) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec(
          "PRAGMA foreign_keys = OFF; UPDATE sweep SET finished_unix_ns = NULL; UPDATE sweep SET environment = 77 "
          "WHERE id = 2");
  const std::string table = run({"list"}).output;
  EXPECT_THAT(table, HasSubstr("unusable"));
  EXPECT_THAT(table, HasSubstr("cannot be used: its environment is missing"));
  EXPECT_THAT(table, Not(HasSubstr("bad request")));
  std::map<std::int64_t, nlohmann::json> listed;
  for (const nlohmann::json& sweep : json_lines(run({"list", "--json"}))) listed[sweep.at("sweep")] = sweep;
  EXPECT_EQ(listed.at(2).at("state"), "unusable");
  EXPECT_EQ(listed.at(2).at("request_problem"), "its environment is missing");
  EXPECT_EQ(listed.at(1).at("state"), "interrupted");
  EXPECT_EQ(listed.at(1).at("request_problem"), "");
  expect_error(run({"sweep", "--resume", "2"}), 3, "sweep 2 cannot be resumed: its environment is missing");
  const ProgramResult newest = run({"sweep", "--resume"});
  EXPECT_THAT(newest.errors, Not(HasSubstr("sweep 2"))) << "sweep 1 is the newest that can be";
  EXPECT_THAT(newest.errors, HasSubstr("sweep 1"));
}

TEST_F(HistoryTest, an_import_that_copies_nothing_says_why) {
  const std::string target = (folder_ / "new.db").string(), empty = (folder_ / "empty.db").string();
  const std::vector<std::string> again{"import", file_.string(), "--db", target};
  EXPECT_THAT(run_triscope(again).output, Not(HasSubstr("nothing was copied")));
  const ProgramResult second = run_triscope(again);
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.output, HasSubstr(fmt::format("nothing was copied: {} held all {} measurements of {} before\n",
                                                   target, kHistoryMeasurements, file_.string())));
  const Store made{empty};
  const ProgramResult none = run_triscope({"import", empty, "--db", target});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.output, HasSubstr(fmt::format("nothing was copied: {} holds no measurement\n", empty)));
}

TEST_F(HistoryTest, importing_a_database_into_itself_is_refused_and_changes_no_byte) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = DELETE");  // as the recorded one
  const auto bytes = [this] {
    std::ifstream stream(file_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string before = bytes();
  expect_error(run_triscope({"import", file_.string(), "--db", file_.string()}), 2,
               "it is the database that would be written to");
  EXPECT_EQ(bytes() == before, true);
}

TEST_F(HistoryTest, the_doctor_finds_damage) {
  std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file_));
  stream.seekp(size / 2);
  stream << std::string(static_cast<std::size_t>(size - size / 2), '\xA5');
  stream.close();
  const ProgramResult doctor = run({"doctor"});
  EXPECT_EQ(doctor.exit_code, 3);
  EXPECT_THAT(doctor.output, HasSubstr("damaged"));
}

TEST_F(HistoryTest, what_does_not_exist_is_named) {
  expect_error(run({"show", "77"}), 2, "'77'");
  expect_error(run({"compare", "m1", "m99999"}), 2, "'m99999'");
  expect_error(run_triscope({"list", "--db", (folder_ / "none.db").string()}), 3, "none.db");
  expect_error(run_triscope({"import", (folder_ / "none.db").string(), "--db", file_.string()}), 3, "none.db");
}

TEST_F(HistoryTest, a_file_that_is_no_database_is_refused_and_left_alone) {
  const std::filesystem::path other = folder_ / "letter.txt";
  std::ofstream(other) << "Dear reader, this is no database, and it is long enough to be looked at.";
  for (const char* command : {"list", "show", "export"}) {
    const ProgramResult result = run_triscope({command, "--db", other.string()});
    expect_error(result, 3, "letter.txt");
  }
  std::ifstream stream(other);
  std::string text;
  std::getline(stream, text);
  EXPECT_THAT(text, HasSubstr("Dear reader"));
}

TEST_F(HistoryTest, exports_go_to_stdout_through_a_dash_a_device_and_a_pipe) {
  const std::string expected = run({"export"}).output;
  EXPECT_THAT(expected, HasSubstr("median_ms"));
  EXPECT_EQ(run({"export", "-o", "-"}).output, expected);
  EXPECT_FALSE(std::filesystem::exists("-"));
  EXPECT_EQ(run({"export", "-o", "/dev/stdout"}).output, expected);
}

TEST_F(HistoryTest, nothing_that_is_written_takes_the_place_of_a_database) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = DELETE");
  const std::filesystem::path link = folder_ / "table.csv";
  std::filesystem::create_symlink(file_, link);
  for (const std::filesystem::path& target : {file_, link}) {
    expect_error(run({"export", "1", "-o", target.string()}), 2, "it is a database, and writing would destroy it");
  }
  EXPECT_THAT(Snapshot(file_).results(), testing::SizeIs(kHistoryMeasurements));
}

TEST_F(HistoryTest, results_that_cannot_be_printed_are_one_sentence) {
  const ProgramResult result =
      run_triscope({"export", "--db", file_.string()}, {.environment = {}, .output = "/dev/full", .new_group = false});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.errors,
            "triscope: the output could not be written: No space left on device; free space or give another file, then "
            "run it again.\n");
}

TEST_F(HistoryTest, a_gate_does_not_pass_when_everything_is_unclear) {
  Store store(file_);
  const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
  Measurement m = synthetic_measurement(50, 20);
  m.samples.resize(1);
  store.add(sweep, m);
  store.finish_sweep(sweep);
  const ProgramResult gated = run({"compare", "1", "3", "--fail-if", "longer>2%"});
  EXPECT_EQ(gated.exit_code, 1) << gated.output;
  EXPECT_THAT(gated.errors, HasSubstr("nothing could be judged (1 compared, 1 unclear"));
}

TEST_F(HistoryTest, a_report_refuses_what_is_not_there) {
  const std::filesystem::path typo = folder_ / "typo.db";
  expect_error(run_triscope({"report", "-o", (folder_ / "out").string(), "--db", typo.string()}), 3, "typo.db");
  EXPECT_FALSE(std::filesystem::exists(typo));
  expect_error(run({"report", "-o", ""}), 2, "the name is empty; name a folder");
  const std::string log = file_.string() + "-journal";
  const ProgramResult refused = run({"report", "-o", log});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("belong to the database"));
  EXPECT_FALSE(std::filesystem::exists(log)) << "a folder of that name would keep the database from being opened";
}

TEST_F(HistoryTest, hints_name_the_database_as_a_shell_reads_it) {
  const std::filesystem::path empty = folder_ / "my runs.db";
  { Store store(empty); }
  EXPECT_EQ(run_triscope({"list", "--db", empty.string()}).output,
            "No sweep yet; `triscope sweep --db '" + empty.string() + "'` starts one.\n");
  expect_error(run({"sweep", "--resume", "77"}), 2, "see `triscope list --db " + file_.string() + "`");
}

TEST_F(HistoryTest, every_hint_that_names_a_command_names_the_database_too) {
  const std::string db = " --db " + file_.string();
  const auto refused = [&](const std::vector<std::string>& arguments) { return run(arguments).errors; };
  const std::string both = "see `triscope list" + db + "` for sweeps and `triscope show" + db + "` for measurements";
  EXPECT_THAT(refused({"show", "m99999"}), HasSubstr(both));
  EXPECT_THAT(refused({"compare", "77", "1"}), HasSubstr(both));
  EXPECT_THAT(refused({"show", "0"}), HasSubstr("`triscope list" + db + "` or `triscope show" + db + "` prints"));
  EXPECT_THAT(refused({"note", "77", "words"}), HasSubstr("`triscope list" + db + "`"));
  EXPECT_THAT(refused({"sweep", "--resume", "1", "--again", "m99999"}), HasSubstr("`triscope show 1" + db + "`"));
  EXPECT_THAT(refused({"advise", "--seq", "3M"}), HasSubstr("--kernel baseline.fa3" + db + "`"));
  EXPECT_THAT(refused({"paper", "recipe", "--seq", "3M"}), HasSubstr("--head-dim 128" + db + "`"));
  EXPECT_THAT(refused({"report", "-o", (folder_ / "out").string(), "--sweep", "77"}),
              HasSubstr("see `triscope list" + db + "`"));
  EXPECT_THAT(run({"paper", "lengths"}).output, HasSubstr("`triscope paper operator" + db + "`"));
  EXPECT_THAT(run({"paper", "lengths", "--window", "64x8"}).output,
              HasSubstr("`triscope paper operator --windows 64x8" + db + "`"));
  const std::string recorded = recorded_database().string();
  for (const char* hash : {"ab1", "ab1234"})
    EXPECT_THAT(
        run_triscope({"compare", "kernel:cuda.hopper@"s + hash, "1", "--db", recorded}).errors,
        HasSubstr("`triscope explore --x version --where kernel=cuda.hopper --db " + recorded + "` for its versions"));
  EXPECT_THAT(run({"doctor"}).output, HasSubstr("`triscope sweep" + db + "`"));
  EXPECT_THAT(run({"paper", "overview"}).output, HasSubstr("`triscope paper page -o FILE" + db + "`"));
  EXPECT_THAT(refused({"show", "--no-such-option"}), HasSubstr("see `triscope show --help`")) << "which reads none";
  EXPECT_THAT(run_triscope({"explore", file_.string(), "--y", "ratio", "--baseline", "cpu.gone"}).errors,
              HasSubstr("see `triscope show" + db + "`"));
}

TEST_F(HistoryTest, hints_of_compare_name_the_database_of_their_side) {
  const std::filesystem::path other = folder_ / "other.db";
  std::filesystem::copy_file(file_, other);
  const auto refused = [](const std::string& a, const std::string& b) {
    return run_triscope({"compare", a, b}).errors;
  };
  for (const std::filesystem::path& of : {file_, other}) {
    const std::string hint = "see `triscope list --db " + of.string() + "` for sweeps";
    EXPECT_THAT(refused(of.string() + "@77", (of == file_ ? other : file_).string()), HasSubstr(hint));
    EXPECT_THAT(refused((of == file_ ? other : file_).string(), of.string() + "@77"), HasSubstr(hint));
  }
}

TEST_F(HistoryTest, an_empty_name_is_not_taken_for_the_usual_database) {
  expect_error(run_triscope({"explore", ""}), 2, "the name of a database is empty");
  expect_error(run_triscope({"explore", file_.string(), ""}), 2, "the name of a database is empty");
  expect_error(run_triscope({"gui", "", "--screenshot", (folder_ / "new.png").string()}), 2,
               "the name of a database is empty");
}

TEST_F(HistoryTest, the_usual_database_is_not_named_in_hints) {
  EXPECT_EQ(database_words(default_database()), "");
  EXPECT_EQ(database_words(""), "");
  EXPECT_EQ(with_database("see `triscope list`, or `triscope list --db x.db`", ""),
            "see `triscope list`, or `triscope list --db x.db`");
  EXPECT_EQ(with_database("see `triscope list`, or `triscope list --db x.db`", "y.db"),
            "see `triscope list --db y.db`, or `triscope list --db x.db`");
  EXPECT_EQ(with_database("`triscope explore --x version`", "my runs.db"),
            "`triscope explore --x version --db 'my runs.db'`");
  EXPECT_EQ(with_database("`triscope import FILE`, `triscope lists` and `triscope list", "y.db"),
            "`triscope import FILE`, `triscope lists` and `triscope list")
      << "an import has two databases, and the last command has no end";
}

TEST_F(HistoryTest, importing_twice_changes_nothing) {
  const std::filesystem::path target = folder_ / "all.db";
  EXPECT_THAT(run_triscope({"import", file_.string(), "--db", target.string()}).output,
              HasSubstr(std::to_string(kHistoryMeasurements) + " measurements"));
  EXPECT_THAT(run_triscope({"import", file_.string(), "--db", target.string()}).output,
              HasSubstr("nothing was copied"));
}

TEST_F(HistoryTest, importing_says_the_numbers_and_what_latest_means) {
  const std::filesystem::path target = folder_ / "all.db";
  {
    Store store(target);
    store.finish_sweep(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 0));
  }
  const std::string output = run_triscope({"import", file_.string(), "--db", target.string()}).output;
  EXPECT_THAT(output, HasSubstr("sweep 1 of that file is sweep 2 here\nsweep 2 of that file is sweep 3 here\n"));
  const std::int64_t latest = Snapshot(target).sweeps().front().id;
  EXPECT_THAT(output, HasSubstr("`latest` is sweep " + std::to_string(latest) + ","));
}

TEST_F(HistoryTest, a_failed_row_with_samples_and_without_a_median_shows_no_nan) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET status = 'failed', reason = 'it broke', median_ms = NULL WHERE id = 1");
  const std::string target = (folder_ / "new.db").string();
  EXPECT_EQ(run_triscope({"import", file_.string(), "--db", target}).exit_code, 0);
  for (const std::string& database : {file_.string(), target}) {
    const std::string shown = run_triscope({"show", "m1", "--db", database}).output;
    EXPECT_THAT(shown, HasSubstr("failed: it broke"));
    EXPECT_THAT(shown, HasSubstr("20 in 1 restart")) << "its samples";
    EXPECT_THAT(shown, Not(HasSubstr("nan")));
  }
  EXPECT_THAT(run_triscope({"show", "m1", "--db", target}).output,
              HasSubstr("its file said no median, where its samples have "));
}

TEST_F(HistoryTest, unclear_beside_a_kernel_that_the_sweep_lacks_is_refused_by_its_own_name) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--again", "m1"}}) {
    std::vector<std::string> words{"sweep", "--resume", "1", "--unclear", "cuda.hoper"};
    words.insert(words.end(), more.begin(), more.end());
    expect_error(run(words), 2,
                 "--unclear 'cuda.hoper': sweep 1 has no measurement of that kernel; did you mean cuda.hopper?");
  }
}

}  // namespace
}  // namespace triscope
