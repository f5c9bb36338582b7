// `show --baseline`: what rows stand beside, in every form.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/record/recorded_database.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

TEST(ShownReference, heads_the_column_and_a_bad_one_is_refused_in_one_sentence) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "history.db";
  write_small_history(file);
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--db", file.string()});
    return run_triscope(arguments);
  };
  EXPECT_THAT(run({"show", "2", "--baseline", "sweep:1"}).output, HasSubstr("time vs sweep 1"));
  const std::string own = run({"show", "1", "--baseline", "sweep:1"}).output;
  EXPECT_THAT(own, HasSubstr("the reference"));
  const std::filesystem::path other = folder / "other.db";
  write_small_history(other);
  EXPECT_THAT(run({"show", "--baseline", "database:" + other.string()}).output, HasSubstr("time vs other.db"));
  expect_error(run({"show", "--baseline", "row:999"}), 2, "the database has no row 999");
  expect_error(run({"show", "--baseline", "row:first"}), 2, "'first' is not the number of a row");
  expect_error(run({"show", "--baseline", "database:" + file.string()}), 2, "it is the open database");
  expect_error(run({"show", "--baseline", "database:" + (folder / "gone.db").string()}), 3, "there is no such file");
  const std::string recorded = recorded_database().string();
  EXPECT_THAT(run_triscope({"show", "1", "--baseline", "paper", "--db", recorded}).output,
              testing::AllOf(HasSubstr("time vs the paper"), HasSubstr("x the time "),
                             HasSubstr("14 rows beside the paper not judged: Published")));
  const std::string pinned = run_triscope({"show", "1", "--baseline", "row:8", "--db", recorded}).output;
  EXPECT_THAT(pinned, HasSubstr("row 8: 128x128 Hopper forward; a row of another problem does other work"));
  expect_error(run_triscope({"explore", file.string(), other.string(), "--y", "ratio", "--baseline", "row:3"}), 2,
               "each database has one of that number");
  const ProgramResult both = run_triscope({"explore", file.string(), other.string(), "--y", "ratio", "--color",
                                           "database", "--baseline", "database:" + other.string()});
  EXPECT_EQ(both.exit_code, 0) << both.errors << "the other one stands beside it, and it beside nothing";
  EXPECT_THAT(both.output, testing::AllOf(HasSubstr("history.db"), testing::Not(HasSubstr("other.db"))));
}

}  // namespace
}  // namespace triscope
