// `triscope search`: what is found, in which order, and what shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SearchTest : public testing::Test {
 protected:
  void SetUp() override {
    write_small_history(file_);
    Store(file_).set_note(1, "before the rewrite #paper");
  }
  ProgramResult search(std::vector<std::string> words) const {
    words.insert(words.begin(), "search");
    words.insert(words.end(), {"--db", file_.string()});
    return run_triscope(words);
  }
  std::vector<nlohmann::json> found(std::vector<std::string> words, const std::string& kind) const {
    words.emplace_back("--json");
    std::vector<nlohmann::json> of_kind;
    for (const nlohmann::json& line : json_lines(search(words))) {
      if (line.at("kind") == kind) of_kind.push_back(line);
    }
    return of_kind;
  }
  /// What shows it, as it is typed.
  std::string shown(const std::string& command) const { return "triscope " + command + " --db " + file_.string(); }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "history.db";
};

TEST_F(SearchTest, a_sweep_is_found_by_its_title_and_its_tag) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"rewrite"}, {"#paper"}, {"Before", "PAPER"}}) {
    const std::vector<nlohmann::json> sweeps = found(words, "sweep");
    ASSERT_EQ(sweeps.size(), 1U) << words.front();
    EXPECT_EQ(sweeps.front().at("shown_by"), shown("show 1"));
    EXPECT_THAT(std::string(sweeps.front().at("name")), AllOf(HasSubstr("before the rewrite"), HasSubstr("#paper")));
  }
}

TEST_F(SearchTest, rows_of_all_sweeps_are_found_the_newest_first) {
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  const ResultRow& one = rows.front();
  const std::vector<nlohmann::json> lines =
      found({one.kernel, std::to_string(one.problem.seq_len), "--limit", "1000"}, "row");
  const auto has = [&](std::int64_t measurement) {
    return std::ranges::any_of(lines, [&](const nlohmann::json& line) {
      return line.at("shown_by") == shown("show m" + std::to_string(measurement));
    });
  };
  for (const ResultRow& row : rows) {
    const bool wanted =
        row.kernel == one.kernel && row.problem.seq_len == one.problem.seq_len && row.status != Status::skipped;
    EXPECT_TRUE(!wanted || has(row.measurement)) << row.measurement;
  }
  const std::vector<nlohmann::json> all = found({"tokens", "--limit", "1000"}, "row");
  ASSERT_GT(all.size(), 12U) << "of both sweeps";
  EXPECT_THAT(std::string(all.front().at("name")), HasSubstr("sweep 2"));
  EXPECT_THAT(std::string(all.back().at("name")), HasSubstr("sweep 1"));
  const ProgramResult shows = run_triscope({"show", "m" + std::to_string(one.measurement), "--db", file_.string()});
  EXPECT_EQ(shows.exit_code, 0) << "what is named can be run: " << shows.errors;
}

TEST_F(SearchTest, kernels_windows_counters_pages_and_commands_are_found) {
  const ResultRow row = Snapshot(file_).results().front();
  const std::vector<nlohmann::json> kernels = found({row.kernel}, "kernel");
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels.front().at("shown_by"), shown("show kernel:" + row.kernel));
  const std::vector<nlohmann::json> windows = found({"windows", "x"}, "window");
  ASSERT_FALSE(windows.empty());
  const std::string name = windows.front().at("name");
  const std::string pair = name.substr(name.find(' ') + 1);
  EXPECT_EQ(windows.front().at("shown_by"), shown("explore --where window=" + pair));
  EXPECT_EQ(run_triscope({"explore", file_.string(), "--where", "window=" + pair}).exit_code, 0);
  EXPECT_EQ(found({"tensor", "cores", "busy"}, "counter").front().at("shown_by"), shown("explore --y tensor_busy"));
  EXPECT_EQ(found({"exit", "codes"}, "manual").front().at("shown_by"), "docs/command-line.md");
  EXPECT_FALSE(found({"show"}, "command").empty()) << "a command's name is a word like any other";
  EXPECT_EQ(found({"completion", "script"}, "command").front().at("shown_by"), "triscope completion --help");
}

TEST_F(SearchTest, a_name_with_the_phrase_comes_before_scattered_words) {
  Store(file_).set_note(1, "rewrite of the slow loader");
  Store(file_).set_note(2, "loader, and the rewrite");
  const std::vector<nlohmann::json> sweeps = found({"slow", "loader"}, "sweep");
  ASSERT_EQ(sweeps.size(), 1U);
  Store(file_).set_note(2, "loader that was slow");
  const std::vector<nlohmann::json> both = found({"slow", "loader"}, "sweep");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].at("shown_by"), shown("show 1")) << "the other is newer, and has its words here and there";
}

TEST_F(SearchTest, what_the_limit_leaves_out_is_counted) {
  const std::size_t all = found({"tokens", "--limit", "1000"}, "row").size();
  const ProgramResult result = search({"tokens", "--limit", "3"});
  EXPECT_THAT(result.output, HasSubstr(std::to_string(all - 3) + " more of kind row: --limit lists them\n"));
  const std::vector<nlohmann::json> lines = found({"tokens", "--limit", "3"}, "row");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.back().at("type"), "more");
  EXPECT_EQ(lines.back().at("count"), all - 3);
  expect_error(search({"tokens", "--limit", "0"}), 2, "--limit");
}

TEST_F(SearchTest, nothing_found_is_a_sentence) {
  const ProgramResult table = search({"nothing-has", "this"});
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_EQ(table.output, "Nothing holds all of 'nothing-has this'.\n");
  const ProgramResult json = search({"nothing-has", "--json"});
  EXPECT_EQ(json.output, "");
  EXPECT_THAT(json.errors, HasSubstr("Nothing holds all of"));
  expect_error(search({" "}), 2, "there is no word in it");
  expect_error(run_triscope({"search", "x", "--db", (folder_ / "none.db").string()}), 3, "none.db");
}

TEST_F(SearchTest, a_text_from_elsewhere_does_nothing_to_the_terminal) {
  Store(file_).set_note(1, "marked \x1b[2J\x07 \xe2\x80\xae turned\nsweep 9 invented\ttab #a\x1b]0;b");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"marked"}, {"marked", "--json"}}) {
    const ProgramResult result = search(words);
    ASSERT_THAT(result.output, HasSubstr("marked"));
    for (const char c : result.output) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 32) << int{c};
    EXPECT_THAT(result.output, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(result.output, Not(HasSubstr("\nsweep 9 invented"))) << "one line each";
  }
}

TEST(Search, finds_what_needs_no_database_before_there_is_one) {
  const TemporaryFolder home;
  const std::string folder = home / "data";
  const ProgramResult result = run_triscope({"search", "exit", "codes"}, {.environment = {{"XDG_DATA_HOME", folder}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("docs/command-line.md"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace triscope
