// Commands as words, there and back.
#include "kernels/base/text/shell_word.hpp"

#include <gmock/gmock.h>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(SplitWords, follows_the_quoting_that_is_written_down) {
  EXPECT_THAT(split_words("  ssh -q\thost\n"), ElementsAre("ssh", "-q", "host"));
  EXPECT_THAT(split_words(R"(ssh 'my host' -o "User = a")"), ElementsAre("ssh", "my host", "-o", "User = a"));
  EXPECT_THAT(split_words(R"(a\ b 'a\ b' "a\ b" "\"\\\$" x'y'"z")"),
              ElementsAre("a b", R"(a\ b)", R"(a\ b)", R"("\$)", "xyz"));
  EXPECT_THAT(split_words("a '' b"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_words("$HOME * ; | > `id`"), ElementsAre("$HOME", "*", ";", "|", ">", "`id`"));
  EXPECT_THAT(split_words(" \t"), IsEmpty());
}

TEST(SplitWords, reads_what_shell_word_writes) {
  for (const std::string word : {"plain", "", "two words", "it's", R"("quoted" \ back)", "$(id)", "tab\there"})
    EXPECT_THAT(split_words("a " + shell_word(word)), ElementsAre("a", word));
}

TEST(SplitWords, refuses_what_does_not_end) {
  EXPECT_THAT([] { split_words("ssh 'host"); }, ThrowsMessage<Error>(HasSubstr("a single quote is not closed")));
  EXPECT_THAT([] { split_words("ssh \"host"); }, ThrowsMessage<Error>(HasSubstr("a double quote is not closed")));
  EXPECT_THAT([] { split_words("ssh host\\"); }, ThrowsMessage<Error>(HasSubstr("ends with a backslash")));
}

TEST(EmptyValues, stand_after_their_option_alone_and_only_before_a_double_dash) {
  EXPECT_THAT(with_empty_values({"show", "--db=", "3"}), ElementsAre("show", "--db", "", "3"));
  EXPECT_THAT(with_empty_values({"--note=a=", "name="}), ElementsAre("--note=a=", "name=")) << "these have values";
  EXPECT_THAT(with_empty_values({"--db=", "--", "--db="}), ElementsAre("--db", "", "--", "--db="));
}

}  // namespace
}  // namespace triscope
