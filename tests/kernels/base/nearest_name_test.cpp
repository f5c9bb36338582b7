// What was probably meant by a misspelled name.
#include "kernels/base/text/nearest_name.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace triscope {
namespace {

using testing::Optional;

const std::vector<std::string> kNames{"cuda.portable", "cuda.hopper", "cpu.fast", "cpu.last"};

TEST(NearestName, is_at_most_two_edits_away) {
  EXPECT_THAT(nearest_name("cuda.hopper", kNames), Optional(std::string("cuda.hopper")));
  EXPECT_THAT(nearest_name("cuda.hoper", kNames), Optional(std::string("cuda.hopper"))) << "a letter left out";
  EXPECT_THAT(nearest_name("cuda.hoppper", kNames), Optional(std::string("cuda.hopper"))) << "one too many";
  EXPECT_THAT(nearest_name("cuda.hoqper", kNames), Optional(std::string("cuda.hopper"))) << "a wrong one";
  EXPECT_THAT(nearest_name("cuda.hpoper", kNames), Optional(std::string("cuda.hopper"))) << "two in the wrong order";
  EXPECT_EQ(nearest_name("uda.hpper.", kNames), std::nullopt) << "three edits";
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("cpu", {}), std::nullopt);
}

TEST(NearestName, is_the_nearest_of_several_and_the_first_of_equally_near_ones) {
  EXPECT_THAT(nearest_name("cpu.lasd", kNames), Optional(std::string("cpu.last"))) << "cpu.fast is two away";
  EXPECT_THAT(nearest_name("cpu.mast", kNames), Optional(std::string("cpu.fast")));
}

TEST(NearestName, does_not_mind_capitals) {
  EXPECT_THAT(nearest_name("CUDA.HOPPER", kNames), Optional(std::string("cuda.hopper")));
}

TEST(NearestName, the_hint_is_a_sentence_or_nothing) {
  EXPECT_EQ(nearest_name_hint("cpu.fats", kNames), "did you mean cpu.fast? ");
  EXPECT_EQ(nearest_name_hint("something", kNames), "");
}

}  // namespace
}  // namespace triscope
