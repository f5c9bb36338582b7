#include "views/model/charts/explore_axis.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

using testing::SizeIs;

TEST(ExploreAxis, names_below_an_axis_stay_within_their_plot_and_off_each_other) {
  const auto letters = [](const std::string& text) { return 6 * static_cast<float>(text.size()); };
  std::vector<std::pair<double, std::string>> ticks;
  for (int n = 0; n < 6; ++n) ticks.emplace_back(n, "d128_pair64_keys" + std::to_string(n));
  const auto share = [](double at) { return static_cast<float>((at + 0.6) / 6.2); };
  for (const int lines : {1, 2}) {
    const TickRoom room{240, 8, 12, lines};
    const std::vector<PlacedTick> placed = place_ticks(ticks, share, room, letters);
    ASSERT_THAT(placed, SizeIs(6)) << "each keeps its line";
    std::vector<float> free(static_cast<std::size_t>(lines), -1e9F);
    std::size_t named = 0;
    for (const PlacedTick& tick : placed) {
      if (tick.name.empty()) continue;
      ++named;
      const float middle = share(tick.at) * room.width, half = letters(tick.name) / 2;
      EXPECT_GE(middle - half, -room.overhang) << tick.name;
      EXPECT_LE(middle + half, room.width + room.overhang) << tick.name;
      EXPECT_GE(middle - half, free.at(static_cast<std::size_t>(tick.line))) << tick.name;
      free.at(static_cast<std::size_t>(tick.line)) = middle + half + room.gap;
    }
    EXPECT_EQ(named, lines == 1 ? 2U : 3U) << "as many as have room";
  }
}

TEST(ExploreAxis, between_two_names_on_a_line_there_is_a_gap) {
  const auto named = [](float apart) {
    const auto share = [&](double at) { return at == 0 ? 0.3F : 0.3F + apart / 400; };
    const auto width = [](const std::string&) { return 60.0F; };
    const std::vector<PlacedTick> placed = place_ticks({{0, "a"}, {1, "b"}}, share, {400, 8, 12, 1}, width);
    return !placed.at(1).name.empty();
  };
  EXPECT_FALSE(named(64));
  EXPECT_TRUE(named(70));
}

/// The names that are seen on one line of an axis of this width, a letter 6 wide.
std::vector<std::string> seen(const ExploreAxis& axis, float width, bool tokens = false) {
  const auto limits = explore_limits(axis, false);
  const auto share = [&](double at) { return static_cast<float>(share_of_axis(axis, limits, at)); };
  const auto letters = [](const std::string& text) { return 6 * static_cast<float>(text.size()); };
  std::vector<std::string> names;
  for (const PlacedTick& tick :
       place_ticks(explore_ticks(axis, tokens), share, {width, 8, 16, 1, axis.names.empty()}, letters)) {
    if (!tick.name.empty()) names.push_back(tick.name);
  }
  return names;
}

TEST(ExploreAxis, the_last_length_is_named_and_doublings_before_others) {
  ExploreAxis axis;
  axis.logarithmic = true;
  axis.ticks = {2048, 4096, 8192, 16384, 32768, 36864, 65536, 131072};
  axis.low = 2048, axis.high = 131072;
  EXPECT_THAT(seen(axis, 260, true), testing::ElementsAre("2k", "4k", "8k", "16k", "32k", "64k", "128k"));
  axis.ticks = {2048, 31744, 32768, 131072};
  EXPECT_THAT(seen(axis, 260, true), testing::ElementsAre("2k", "32k", "128k"));
  axis.ticks = {1024, 11264, 12288};
  axis.low = 1024, axis.high = 12288;
  EXPECT_THAT(seen(axis, 200, true), testing::ElementsAre("1k", "12k"));
}

TEST(ExploreAxis, no_name_is_cut_within_a_number_or_until_it_is_another) {
  ExploreAxis windows;
  for (int n = 0; n < 45; ++n) windows.names.push_back(std::to_string(16 + n) + " × 512");
  for (const std::string& name : seen(windows, 290))
    EXPECT_NE(std::ranges::find(windows.names, name), windows.names.end()) << name;
  EXPECT_FALSE(seen(windows, 290).empty());
  ExploreAxis instances;
  instances.names = {"d128_pair64_keys128_cross_half", "d128_pair64_keys128_half", "d128_split64_keys128_half",
                     "d128_split64_keys64_half", "virtual_queries_pair64"};
  std::vector<std::string> names;
  for (const auto& [at, name] : explore_ticks(instances, false)) names.push_back(name);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(names, testing::Contains("d128_pai…s128_half"));
  for (const float width : {200.0F, 400.0F, 900.0F}) {
    const std::vector<std::string> placed = seen(instances, width);
    EXPECT_EQ(std::set<std::string>(placed.begin(), placed.end()).size(), placed.size()) << width;
  }
}

TEST(ExploreAxis, names_of_long_notes_that_begin_and_end_alike_stay_short) {
  ExploreAxis axis;
  const auto note = [](int n) {
    return std::string(300, 'a') + static_cast<char>('a' + n % 26) + std::string(300, 'b') + "_of_one";
  };
  for (int n = 0; n < 200; ++n) axis.names.push_back(note(n));
  for (const auto& [at, name] : explore_ticks(axis, false)) EXPECT_LT(name.size(), 90U);
}

TEST(ExploreChart, a_title_names_the_file) {
  EXPECT_EQ(file_name_of("TFLOP/s by tokens, 512 × 32, forward"), "tflops_by_tokens_512x32_forward");
  EXPECT_EQ(file_name_of("%"), "chart");
}

TEST(ExploreAxis, names_that_would_be_cut_alike_stay_whole) {
  ExploreAxis axis;
  axis.names = {"d128_pair64_keys128_of_one", "d128_pair64_keys256_of_one", "d64_single_of_another"};
  std::vector<std::string> names;
  for (const auto& [at, name] : explore_ticks(axis, false)) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre(axis.names[0], axis.names[1], testing::HasSubstr("…")));
}

}  // namespace
}  // namespace triscope
