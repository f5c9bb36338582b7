#include "views/model/charts/explore_axis.hpp"

#include <gmock/gmock.h>

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
    EXPECT_EQ(named, lines == 1 ? 2U : 4U) << "as many as have room";
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

TEST(ExploreChart, a_title_names_the_file) {
  EXPECT_EQ(file_name_of("TFLOP/s by tokens, 512 × 32, forward"), "tflops_by_tokens_512x32_forward");
  EXPECT_EQ(file_name_of("%"), "chart");
}

}  // namespace
}  // namespace triscope
