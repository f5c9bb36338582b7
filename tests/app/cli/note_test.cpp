// What is added to a sweep that was measured, through the real program: notes, tags and restarts; and search by the
// first.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

class NoteTest : public testing::Test {
 protected:
  void SetUp() override { write_small_history(file_); }
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", file_.string()});
    return run_triscope(arguments);
  }
  std::string stored(const std::string& where) const {
    const SQLite::Database database(file_.string(), SQLite::OPEN_READONLY);
    SQLite::Statement notes(database, "SELECT body FROM note WHERE " + where);
    return notes.executeStep() ? notes.getColumn(0).getString() : std::string();
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "history.db";
};

TEST_F(NoteTest, of_a_sweep_is_written_printed_found_and_deleted) {
  EXPECT_EQ(run({"note", "1"}).output, "");
  const ProgramResult written = run({"note", "1", "after the rewrite #paper"});
  EXPECT_EQ(written.exit_code, 0) << written.errors;
  EXPECT_EQ(stored("sweep = 1 AND measurement IS NULL"), "after the rewrite #paper");
  EXPECT_EQ(run({"note", "1"}).output, "after the rewrite #paper\n");
  const std::string found = run({"list", "--search", "REWRITE #paper"}).output;
  EXPECT_THAT(found, HasSubstr("after the rewrite"));
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 2) << "the head and one sweep\n" << found;
  EXPECT_THAT(run({"list", "--search", "#gate"}).output, HasSubstr("No sweep holds all of '#gate'"));
  EXPECT_THAT(run({"list", "--search", "#gate", "--json"}).errors, HasSubstr("No sweep holds all of '#gate'"));
  EXPECT_THAT(run({"list", "--search", "sweep 1"}).output, HasSubstr("after the rewrite"));
  EXPECT_EQ(run({"note", "1", ""}).exit_code, 0);
  EXPECT_EQ(stored("sweep = 1"), "");
}

TEST_F(NoteTest, a_sweep_is_found_by_its_date_as_it_is_printed) {
  constexpr const char* kNoon = "1760011200000000000";  // 2025-10-09 12:00 UTC
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec(fmt::format("UPDATE sweep SET started_unix_ns = {0} WHERE id = 1; UPDATE measurement SET started_unix_ns = "
                        "{0} WHERE sweep = 1; PRAGMA journal_mode = DELETE",
                        kNoon));
  EXPECT_THAT(run({"list", "--search", "9 Oct"}).output, HasSubstr("    1  2025-10-09"));
  EXPECT_THAT(run({"list", "--search", "H200, 09 oct 2025"}).output, HasSubstr("    1  2025-10-09"));
  EXPECT_THAT(run({"list", "--search", "8 Oct"}).output, HasSubstr("No sweep holds all of '8 Oct'"));
  EXPECT_THAT(run({"list", "--search", "today"}).output, testing::Not(HasSubstr("2025-10-09")));
}

TEST_F(NoteTest, a_long_one_does_not_widen_every_line_of_the_list) {
  const std::string name = "a " + std::string(500, 'x');
  run({"note", "1", name + " #paper ##paper"});
  const std::string list = run({"list"}).output;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 220U) << line;
  EXPECT_THAT(list, HasSubstr("a " + std::string(55, 'x') + "...  #paper\n")) << "a tag is a tag, and as it is typed";
  EXPECT_THAT(run({"list", "--format", "json"}).output,
              testing::AllOf(HasSubstr(name), HasSubstr("\"tags\":[\"paper\"]")));
  EXPECT_EQ(run({"note", "1"}).output, name + " #paper ##paper\n");
}

TEST_F(NoteTest, a_sweep_that_was_cut_short_is_listed_with_what_measures_the_rest) {
  EXPECT_THAT(run({"list"}).output, testing::Not(HasSubstr("--resume")));
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE sweep SET finished_unix_ns = NULL, planned = 20 WHERE id = 2; PRAGMA journal_mode = DELETE");
  EXPECT_THAT(run({"list"}).output,
              HasSubstr("interrupted: `triscope sweep --resume 2 --db " + file_.string() + "` measures what is left"));
}

