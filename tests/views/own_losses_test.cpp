// The user's own losses on the page of scaling laws.
#include "views/model/paper/own_losses.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "profiler/paper/laws/reproduction.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Losses on the exact law -log L = alpha log N + beta, where `shift` moves -log L of every other point.
std::string line_of(const char* benchmark, const char* model, double alpha, double size, double shift) {
  return fmt::format("{},{},{},{}\n", benchmark, model, size, std::exp(-(alpha * std::log(size) - 3 + shift)));
}
std::string lines_of(const char* benchmark, const char* model, double alpha, double scatter) {
  std::string text;
  double sign = 1;
  for (const double size : {1e9, 2e9, 4e9, 8e9})
    text += line_of(benchmark, model, alpha, size, scatter * (sign = -sign));
  return text;
}

TEST(OwnLosses, have_the_fits_and_differences_of_the_paper_s_own) {
  const OwnLosses all = make_own_losses(example_losses());
  EXPECT_EQ(all.problem, "");
  ASSERT_EQ(all.benchmarks.size(), 4U);
  const OwnBenchmark& first = all.benchmarks[0];
  EXPECT_EQ(first.name, "GSM8k");
  ASSERT_EQ(first.series.size(), 2U);
  // The interval that the reader finds: 0.131 +- 0.022 against 0.156 +- 0.090.
  EXPECT_EQ(with_half(first.series[0].law.alpha, half_width(first.series[0].law.alpha_error, 1), 3), "0.131 ± 0.022");
  EXPECT_EQ(with_half(first.series[1].law.alpha, half_width(first.series[1].law.alpha_error, 1), 3), "0.156 ± 0.090");
  ASSERT_EQ(first.pairs.size(), 1U);
  EXPECT_FALSE(first.pairs[0].laws.decided());
  EXPECT_THAT(needed_words(first.pairs[0].laws), HasSubstr("would decide it"));
}

TEST(OwnLosses, find_the_law_that_they_were_made_of) {
  const OwnLosses all = make_own_losses(kLossesHeader + lines_of("mine", "a", 0.1, 0) +
                                        lines_of("mine", "b", 0.13, 1e-4) + lines_of("mine", "c", 0.16, 1e-4));
  ASSERT_EQ(all.benchmarks.size(), 1U);
  const OwnBenchmark& mine = all.benchmarks[0];
  EXPECT_NEAR(mine.series[0].law.alpha, 0.1, 1e-9);
  EXPECT_NEAR(mine.series[1].law.alpha, 0.13, 1e-3);
  ASSERT_EQ(mine.pairs.size(), 3U);
  EXPECT_NEAR(mine.pairs[0].laws.difference.value, 0.03, 1e-3);
  EXPECT_EQ(needed_words(mine.pairs[0].laws), "not decided") << "points on a line do not say how far others scatter";
  EXPECT_TRUE(mine.pairs[2].laws.decided());
  EXPECT_EQ(needed_words(mine.pairs[2].laws), "decided");
}

TEST(OwnLosses, say_how_many_more_points_would_decide_it) {
  const OwnLosses all =
      make_own_losses(kLossesHeader + lines_of("mine", "a", 0.10, 0.02) + lines_of("mine", "b", 0.11, -0.03));
  const ComparedLaws& pair = all.benchmarks.at(0).pairs.at(0).laws;
  ASSERT_FALSE(pair.decided());
  const PointsNeeded needed = *points_to_decide(all.benchmarks[0].series[0].losses, all.benchmarks[0].series[1].losses);
  ASSERT_TRUE(needed.repeats && needed.sizes);
  EXPECT_EQ(needed_words(pair), fmt::format("not decided; {} runs of each size, or {} sizes in all, would decide it",
                                            *needed.repeats, *needed.sizes));
  const OwnLosses other = make_own_losses(kLossesHeader + lines_of("mine", "a", 0.10, 0.02) +
                                          line_of("mine", "b", 0.1, 1e9, 0.01) + line_of("mine", "b", 0.1, 3e9, 0));
  EXPECT_EQ(needed_words(other.benchmarks.at(0).pairs.at(0).laws), "not decided; the two have other sizes");
}

TEST(OwnLosses, that_cannot_be_read_or_fitted_are_said) {
  EXPECT_THAT(make_own_losses("a,b,c,d\n").problem, HasSubstr("the first line does not name the columns"));
  EXPECT_THAT(make_own_losses(kLossesHeader).problem, HasSubstr("no line with a loss"));
  EXPECT_THAT(make_own_losses(std::string(kLossesHeader) + "x,y,1B\n").problem, HasSubstr("line 2 has 3 cells"));
  EXPECT_THAT(make_own_losses(std::string(kLossesHeader) + "x,y,much,1\n").problem, testing::Not(""));
  const OwnLosses half = make_own_losses(kLossesHeader + lines_of("x", "a", 0.1, 0) + "x,b,1B,0.5\n");
  EXPECT_THAT(half.problem, HasSubstr("x, b: "));
  ASSERT_EQ(half.benchmarks.size(), 1U) << "what can be fitted is";
  EXPECT_EQ(half.benchmarks[0].series.size(), 1U);
}

TEST(OwnLosses, of_many_models_are_compared_with_the_first) {
  std::string text = kLossesHeader;
  for (int n = 0; n < 9; ++n) text += lines_of("x", fmt::format("m{}", n).c_str(), 0.1 + 0.01 * n, 0.01);
  const OwnLosses all = make_own_losses(text);
  EXPECT_TRUE(all.benchmarks[0].only_with_first);
  EXPECT_EQ(all.benchmarks[0].pairs.size(), 8U);
  for (const ComparedModels& pair : all.benchmarks[0].pairs) EXPECT_EQ(pair.from, 0U);
}

TEST(OwnLosses, sizes_to_foretell_are_read_from_a_list) {
  std::string problem;
  EXPECT_THAT(parse_sizes("7B, 70B,350M", problem), ElementsAre(7e9, 70e9, 350e6));
  EXPECT_EQ(problem, "");
  EXPECT_THAT(parse_sizes("7B;70B\t350M", problem), ElementsAre(7e9, 70e9, 350e6)) << "as in the fields of the setup";
  EXPECT_THAT(parse_sizes("7B, huge", problem), ElementsAre(7e9));
  EXPECT_THAT(problem, HasSubstr("huge"));
  EXPECT_TRUE(parse_sizes("", problem).empty());
  EXPECT_EQ(problem, "");
}

TEST(OwnLosses, copy_fits_differences_and_forecasts) {
  const OwnLosses all =
      make_own_losses(kLossesHeader + lines_of("x", "a", 0.1, 0.001) + lines_of("x", "b", 0.2, 0.001));
  const TextTable table = losses_text(all, {16e9});
  ASSERT_EQ(table.rows.size(), 7U) << "alpha, beta and a loss of each, and their difference";
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  EXPECT_EQ(table.rows[2][1], "loss at 16B");
  EXPECT_NEAR(std::stod(table.rows[2][4]), std::exp(3 - 0.1 * std::log(16e9)), 0.01);
  EXPECT_EQ(table.rows[6][1], "difference of alpha");
}

}  // namespace
}  // namespace triscope
