// Libraries that others could have put there are not loaded.
#include "kernels/base/trusted_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

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
  EXPECT_THAT(why_not_trusted(file_), HasSubstr("others may write to " + file_.string() + " (mode 0666)"));
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
  EXPECT_THAT(why_not_trusted(file_), HasSubstr("belongs to another user"));
}

}  // namespace
}  // namespace triscope
