// The rows of the rotary prologue, and what is said of them.
#include "profiler/paper/rotary_cost.hpp"

#include <gmock/gmock.h>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

constexpr const char* kNames =
    "device,date,seq_len,q_heads,kv_heads,head_dim,windows,ms,least_ms,most_ms,forward_kernel,forward_ms,both_ms\n";

TEST(RotaryCost, a_row_is_told_with_its_share_of_the_forward) {
  const auto costs = parse_rotary_costs(
      std::string(kNames) + "SOME GPU,2026-01-02,32768,64,1,128,512x32,0.5000,0.4900,0.5200,cuda.some,50.000,50.600\n");
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_DOUBLE_EQ(costs[0].share(), 0.01);
  // 32768 tokens x 66 heads x 128 elements x 2 bytes, read and written, in half a millisecond.
  EXPECT_NEAR(costs[0].gigabytes_a_second(), 32768.0 * 66 * 128 * 4 / 0.0005 * 1e-9, 1e-6);
  const auto sentences = rotary_cost_sentences(costs);
  ASSERT_EQ(sentences.size(), 1U);
  for (const char* part : {"SOME GPU", "2026-01-02", "0.500 ms", "1.0 %", "50.00 ms", "50.60 ms"})
    EXPECT_THAT(sentences[0], HasSubstr(part));
}

TEST(RotaryCost, without_rows_it_says_that_nothing_was_measured) {
  EXPECT_TRUE(parse_rotary_costs(kNames).empty());
  const auto sentences = rotary_cost_sentences({});
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_THAT(sentences[0], HasSubstr("was not measured"));
}

TEST(RotaryCost, a_line_that_is_none_is_refused) {
  for (const char* line :
       {"GPU,2026-01-02,32768\n", "GPU,2026-01-02,32768,64,1,128,512x32,fast,0.4900,0.5200,cuda.some,50.000,50.600\n",
        "GPU,2026-01-02,32768,64,1,128,512x32,0,0.4900,0.5200,cuda.some,50.000,50.600\n"})
    EXPECT_THROW(parse_rotary_costs(std::string(kNames) + line), Error) << line;
  EXPECT_NO_THROW(rotary_costs());
}

}  // namespace
}  // namespace triscope
