// Where a text is cut.
#include "kernels/base/text/text_beginning.hpp"

#include <gtest/gtest.h>

namespace triscope {
namespace {

TEST(TextBeginning, ends_with_a_whole_character) {
  EXPECT_EQ(whole_characters("plain", 9), 5U);
  EXPECT_EQ(whole_characters("plain", 3), 3U);
  EXPECT_EQ(whole_characters("a\xc3\xa9z", 2), 1U);
  EXPECT_EQ(whole_characters("a\xc3\xa9z", 3), 3U);
  EXPECT_EQ(whole_characters("\xe2\x9d\xa4", 2), 0U);
  EXPECT_EQ(beginning_of("a\xc3\xa9z", 2), "a...");
  EXPECT_EQ(beginning_of("a\xc3\xa9z", 4), "a\xc3\xa9z");
}

}  // namespace
}  // namespace triscope
