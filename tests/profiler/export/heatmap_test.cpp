// Heat maps as pixels: what must be seen is there.
#include "profiler/export/heatmap.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace triscope {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

std::uint32_t packed(Rgb c) { return c.r | std::uint32_t{c.g} << 8 | std::uint32_t{c.b} << 16 | 0xFF000000U; }

HeatmapStyle log_style(double low, double high) {
  HeatmapStyle style;
  style.low = low;
  style.high = high;
  return style;
}

std::vector<std::uint32_t> painted(const HeatmapPyramid& pyramid, const HeatmapPart& part, const HeatmapStyle& style,
                                   int width, int height) {
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width * height), 0x12345678U);
  paint_heatmap(pyramid, part, style, width, height, pixels.data(), width);
  return pixels;
}

Heatmap even(std::int64_t width, std::int64_t height, float value) {
  return {width, height, std::vector<float>(static_cast<std::size_t>(width * height), value)};
}

TEST(Heatmap, one_bright_cell_of_a_million_stays_as_bright_as_it_is_at_every_size) {
  const std::uint32_t bright = packed(colour_at(ColourMap::viridis, 1));
  for (const auto& [x, y] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {517, 333}, {1023, 1023}, {511, 512}}) {
    Heatmap map = even(1024, 1024, -14);
    map.cells[static_cast<std::size_t>(y * 1024 + x)] = 0;
    const HeatmapPyramid largest(map, Pooling::largest), mean(map, Pooling::mean);
    for (const auto& [width, height] : {std::pair{700, 480}, {300, 200}, {96, 40}, {7, 5}, {1024, 1024}, {1500, 90}}) {
      const auto pixels = painted(largest, {0, 0, 1024, 1024}, log_style(-14, 0), width, height);
      EXPECT_GE(std::count(pixels.begin(), pixels.end(), bright), 1) << width << " x " << height;
      EXPECT_LE(std::count(pixels.begin(), pixels.end(), bright), std::max(16, width * height / 100))
          << width << " x " << height;
      // It stands where it is.
      const auto at = static_cast<std::size_t>(std::find(pixels.begin(), pixels.end(), bright) - pixels.begin());
      EXPECT_NEAR(static_cast<double>(at % static_cast<std::size_t>(width)) / width, static_cast<double>(x) / 1024,
                  2.5 / width + 0.003);
    }
    const auto pixels = painted(mean, {0, 0, 1024, 1024}, log_style(-14, 0), 96, 40);
    EXPECT_EQ(std::count(pixels.begin(), pixels.end(), bright), 0);  // which is why the mean is not the usual pooling
  }
}

TEST(Heatmap, near_cells_are_sharp_rectangles) {
  Heatmap map = even(4, 2, -10);
  map.cells[6] = 0;  // x 2, y 1
  const auto pixels = painted(HeatmapPyramid(map, Pooling::largest), {0, 0, 4, 2}, log_style(-10, 0), 40, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 40; ++x) {
      const bool inside = x >= 20 && x < 30 && y >= 10;
      EXPECT_EQ(pixels[static_cast<std::size_t>(y * 40 + x)],
                packed(colour_at(ColourMap::viridis, inside ? 1.0F : 0.0F)));
    }
  }
}

TEST(Heatmap, masked_cells_are_hatched_and_nan_is_loud_even_when_it_is_one_of_a_million) {
  Heatmap map = even(1024, 1024, -1);
  for (std::size_t n = 0; n < map.cells.size() / 2; ++n) map.cells[n] = kMasked;
  map.cells[700 * 1024 + 600] = std::numeric_limits<float>::quiet_NaN();
  const HeatmapStyle style = log_style(-10, 0);
  const auto pixels = painted(HeatmapPyramid(map, Pooling::largest), {0, 0, 1024, 1024}, style, 128, 128);
  EXPECT_GE(std::count(pixels.begin(), pixels.end(), packed(style.not_a_number)) +
                std::count(pixels.begin(), pixels.end(), packed(style.check)),
            1);
  const auto plain = std::count(pixels.begin(), pixels.end(), packed(style.masked)),
             stripes = std::count(pixels.begin(), pixels.end(), packed(style.stripe));
  EXPECT_NEAR(static_cast<double>(plain + stripes), 128 * 64, 129);
  EXPECT_NEAR(static_cast<double>(stripes) / static_cast<double>(plain + stripes), 1.0 / 6, 0.02);
  for (int n = 0; n <= 100; ++n) {  // neither can be taken for a value
    for (ColourMap colours : {ColourMap::viridis, ColourMap::cividis, ColourMap::inferno, ColourMap::difference,
                              ColourMap::difference_on_dark}) {
      const Rgb c = colour_at(colours, static_cast<float>(n) / 100);
      const Rgb& magenta = style.not_a_number;
      EXPECT_GT(std::abs(c.r - magenta.r) + std::abs(c.g - magenta.g) + std::abs(c.b - magenta.b), 90);
    }
  }
}

