#include "kernels/base/text/markup_text.hpp"

#include <gtest/gtest.h>

namespace triscope {
namespace {

TEST(MarkupText, what_would_be_markup_is_written_as_entities) {
  EXPECT_EQ(markup_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(MarkupText, what_acts_on_a_reader_is_written_out_and_line_feeds_become_spaces) {
  EXPECT_EQ(markup_text("a\x1b[31m\nb\tc \xc3\x97"), "a\\x1b[31m b c \xc3\x97");
  EXPECT_EQ(markup_text("\u202e"
                        "abc\xff"),
            "\\u202eabc\\xff");
  EXPECT_EQ(markup_text("a\xef\xbf\xbe"
                        "b\xef\xbf\xbf"
                        "c\xef\xbf\xbd"),
            "a\\ufffeb\\uffffc\xef\xbf\xbd")
      << "what XML does not allow";
}

}  // namespace
}  // namespace triscope
