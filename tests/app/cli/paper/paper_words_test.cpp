// `triscope paper` says or refuses what would read as another answer.
#include <gmock/gmock.h>

#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

TEST(PaperWords, match3_says_what_c_is_of) {
  const ProgramResult one = run_triscope({"paper", "match3", "--numbers", "5", "--c", "1"});
  EXPECT_EQ(one.exit_code, 0) << one.errors;
  EXPECT_THAT(one.output, testing::HasSubstr("1 number modulo 53"));
  EXPECT_THAT(one.output, testing::HasSubstr("--c is of the list above alone"));
  EXPECT_THAT(run_triscope({"paper", "match3", "--numbers", "5"}).output,
              testing::Not(testing::HasSubstr("--c is of")));
}

TEST(PaperWords, what_would_read_as_an_answer_is_said_or_refused) {
  const ProgramResult none = run_triscope({"paper", "recipe", "--layers", "3", "--db", recorded_file()});
  EXPECT_EQ(none.exit_code, 0) << none.errors;
  EXPECT_THAT(none.output, testing::HasSubstr("No layer of 3 is 2-simplicial, since one of 4 would be"));
  EXPECT_THAT(none.output, testing::Not(testing::HasSubstr("1.000 to 1.000")));
  expect_error(run_triscope({"paper", "scaling", "--law", "1.5,300,1e308,500,0.25"}), 2, "an exponent is above 100");
  expect_error(run_triscope({"paper", "page", "-o", "-"}), 2, "the page is written into a file");
}

}  // namespace
}  // namespace triscope