TEST(Heatmap, a_window_far_larger_than_what_is_seen_of_it_takes_no_memory) {
  Slice slice;
  slice.count1 = 2;
  slice.count2 = 1;
  slice.log_p = {0, std::numeric_limits<float>::infinity()};
  const Heatmap map = heatmap_of(slice);
  ASSERT_EQ(map.cells.size(), 2U);
  EXPECT_TRUE(std::isnan(map.at(1, 0)));
  const HeatmapStyle style = log_style(-10, 0);
  const HeatmapPyramid pyramid(map, Pooling::largest);
  const auto near = painted(pyramid, {-2, -2, 2, 1}, style, 4, 3);  // a frame of 4 x 3
  EXPECT_EQ(near[10], packed(colour_at(ColourMap::viridis, 1)));
  EXPECT_TRUE(near[11] == packed(style.not_a_number) || near[11] == packed(style.check));
  const auto hatched = [&](const std::vector<std::uint32_t>& pixels) {
    return std::count(pixels.begin(), pixels.end(), packed(style.masked)) +
           std::count(pixels.begin(), pixels.end(), packed(style.stripe));
  };
  EXPECT_EQ(hatched(near), 10);
  const auto far = painted(pyramid, {-65534, -65535, 2, 1}, style, 100, 100);  // the last pixel holds both cells
  EXPECT_EQ(hatched(far), 9999);
  EXPECT_TRUE(far.back() == packed(style.not_a_number) || far.back() == packed(style.check));
}

TEST(Heatmap, linear_and_logarithmic_scales_place_values_where_they_belong) {
  HeatmapStyle style = log_style(std::log(0.001), std::log(0.1));
  EXPECT_NEAR(heatmap_position(style, std::log(0.01)), 0.5, 1e-12);
  style.scale = HeatmapStyle::Scale::probability;
  EXPECT_NEAR(heatmap_position(style, std::log(0.0505)), 0.5, 1e-9);
}

TEST(Heatmap, every_pixel_has_the_colour_of_its_value_on_every_scale) {
  Heatmap map{200, 1, {}};
  for (int n = 0; n < 200; ++n)
    map.cells.push_back(-12.0F + 0.065F * static_cast<float>(n) + 0.013F * static_cast<float>(n * 7 % 11));
  for (const auto scale :
       {HeatmapStyle::Scale::logarithmic, HeatmapStyle::Scale::probability, HeatmapStyle::Scale::plain}) {
    HeatmapStyle style = log_style(-9, -0.5);
    style.scale = scale;
    const auto pixels = painted(HeatmapPyramid(map, Pooling::largest), {0, 0, 200, 1}, style, 200, 1);
    for (std::size_t n = 0; n < 200; ++n) {
      const double t = std::clamp(heatmap_position(style, map.cells[n]), 0.0, 1.0);
      bool near = false;  // one of the steps beside the exact place
      for (double step : {-0.51, 0.0, 0.51}) {
        const auto place = static_cast<float>(std::lround(std::clamp(t * 255 + step, 0.0, 255.0))) / 255;
        near |= pixels[n] == packed(colour_at(style.map, place));
      }
      EXPECT_TRUE(near) << n;
    }
  }
}

TEST(Heatmap, ranges_too_small_for_a_float_have_both_ends_of_the_colours) {
  const auto ends = [](Heatmap map, HeatmapStyle::Scale scale, double low, double high) {
    HeatmapStyle style = log_style(low, high);
    style.scale = scale;
    const auto pixels = painted(HeatmapPyramid(std::move(map), Pooling::largest), {0, 0, 2, 1}, style, 2, 1);
    EXPECT_EQ(pixels[0], packed(colour_at(style.map, 0)));
    EXPECT_EQ(pixels[1], packed(colour_at(style.map, 1)));
  };
  ends({2, 1, {8e-40F, 3e-39F}}, HeatmapStyle::Scale::plain, 8e-40, 3e-39);
  ends({2, 1, {-900, -400}}, HeatmapStyle::Scale::probability, -1e9, -400);
  ends({2, 1, {-1000, -690}}, HeatmapStyle::Scale::probability, -1e9, -690);
  ends({2, 1, {-1e30F, 1e30F}}, HeatmapStyle::Scale::plain, -1e30, 1e30);
}

