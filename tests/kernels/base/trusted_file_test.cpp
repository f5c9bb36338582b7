// Libraries that others could have put there are not loaded.
#include "kernels/base/files/trusted_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/files/shared_library.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class TrustedFile : public testing::Test {
 protected:
  TrustedFile() { ::chmod(file_.c_str(), 0644); }
  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.write("libx.so", "no library");
};

TEST_F(TrustedFile, is_one_that_its_owner_alone_may_change) {
  EXPECT_THAT(why_not_trusted(file_), IsEmpty());
  EXPECT_THAT(why_not_trusted("/bin/sh"), IsEmpty());
  EXPECT_THAT(why_not_trusted(folder_ / "missing.so"), IsEmpty());
  ::chmod(file_.c_str(), 0666);
  EXPECT_THAT(why_not_trusted(file_), HasSubstr("others may write to " + file_.string() + " (mode 0666; `chmod go-w "));
}

TEST_F(TrustedFile, a_folder_on_the_way_counts_also_behind_a_link) {
  TemporaryFolder open;
  std::filesystem::create_symlink(file_, open / "link.so");
  EXPECT_THAT(why_not_trusted(open / "link.so"), IsEmpty());
  ::chmod(folder_.path().c_str(), 0777);
  EXPECT_THAT(why_not_trusted(file_), HasSubstr("others may write to " + folder_.path().string()));
  EXPECT_THAT(why_not_trusted(open / "link.so"), HasSubstr("others may write"));
  ::chmod(folder_.path().c_str(), 01777);  // as /tmp: ours stays ours there
  EXPECT_THAT(why_not_trusted(file_), IsEmpty());
  if (::geteuid() != 0) return;
  ::chown(file_.c_str(), 12345, 12345);
  EXPECT_THAT(why_not_trusted(file_), HasSubstr("belongs to another user and lies where everybody may write"));
}

TEST_F(TrustedFile, what_belongs_to_another_user_may_change_at_any_time) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ::chown(file_.c_str(), 12345, 12345);
  EXPECT_THAT(why_not_trusted(file_), HasSubstr("libx.so belongs to another user"));
  ::chown(file_.c_str(), 0, 0);
  EXPECT_THAT(why_not_trusted(file_), IsEmpty());
  ::chown(folder_.path().c_str(), 12345, 12345);
  EXPECT_THAT(why_not_trusted(file_), HasSubstr(folder_.path().string() + " belongs to another user"));
}

TEST_F(TrustedFile, a_library_that_is_not_one_is_not_loaded) {
  const std::filesystem::path library = folder_ / "libtrusted.so";
  std::filesystem::copy_file(std::filesystem::canonical("/lib/x86_64-linux-gnu/libm.so.6"), library);
  std::string why;
  EXPECT_TRUE(SharedLibrary().open(library, why)) << why;
  ::chmod(library.c_str(), 0666);
  EXPECT_FALSE(SharedLibrary().open(library, why));
  EXPECT_THAT(why, HasSubstr("libtrusted.so is not loaded: others may write to"));
  ::setenv("LD_LIBRARY_PATH", folder_.path().c_str(), 1);
  EXPECT_FALSE(SharedLibrary().open("libtrusted.so", why));
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_THAT(why, HasSubstr("libtrusted.so is not loaded: others may write to"));
}

}  // namespace
}  // namespace triscope
