// `triscope explore` through the real program, on the recorded database; expectations come from SQLite.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kRecorded = recorded_file();

std::vector<nlohmann::json> explore_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explore");
  arguments.insert(arguments.end(), {"--format", "json"});
  return json_lines(run_triscope(arguments));
}

TEST(ExploreCommand, prints_the_measurements_that_sql_finds) {
  std::set<std::pair<double, double>> printed, expected;
  for (const nlohmann::json& point :
       explore_json({kRecorded, "--y", "tflops", "--where", "kernel~hopper window=256x32 sweep=4"})) {
    EXPECT_EQ(point.at("kernel"), "cuda.hopper");
    EXPECT_EQ(point.at("pass"), "forward");
    printed.emplace(point.at("seq"), point.at("tflops"));
  }
  const SQLite::Database database(kRecorded, SQLite::OPEN_READONLY);
  SQLite::Statement rows(database,
                         "SELECT seq_len, tflops FROM result WHERE kernel = 'cuda.hopper' AND window1 = 256 AND "
                         "window2 = 32 AND sweep = 4");
  while (rows.executeStep()) expected.emplace(rows.getColumn(0).getDouble(), rows.getColumn(1).getDouble());
  EXPECT_EQ(printed, expected);
  EXPECT_EQ(expected.size(), 6U);
}

TEST(ExploreCommand, the_best_is_not_offered_for_what_it_does_not_choose_between) {
  const auto said = [](const char* option) {
    std::vector<std::string> arguments{"explore", kRecorded, "--where", "kernel=cuda.hopper sweep=1,16 form=trilinear"};
    if (*option != '\0') arguments.emplace_back(option);
    return run_triscope(arguments).output;
  };
  EXPECT_THAT(said(""), HasSubstr("or take the --best."));
  EXPECT_THAT(said("--best"), HasSubstr("differ in: regime. "));
  EXPECT_THAT(said("--best"), Not(HasSubstr("take the --best")));
}

TEST(ExploreCommand, the_table_says_what_was_left_out_and_what_else_differs) {
  const ProgramResult result = run_triscope({"explore", kRecorded, "--where", "sweep=4 form=trilinear"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("18 measurements of "));
  EXPECT_THAT(result.output, HasSubstr("differ in: windows, instance"));
  const ProgramResult best = run_triscope({"explore", kRecorded, "--where", "sweep=4 form=trilinear", "--best"});
  EXPECT_THAT(best.output, Not(HasSubstr("differ in")));
  EXPECT_THAT(best.output, HasSubstr("256x32"));
  EXPECT_THAT(best.output, HasSubstr("The best of each was chosen over "));
  EXPECT_THAT(best.output, HasSubstr(" windows"));
  const std::vector<nlohmann::json> points = explore_json({kRecorded, "--where", "sweep=4 form=trilinear", "--best"});
  EXPECT_EQ(points.at(0).at("window"), "256x32");
  EXPECT_GT(points[0].at("best_of"), 1);
  EXPECT_THAT(
      run_triscope({"explore", kRecorded, "--where", "sweep=4 form=trilinear", "--best", "--format", "csv"}).output,
      HasSubstr(",measurement,best_of,window"));
  EXPECT_THAT(best.output, Not(HasSubstr("512x32"))) << "it takes longer at every length";
}

TEST(ExploreCommand, repeats_are_one_line_with_their_median) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "history.db";
  write_small_history(file);  // two sweeps of the same configurations
  const std::vector<nlohmann::json> points =
      explore_json({file.string(), "--color", "instance", "--panels", "none", "--x", "window"});
  ASSERT_FALSE(points.empty());
  for (const nlohmann::json& point : points) EXPECT_EQ(point.at("repeats").size(), 2U) << point;
  EXPECT_THAT(run_triscope({"explore", file.string(), "--x", "window"}).output, HasSubstr(" and 1 more"));
}

