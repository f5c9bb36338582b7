// What commands refuse to write over, leave behind, and print on a terminal, through the real program.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/cli/text/terminal.hpp"
#include "profiler/record/recorded_database.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    write_small_history(file_);
    std::ofstream(folder_ / "photo.jpg") << "a photo";
    std::ofstream(folder_ / "photo.png") << "a photo";
    std::ofstream(folder_ / "thesis.tex") << "a thesis";
    std::ofstream(folder_ / "history.db-wal") << "rows";
  }
  std::string at(const char* name) const { return (folder_ / name).string(); }
  /// Runs the command, and finds it refused with everything as it was.
  void refused(std::vector<std::string> arguments, const char* name, int code, const char* why) const {
    arguments.push_back(at(name));
    const std::string before = read_bytes(folder_ / name);
    expect_error(run_triscope(arguments), code, why);
    EXPECT_EQ(read_bytes(folder_ / name), before) << name;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "no")) << name;
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "history.db";
};

TEST_F(OutputTest, a_limit_on_the_size_of_files_is_an_error_like_a_full_disk) {
  std::ofstream(folder_ / "table.csv") << "a,b\n";
  Program limited("/bin/sh", {"-c", "ulimit -f 100; exec \"$0\" \"$@\"", program_path("triscope").string(), "export",
                              "--db", recorded_database().string(), "-o", at("table.csv")});
  expect_error(limited.wait(), 3, "File too large");
  EXPECT_EQ(read_bytes(folder_ / "table.csv"), "a,b\n");
}

TEST_F(OutputTest, an_export_replaces_only_tables) {
  const std::vector<std::string> command{"export", "--db", file_.string(), "-o"};
  refused(command, "thesis.tex", 2, "it is not a CSV table");
  refused(command, "photo.png", 2, "it is not a CSV table");
  refused(command, "history.db", 2, "it is a database");
  refused(command, "history.db-wal", 2, "belong to the database");
  refused(command, "no/table.csv", 3, "create the folder first");
  std::ofstream(folder_ / "table.csv") << "a,b\n";
  // A name that is fine is not enough: SQLite would delete the file that is only named like its log.
  expect_error(run_triscope({"export", "--db", file_.string(), "-o", at("table.csv")}), 3, "move history.db-wal away");
  EXPECT_EQ(read_bytes(folder_ / "history.db-wal"), "rows");
  EXPECT_EQ(read_bytes(folder_ / "table.csv"), "a,b\n");
  std::filesystem::remove(folder_ / "history.db-wal");
  const ProgramResult exported = run_triscope({"export", "--db", file_.string(), "-o", at("table.csv")});
  EXPECT_EQ(exported.exit_code, 0);
  EXPECT_EQ(exported.output, "");
  EXPECT_EQ(exported.errors, "written to " + at("table.csv") + "\n");
  EXPECT_EQ(run_triscope({"export", "--db", file_.string(), "-o", "/dev/stdout"}).errors, "") << "no file";
  EXPECT_THAT(read_bytes(folder_ / "table.csv"), testing::HasSubstr("median_ms"));
}

TEST_F(OutputTest, a_sweep_and_an_import_write_databases_only) {
  const std::vector<std::string> sweep{"sweep", "--device", "cpu",      "--windows", "2x2",
                                       "--seq", "8",        "--kernel", "cpu.fast",  "--db"};
  const std::vector<std::string> import{"import", file_.string(), "--db"};
  for (const std::vector<std::string>& command : {sweep, import}) {
    refused(command, "photo.jpg", 2, "it is not a database");
    refused(command, "new.csv", 2, "the name ends in .csv");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new.csv"));
    refused(command, "history.db-wal", 2, "belong to the database");
    refused(command, "no/new.db", 3, "create the folder first");
  }
}