TEST_F(NoteTest, of_a_measurement_is_its_own) {
  EXPECT_EQ(run({"note", "m3", "the fan stood still"}).exit_code, 0);
  EXPECT_EQ(stored("measurement = 3"), "the fan stood still");
  EXPECT_EQ(run({"note", "m3"}).output, "the fan stood still\n");
  EXPECT_EQ(run({"note", "1"}).output, "");
}

TEST_F(NoteTest, explore_takes_the_sweeps_with_a_tag) {
  run({"note", "2", "second #paper"});
  const auto explore = [&](const std::string& where) {
    return run_triscope({"explore", file_.string(), "--color", "note", "--where", where}).output;
  };
  EXPECT_THAT(explore("note~#paper"), HasSubstr("12 measurements of 24"));
  EXPECT_THAT(explore("note~#paper"), HasSubstr("second #paper"));
  EXPECT_THAT(explore("note!~#paper"), HasSubstr("12 measurements of 24"));
}

TEST_F(NoteTest, a_long_note_ends_in_dots_in_a_table_and_is_whole_in_data) {
  const std::string note = "second of two sweeps on the machine under the desk, with the new fan #paper";
  run({"note", "2", note});
  const auto explore = [&](const char* format) {
    return run_triscope({"explore", file_.string(), "--color", "note", "--format", format}).output;
  };
  EXPECT_THAT(explore("table"), HasSubstr("second of two sweeps on the machine u...  "));
  EXPECT_THAT(explore("table"), testing::Not(HasSubstr("under the desk")));
  EXPECT_THAT(explore("csv"), HasSubstr(note));
  EXPECT_THAT(explore("json"), HasSubstr(note));
}

TEST_F(NoteTest, refuses_what_is_not_there) {
  expect_error(run({"note", "7", "x"}), 2, "no such sweep");
  expect_error(run({"note", "m7000", "x"}), 2, "no such measurement");
  expect_error(run({"note", "kernel:cpu.fast", "x"}), 2, "a note belongs to a sweep or a measurement");
  expect_error(run_triscope({"note", "1", "x", "--db", (folder_ / "none.db").string()}), 3, "there is no database");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST(MoreRestarts, adds_restarts_to_rows_of_a_sweep_and_refuses_those_of_others) {
  const TemporaryFolder folder;
  const std::string database = (folder.path() / "a.db").string();
  run_triscope({"sweep", "--windows", "4x4,5x3", "--seq", "20", "--head-dim", "8", "--pass", "forward", "--kernel",
                "cpu.fast,baseline.cpu", "--device", "cpu", "--budget", "1ms", "--db", database});
  const auto restarts = [&] {
    std::vector<std::int64_t> counts;
    for (const ResultRow& row : Snapshot(database).results(1)) counts.push_back(row.restarts);
    return counts;
  };
  ASSERT_EQ(restarts(), (std::vector<std::int64_t>{3, 3, 3}));
  expect_error(run_triscope({"sweep", "--again", "m1", "--db", database}), 2, "name the sweep as well: --resume ID");
  for (const char* option : {"--again", "--longer"})
    expect_error(run_triscope({"sweep", "--resume", "1", option, "m77", "--db", database}), 2, "has no such row");
  const auto resume = [&](std::vector<std::string> wish) {
    wish.insert(wish.begin(), {"sweep", "--resume", "1", "--db", database});
    const ProgramResult result = run_triscope(wish);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    return result.errors + result.output;
  };
  resume({"--again", "m3"});
  EXPECT_EQ(restarts(), (std::vector<std::int64_t>{3, 3, 4})) << "of the second windows, beside the reference";
  resume({"--longer", "m3"});
  EXPECT_EQ(restarts(), (std::vector<std::int64_t>{3, 3, 7}));
  EXPECT_THAT(resume({"--unclear"}), HasSubstr("unclear before look 1 of 3"));
}

}  // namespace
}  // namespace triscope
