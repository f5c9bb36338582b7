#include "kernels/base/files/made_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using Parents = MadeFolder::Parents;
namespace fs = std::filesystem;

TEST(MadeFolder, what_was_made_goes_again_with_what_it_was_to_hold) {
  const TemporaryFolder place;
  std::error_code error;
  {
    MadeFolder made(place / "a/b/c", Parents::made, error);
    ASSERT_FALSE(error) << error.message();
    made.will_hold(place / "a/b/c/x");
    std::ofstream(place / "a/b/c/x") << "half a report";
  }
  EXPECT_FALSE(fs::exists(place / "a"));
}

TEST(MadeFolder, what_is_kept_or_was_there_or_holds_other_files_stays) {
  const TemporaryFolder place;
  std::error_code error;
  MadeFolder(place / "kept", Parents::there, error).keep();
  EXPECT_TRUE(fs::exists(place / "kept"));
  std::ofstream(place / "kept/report.html") << "of last time";
  {
    MadeFolder again(place / "kept", Parents::there, error);
    ASSERT_FALSE(error) << error.message();
    again.will_hold(place / "kept/report.html");
  }
  EXPECT_TRUE(fs::exists(place / "kept/report.html"));
  {
    const MadeFolder made(place / "outer/inner", Parents::made, error);
    std::ofstream(place / "outer/somebody's") << "x";
  }
  EXPECT_FALSE(fs::exists(place / "outer/inner"));
  EXPECT_TRUE(fs::exists(place / "outer/somebody's"));
}

TEST(MadeFolder, says_why_there_can_be_none) {
  const TemporaryFolder place;
  std::ofstream(place / "file") << "x";
  std::error_code error;
  { const MadeFolder made(place / "file", Parents::there, error); }
  EXPECT_EQ(error, std::errc::not_a_directory);
  { const MadeFolder made(place / "file/inner", Parents::made, error); }
  EXPECT_EQ(error, std::errc::not_a_directory);
  { const MadeFolder made(place / "no/inner", Parents::there, error); }
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  { const MadeFolder made(place / "new", Parents::there, error); }
  EXPECT_FALSE(error) << "an older error is not of this one";
}

}  // namespace
}  // namespace triscope
