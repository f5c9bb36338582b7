#include "kernels/base/markup_text.hpp"

#include <gtest/gtest.h>

namespace triscope {
namespace {

TEST(MarkupText, what_would_be_markup_is_written_as_entities) {
  EXPECT_EQ(markup_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(MarkupText, control_characters_become_spaces_and_other_bytes_stay) {
  EXPECT_EQ(markup_text("a\x1b[31m\nb\tc \xc3\x97"), "a [31m b c \xc3\x97");
}

}  // namespace
}  // namespace triscope
