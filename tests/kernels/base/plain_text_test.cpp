// Text from elsewhere on its way to a terminal.
#include "kernels/base/text/plain_text.hpp"

#include <gtest/gtest.h>

namespace triscope {
namespace {

TEST(PlainText, writes_out_what_a_terminal_would_act_on) {
  EXPECT_EQ(plain_text("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(plain_text("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(plain_text("\xc2\x9b 31m"), "\\x9b 31m");      // the same escape as one character
  EXPECT_EQ(plain_text("a\xe2\x80\xae b"), "a\\u202e b");  // right to left
  EXPECT_EQ(plain_text("\xf3\xa0\x81\x81"), "\\ue0041");   // a letter that is not seen
  EXPECT_EQ(plain_text("cpu\xe2\x80\x8b.fast"), "cpu\\u200b.fast");
  EXPECT_EQ(plain_text("a\xc2\xad\xe2\x81\xa0\xe3\x85\xa4"), "a\\xad\\u2060\\u3164");
  EXPECT_EQ(plain_text("\xe2\x9d\xa4\xef\xb8\x8f"), "\xe2\x9d\xa4\xef\xb8\x8f");  // a red heart is a picture of two
  EXPECT_EQ(plain_text(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(PlainText, keeps_what_people_write) {
  const std::string text = "r\xc3\xa9sum\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80 \xc3\x97\n\ttab";
  EXPECT_EQ(plain_text(text), text);
  EXPECT_EQ(plain_line("one\ttwo\nthree"), "one\\x09two\\x0athree");
}

TEST(PlainText, writes_out_bytes_that_are_no_utf8) {
  EXPECT_EQ(plain_text("r\xe9.db"), "r\\xe9.db");
  EXPECT_EQ(plain_text("\xc0\x9b"), "\\xc0\\x9b");                    // overlong
  EXPECT_EQ(plain_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(plain_text("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");  // beyond the last character
  EXPECT_EQ(plain_text("\xe2\x80"), "\\xe2\\x80");                    // cut off
}

TEST(PlainText, stays_the_same_json) {
  EXPECT_EQ(plain_json("{\"a\": \"\x7f\xc2\x9b\xf3\xa0\x81\x81\xe9\"}\n"),
            "{\"a\": \"\\u007f\\u009b\\udb40\\udc41\\ufffd\"}\n");
}

}  // namespace
}  // namespace triscope