TEST_F(OutputTest, the_recorded_database_is_never_written) {
  const std::filesystem::path recorded = recorded_database(), copies = folder_ / "assets" / "recorded";
  ASSERT_FALSE(recorded.empty());
  std::filesystem::create_directories(copies);
  for (const char* name : {"h200.db", "h100.db"})
    std::filesystem::copy_file(recorded.parent_path() / name, copies / name);  // as another checkout has them
  for (const std::filesystem::path& one :
       {recorded, recorded.parent_path() / "h100.db", copies / "h200.db", copies / "h100.db"}) {
    const auto before = std::filesystem::last_write_time(one);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"import", file_.string()}, std::vector<std::string>{"sweep", "--windows", "2x2"},
          std::vector<std::string>{"sweep", "--resume", "1"}, std::vector<std::string>{"note", "1", "x"}}) {
      std::vector<std::string> words = arguments;
      words.insert(words.end(), {"--db", one.string()});
      expect_error(run_triscope(words), 2, "a recorded database that comes with Triscope");
    }
    EXPECT_EQ(std::filesystem::last_write_time(one), before);
  }
}

TEST_F(OutputTest, slices_results_and_pictures_replace_only_their_own_kind) {
  const std::vector<std::string> inspect{"inspect", "--source", "random", "--seq",     "16",  "--head-dim",
                                         "4",       "--query",  "3",      "--windows", "2x2", "--out"};
  refused(inspect, "photo.png", 2, "it is not a PNG picture");
  refused(inspect, "photo.jpg", 2, ".png, .csv or .npy");
  refused(inspect, "no/p.png", 3, "create the folder first");
  const std::vector<std::string> eval{"eval", "--in",     at("t.safetensors"), "--windows",
                                      "2x2",  "--kernel", "cpu.fast",          "--out"};
  refused(eval, "photo.png", 2, "it is not tensors");
  refused(eval, "new.npy", 2, "the name ends in .npy");
}

/// As a PNG picture's head says it.
int height_of(const std::string& png) {
  const auto byte = [&](std::size_t at) { return static_cast<int>(static_cast<unsigned char>(png.at(at))); };
  return (byte(20) << 24) | (byte(21) << 16) | (byte(22) << 8) | byte(23);
}

TEST_F(OutputTest, a_reports_picture_of_details_has_all_of_them) {
  const ProgramResult report = run_triscope({"report", "--db", recorded_database().string(), "-o", at("whole")});
  ASSERT_EQ(report.exit_code, 0) << report.errors;
  EXPECT_GT(height_of(read_bytes(folder_ / "whole/details.png")), 2800) << "the recorded row has that many counters";
}

TEST_F(OutputTest, a_report_that_fails_leaves_no_folder_behind) {
  std::filesystem::remove(folder_ / "history.db-wal");
  std::filesystem::create_directory(folder_ / "there");
  for (const char* name : {"there", "new"}) {
    Program limited("/bin/sh", {"-c", "ulimit -f 100; exec \"$0\" \"$@\"", program_path("triscope").string(), "report",
                                "--db", file_.string(), "-o", at(name)});
    const ProgramResult result = limited.wait();
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.errors, testing::HasSubstr("File too large; raise the limit"));
    EXPECT_EQ(std::filesystem::exists(folder_ / name), std::string(name) == "there") << name;
  }
}

