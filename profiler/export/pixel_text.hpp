// Words in a picture that is made without a window: letters of five by seven dots.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiler/export/heatmap.hpp"

namespace triscope {

/// A picture in the making, RGB.
struct RgbImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  RgbImage(int w, int h, Rgb paper);
  /// A dot outside the picture is left out.
  void dot(int x, int y, Rgb colour);
  Rgb at(int x, int y) const;
};

inline constexpr int kTextZoom = 2;  ///< pixels of a dot
inline constexpr int kTextHeight = 7 * kTextZoom, kTextAdvance = 6 * kTextZoom;

int text_width(std::string_view text);
/// Small letters, digits and . , - + ( ) =; any other character is left blank. (`x`, `y`) is the upper left corner.
void draw_text(RgbImage& image, int x, int y, std::string_view text, Rgb colour);

}  // namespace triscope