TEST(Heatmap, a_range_without_an_extent_is_painted_in_one_colour) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const auto scale :
       {HeatmapStyle::Scale::logarithmic, HeatmapStyle::Scale::probability, HeatmapStyle::Scale::plain}) {
    for (const auto& [low, high] : {std::pair{-3.0, -3.0}, {-kInfinite, -kInfinite}, {-kInfinite, -1.0}, {2.0, 1.0}}) {
      HeatmapStyle style = log_style(low, high);
      style.scale = scale;
      const auto pixels = painted(HeatmapPyramid(even(3, 1, -3), Pooling::largest), {0, 0, 3, 1}, style, 3, 1);
      EXPECT_EQ(pixels[0] >> 24, 0xFFU);
      EXPECT_THAT(pixels, testing::Each(pixels[0]));
    }
  }
}

TEST(Heatmap, the_range_of_values_is_that_of_the_finite_ones_wherever_they_stand) {
  std::vector<float> values(100, -3);
  values[0] = std::numeric_limits<float>::quiet_NaN();
  values[17] = -kMasked;
  values[18] = kMasked;
  for (std::size_t n : {1U, 15U, 16U, 63U, 95U, 99U}) {
    std::vector<float> some = values;
    some[n] = -7;
    some[99 - n] = 2.5F;
    EXPECT_EQ(finite_range(some), std::pair(-7.0F, 2.5F)) << n;
  }
  EXPECT_EQ(finite_range(std::vector<float>{kMasked}), std::pair(0.0F, 0.0F));
}

TEST(Heatmap, a_difference_keeps_the_farthest_from_zero_whichever_its_sign) {
  Heatmap a = even(64, 64, std::log(0.1F)), b = a;
  b.cells[100] = std::log(0.4F);
  a.cells[2000] = std::log(0.2F);
  const HeatmapPyramid pyramid(difference_of(a, b), Pooling::farthest);
  EXPECT_NEAR(pyramid.levels().back().cells.front(), -0.3, 1e-6);
  EXPECT_NEAR(pyramid.base().cells[2000], 0.1, 1e-6);
}

TEST(Heatmap, the_difference_of_slices_with_unequal_windows_aligns_their_last_cells) {
  const Heatmap a = even(3, 1, std::log(0.5F)), b = even(1, 2, std::log(0.25F));
  const Heatmap map = difference_of(a, b);
  ASSERT_EQ(map.width, 3);
  ASSERT_EQ(map.height, 2);
  EXPECT_THAT(map.cells, testing::ElementsAre(kMasked, kMasked, -0.25F, 0.5F, 0.5F, 0.25F));
}

TEST(Heatmap, a_histogram_counts_every_finite_cell_once) {
  Heatmap map = even(10, 10, -2.5F);
  map.cells[0] = kMasked;
  map.cells[1] = 0;
  const auto bins = heatmap_histogram(map, -4, 0, 4);
  EXPECT_THAT(bins, testing::ElementsAre(0, 98, 0, 1));
}

struct Linear {
  double r, g, b;
};
Linear linear(Rgb c) {
  const auto channel = [](std::uint8_t v) {
    const double x = v / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return {channel(c.r), channel(c.g), channel(c.b)};
}
double lightness(const Linear& c) {
  const double y = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

// Machado, Oliveira, Fernandes 2009, severity 1: protanopia, deuteranopia, tritanopia.
constexpr double kBlindness[3][3][3] = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

TEST(ColourMaps, grow_lighter_all_the_way_for_every_eye) {
  for (ColourMap map : {ColourMap::viridis, ColourMap::cividis, ColourMap::inferno}) {
    for (int eye = -1; eye < 3; ++eye) {
      double before = -1, smallest = 100;
      for (int n = 0; n <= 20; ++n) {
        Linear c = linear(colour_at(map, static_cast<float>(n) / 20));
        if (eye >= 0) {
          const auto& m = kBlindness[eye];
          const auto channel = [&](int row) {
            return std::clamp(m[row][0] * c.r + m[row][1] * c.g + m[row][2] * c.b, 0.0, 1.0);
          };
          c = {channel(0), channel(1), channel(2)};
        }
        const double now = lightness(c);
        if (n > 0) smallest = std::min(smallest, now - before);
        before = now;
      }
      EXPECT_GT(smallest, 0.8) << to_string(map) << ", eye " << eye;  // of about 4 when the steps are even
    }
  }
}

}  // namespace
}  // namespace triscope
