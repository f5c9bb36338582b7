// What a picture of a slice says of itself: words, axes and the scale of the colours, without a window.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "profiler/export/pixel_text.hpp"
#include "profiler/export/slice_export.hpp"

namespace triscope {
namespace {

constexpr Rgb kWhite{255, 255, 255}, kBlack{0, 0, 0};

/// The dots of `text`, line by line.
std::string dots_of(const std::string& text) {
  RgbImage image(text_width(text), kTextHeight, kWhite);
  draw_text(image, 0, 0, text, kBlack);
  std::string dots;
  for (int y = 0; y < image.height; y += kTextZoom) {
    for (int x = 0; x < image.width; x += kTextZoom) dots += image.at(x, y) == kBlack ? '#' : '.';
    dots += '\n';
  }
  return dots;
}

TEST(PixelText, letters_are_drawn_dot_by_dot_and_differ) {
  EXPECT_EQ(dots_of("k7"),
            "#.....#####.\n"
            "#.........#.\n"
            "#..#.....#..\n"
            "#.#.....#...\n"
            "##.....#....\n"
            "#.#....#....\n"
            "#..#...#....\n");
  const std::string letters = "0123456789abcdefghijklmnopqrstuvwxyz.,-+=()";
  for (std::size_t n = 0; n < letters.size(); ++n) {
    EXPECT_NE(dots_of(letters.substr(n, 1)), dots_of(" ")) << letters[n];
    for (std::size_t m = 0; m < n; ++m)
      EXPECT_NE(dots_of(letters.substr(n, 1)), dots_of(letters.substr(m, 1))) << letters[n] << letters[m];
  }
}

TEST(PixelText, what_lies_beyond_the_picture_is_left_out) {
  RgbImage image(4, 4, kWhite);
  draw_text(image, -3, -3, "888", kBlack);
  draw_text(image, 2, 2, "8", kBlack);
  EXPECT_EQ(image.rgb.size(), 48U);
}

Slice slice_of(std::int64_t first1, std::int64_t first2) {
  Slice slice;
  slice.first1 = first1, slice.first2 = first2;
  slice.count1 = 8, slice.count2 = 4;
  for (int n = 0; n < 32; ++n) slice.log_p.push_back(std::log(static_cast<float>(n + 1) / 528));
  slice.largest_p = 32.0 / 528;
  return slice;
}

TEST(FramedPicture, says_its_title_the_ends_of_its_axes_and_its_colours) {
  const auto framed = [](const Slice& slice, const std::string& title, SliceExport options = {}) {
    return framed_picture("a.png", slice, options, title);
  };
  const SlicePicture bare = slice_picture("a.png", slice_of(10, 20), {}), one = framed(slice_of(10, 20), "query 23");
  EXPECT_GT(one.width, bare.width + 100);
  EXPECT_GT(one.height, bare.height + 2 * kTextHeight);
  EXPECT_EQ(one.png, framed(slice_of(10, 20), "query 23").png);
  EXPECT_NE(one.png, framed(slice_of(10, 20), "query 24").png) << "the title";
  EXPECT_NE(one.png, framed(slice_of(11, 20), "query 23").png) << "j";
  EXPECT_NE(one.png, framed(slice_of(10, 21), "query 23").png) << "k";
  SliceExport wider;
  wider.range_given = true;
  wider.style = picture_style(wider.style, 32.0 / 528);
  EXPECT_EQ(one.png, framed(slice_of(10, 20), "query 23", wider).png);
  Slice flat = slice_of(10, 20);
  for (float& x : flat.log_p) x = std::log(1e-30F);
  SliceExport other = wider;
  other.style.low -= 5;
  EXPECT_NE(framed(flat, "query 23", wider).png, framed(flat, "query 23", other).png) << "the end of the scale";
}

}  // namespace
}  // namespace triscope
