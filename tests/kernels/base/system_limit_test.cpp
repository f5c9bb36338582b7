#include "kernels/base/system_limit.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(SystemLimit, names_what_to_raise) {
  EXPECT_THAT(what_raises_the_limit(EMFILE, "x"), HasSubstr("ulimit -n"));
  EXPECT_THAT(what_raises_the_limit(EFBIG, "x"), HasSubstr("ulimit -f"));
  EXPECT_STREQ(what_raises_the_limit(EACCES, "change the permissions"), "change the permissions");
}

TEST(SystemLimit, what_is_no_error_of_ours_is_one_sentence_too) {
  EXPECT_THAT(unforeseen(std::bad_alloc()), AllOf(HasSubstr("too little memory"), HasSubstr("ulimit -v")));
  const std::system_error no_thread(EAGAIN, std::generic_category());
  EXPECT_THAT(unforeseen(no_thread), AllOf(HasSubstr("Resource temporarily"), HasSubstr("ulimit -u")));
  EXPECT_THAT(unforeseen(std::runtime_error("x")), AllOf(HasSubstr("x; this is a defect"), Not(HasSubstr("ulimit"))));
}

}  // namespace
}  // namespace triscope