TEST(ExploreCommand, rows_tell_panels_apart_as_well) {
  const ProgramResult csv =
      run_triscope({"explore", kRecorded, "--rows", "form", "--where", "head_dim=128", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.errors;
  EXPECT_THAT(csv.output, testing::StartsWith("form,pass,kernel,seq,ms,"));
  EXPECT_THAT(csv.output, HasSubstr("\ntrilinear,forward,cuda.hopper,"));
  EXPECT_THAT(run_triscope({"explore", kRecorded, "--rows", "forms"}).errors, HasSubstr("form"));
}

TEST(ExploreCommand, databases_stand_side_by_side) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "history.db";
  write_small_history(file);
  const ProgramResult csv =
      run_triscope({"explore", kRecorded, file.string(), "--color", "database", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.errors;
  EXPECT_THAT(csv.output, testing::StartsWith("pass,database,seq,ms,low,high,median_of_repeats,repeats,database,"));
  EXPECT_THAT(csv.output, HasSubstr("forward,h200.db,32768,"));
  EXPECT_THAT(csv.output, HasSubstr(",history.db,"));
  const auto columns = [&](const char* color) {
    const std::string table = run_triscope({"explore", kRecorded, file.string(), "--color", color}).output;
    const std::string header = table.substr(0, table.find('\n'));
    return (header.find(" database") != std::string::npos) + (header.find(" database") != header.rfind(" database"));
  };
  EXPECT_EQ(columns("kernel"), 1) << "whose each row is";
  EXPECT_EQ(columns("database"), 1) << "once";
}

TEST(ExploreCommand, a_database_that_is_named_twice_counts_once) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "history.db", link = folder / "linked.db";
  write_small_history(file);
  std::filesystem::create_symlink(file, link);
  const std::vector<nlohmann::json> once = explore_json({file.string()});
  ASSERT_FALSE(once.empty());
  EXPECT_EQ(explore_json({file.string(), "--db", file.string()}), once);
  EXPECT_EQ(explore_json({file.string(), file.string()}), once);
  EXPECT_EQ(explore_json({file.string(), link.string(), "--db", link.string()}), once);
}

TEST(ExploreCommand, the_ratio_is_what_show_says) {
  const std::vector<nlohmann::json> points =
      explore_json({kRecorded, "--y", "ratio", "--where", "sweep=4 seq=64k window=512x32"});
  ASSERT_EQ(points.size(), 1U);
  const double ratio = points[0].at("ratio");  // below 1: shorter
  const ProgramResult show = run_triscope({"show", "4", "--db", kRecorded});
  EXPECT_THAT(show.output, HasSubstr(fmt::format("{:.2f}x shorter", 1 / ratio)));
}

TEST(ExploreCommand, shows_hardware_counters) {
  const std::vector<nlohmann::json> points =
      explore_json({kRecorded, "--x", "tflops", "--y", "tensor_busy", "--where", "tensor_busy>80"});
  ASSERT_FALSE(points.empty());
  for (const nlohmann::json& point : points) EXPECT_GT(point.at("tensor_busy"), 80);
  const ProgramResult table = run_triscope({"explore", kRecorded, "--y", "counted_clock"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("clock while counting, MHz"));
}

TEST(ExploreCommand, refuses_what_it_does_not_know_in_one_sentence) {
  expect_error(run_triscope({"explore", kRecorded, "--x", "sequ"}), 2, "did you mean seq");
  expect_error(run_triscope({"explore", kRecorded, "--y", "kernel"}), 2, "only numbers can be drawn");
  expect_error(run_triscope({"explore", kRecorded, "--where", "seq>>8k"}), 2, "'>8k' is no number");
  expect_error(run_triscope({"explore", kRecorded, "--format", "xml"}), 2, "xml");
  expect_error(run_triscope({"explore", "/nowhere/there.db"}), 3, "there.db");
  expect_error(run_triscope({"explore", kRecorded, "--y", "ratio", "--baseline", "cpu.fast"}), 2, "cpu.fast");
  const std::string nothing = run_triscope({"explore", kRecorded, "--where", "seq=8k form=nothing"}).output;
  EXPECT_THAT(nothing, HasSubstr("0 measurements of "));
  EXPECT_THAT(nothing, HasSubstr("No measurement matches form=nothing.\n"));
  expect_error(run_triscope({"explore", kRecorded, "--where", "kernel~"}), 2, "write kernel~VALUE");
}

TEST(ExploreCommand, names_the_word_that_was_perhaps_meant) {
  const auto said = [](const std::string& where) {
    return run_triscope({"explore", "--db", kRecorded, "--where", where}).output;
  };
  EXPECT_THAT(said("kernel=cuda.hoper"),
              HasSubstr("No measurement matches kernel=cuda.hoper; did you mean kernel=cuda.hopper?\n"));
  EXPECT_THAT(said("kernel=cuda.hopper,cuda.portble"),
              HasSubstr("No measurement has kernel=cuda.portble; did you mean kernel=cuda.portable?"));
  EXPECT_THAT(said("device=\"NVIDIA H20\""), HasSubstr("did you mean device=\"NVIDIA H200\"?"));
  EXPECT_THAT(said("seq=8193"), HasSubstr("No measurement matches seq=8193.\n"));
}

TEST(ExploreCommand, takes_its_database_as_other_commands_do) {
  const auto ask = [](std::vector<std::string> words) {
    words.insert(words.begin(), "explore");
    return run_triscope(words).output;
  };
  EXPECT_EQ(ask({"--db", kRecorded}), ask({kRecorded}));
  expect_error(run_triscope({"explore", "--db", ""}), 2, "the name is empty");
}

TEST(ExploreCommand, refuses_a_picture_in_the_name_under_which_it_was_started) {
  const TemporaryFolder folder;
  expect_error(run_triscope({"explore", kRecorded, "--picture", (folder / "a.txt").string()}), 2, "neither .svg nor");
  expect_error(run_triscope({"explore", kRecorded, "--picture", (folder / "a.pdf").string(), "--json"}), 2,
               "it writes the chart in place of the numbers");
  expect_error(run_triscope({"explore", kRecorded, "--picture", (folder / "a.pdf").string(), "--where", "seq=77"}), 2,
               "No measurement matches seq=77");
}

TEST(ExploreCommand, says_beside_an_empty_file_why_nothing_is_in_it) {
  for (const char* format : {"csv", "json"}) {
    const ProgramResult result = run_triscope({"explore", kRecorded, "--where", "kernel~nothing", "--format", format});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.errors, HasSubstr("triscope: 0 measurements of "));
    EXPECT_THAT(result.errors, HasSubstr("No measurement matches kernel~nothing.\n"));
    EXPECT_EQ(result.output.find("kernel~"), std::string::npos) << "programs read it";
  }
}

}  // namespace
}  // namespace triscope