TEST_F(OutputTest, no_report_and_no_picture_is_made_of_damaged_samples) {
  std::filesystem::remove(folder_ / "history.db-wal");
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA journal_mode = DELETE; UPDATE sample SET duration_ns = -5");
  const ProgramResult report = run_triscope({"report", "--db", file_.string(), "-o", at("new")});
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(report.errors, testing::HasSubstr("duration_ns of a sample is -5"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
  const ProgramResult picture = run_triscope({file_.string(), "--screenshot", at("new.png")});
  EXPECT_EQ(picture.exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.png"));
}

TEST_F(OutputTest, a_row_with_a_damaged_sample_costs_no_report_and_no_picture) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec(
          "PRAGMA ignore_check_constraints = ON; UPDATE sample SET launches = 0 WHERE ordinal = 0 AND measurement < "
          "(SELECT max(measurement) FROM sample WHERE ordinal = 0)");
  const ProgramResult report = run_triscope({"report", "--db", file_.string(), "-o", at("new")});
  EXPECT_EQ(report.exit_code, 0) << report.errors;
  const std::string passed_over =
      "triscope: m20 is not shown in detail, for launches of a sample is 0; m24 is, the first that can be "
      "used.\n";
  EXPECT_EQ(report.errors, passed_over);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "new/report.html"));
  const ProgramResult picture = run_triscope({"gui", file_.string(), "--screenshot", at("new.png")});
  EXPECT_EQ(picture.exit_code, 0) << picture.errors;
  EXPECT_EQ(picture.errors, passed_over);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "new.png"));
}

/// What a terminal of so many columns gets.
std::string on_terminal(const std::vector<std::string>& words, const std::string& columns) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return "";
  std::string shown;
  {
    Program program(program_path("triscope"), words,
                    {.environment = {{"COLUMNS", columns}}, .output = ::ptsname(terminal)});
    pollfd readable{terminal, POLLIN, 0};
    for (bool alive = true, more = false; alive || more;) {
      alive = program.running();
      more = ::poll(&readable, 1, 10) > 0 && (readable.revents & POLLIN) != 0;
      char bytes[4096];
      const ssize_t count = more ? ::read(terminal, bytes, sizeof bytes) : 0;
      if (count > 0) shown.append(bytes, static_cast<std::size_t>(count));
    }
    EXPECT_EQ(program.wait().exit_code, 0) << words.front();
  }
  ::close(terminal);
  return shown;
}

TEST_F(OutputTest, no_line_is_longer_than_the_terminal_is_wide) {
  std::filesystem::remove(folder_ / "history.db-wal");
  const std::string file = file_.string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", "1", "--db", file},
        {"show", "--step", "--db", recorded_database().string()},
        {"show", "m1", "--db", file},
        {"list", "--db", file},
        {"compare", "1", "2", "--db", file},
        {"explore", file, "--y", "tflops"},
        {"advise", "--seq", "32k", "--db", recorded_database().string()},
        {"sweep", "--dry-run", "--device", "cpu", "--windows", "2x2", "--seq", "32"},
        {"paper", "recipe"},
        {"paper", "operator"},
        {"paper", "errata"},
        {"version"},
        {"devices"},
        {"import", file, "--db", at("all.db")}}) {
    const std::string shown = on_terminal(words, "70");
    EXPECT_FALSE(shown.empty()) << words.front();
    std::istringstream lines(shown);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      EXPECT_LE(display_width(line), 70u) << words.front() << ": " << line;
    }
  }
}

TEST(Output, json_is_one_flag_for_every_command_that_prints_facts) {
  const TemporaryFolder folder;
  write_small_history(folder / "x.db");
  const std::string file = (folder / "x.db").string();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list", "--db", file},
                                             {"show", "1", "--db", file},
                                             {"compare", "2", "1", "--db", file},
                                             {"explore", file},
                                             {"export", "1", "--db", file},
                                             {"paper", "formulas"},
                                             {"kernels"},
                                             {"version"}}) {
    std::vector<std::string> by_flag = words, by_format = words;
    by_flag.emplace_back("--json");
    by_format.insert(by_format.end(), {"--format", "json"});
    const ProgramResult flag = run_triscope(by_flag), format = run_triscope(by_format);
    EXPECT_EQ(flag.exit_code, 0) << words[0] << flag.errors;
    EXPECT_EQ(flag.output, format.output) << words[0];
    EXPECT_NE(flag.output.find_first_of("{["), std::string::npos) << words[0];
  }
}

}  // namespace
}  // namespace triscope
