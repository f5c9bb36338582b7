// Heat maps as pixels: colour maps, a pyramid that loses no bright cell, and the picture of a part of it. Used by
// the window, its exports and `triscope inspect`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/inspect/slice.hpp"

namespace triscope {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// Perceptually even and safe for colour-blind eyes, all of them. `difference` runs blue, white, red;
/// `difference_on_dark` blue, dark, red.
enum class ColourMap { viridis, cividis, inferno, difference, difference_on_dark };
std::string_view to_string(ColourMap);
std::optional<ColourMap> parse_colour_map(std::string_view text);
/// The colour at `t`, clamped to [0, 1]; NaN counts as 0.
Rgb colour_at(ColourMap map, float t);

/// Cells of a rectangular frame, row by row. -inf: masked, nothing is there. NaN: not a number, or infinite.
struct Heatmap {
  std::int64_t width = 0, height = 0;
  std::vector<float> cells;
  float at(std::int64_t x, std::int64_t y) const { return cells[static_cast<std::size_t>(y * width + x)]; }
};

/// log p of the keys that a slice sees. What the mask cuts off in front of them lies at negative cells, which
/// `paint_heatmap` shows as masked: a window may be far larger than what is seen of it.
Heatmap heatmap_of(const Slice& slice);
/// p of `a` minus p of `b`, cell by cell, their last cells over one another; as large as the larger one on each axis.
/// Masked where both are.
Heatmap difference_of(const Heatmap& a, const Heatmap& b);

/// What stands for several cells.
enum class Pooling {
  largest,   ///< of log p: a single bright cell stays as bright as it is
  mean,      ///< log of the mean p
  farthest,  ///< from zero: of differences
};

/// Levels of half the size each. Masked cells are left out; one NaN makes the pooled cell NaN, so that it stays
/// visible.
class HeatmapPyramid {
 public:
  HeatmapPyramid(Heatmap base, Pooling pooling);
  const Heatmap& base() const { return levels_.front(); }
  std::span<const Heatmap> levels() const { return levels_; }
  Pooling pooling() const { return pooling_; }

 private:
  std::vector<Heatmap> levels_;
  Pooling pooling_;
};

/// How cells become colours.
struct HeatmapStyle {
  enum class Scale {
    probability,  ///< cells are log p, colours follow p
    logarithmic,  ///< cells are log p, colours follow log p
    plain,        ///< colours follow the cells: differences
  };
  Scale scale = Scale::logarithmic;
  double low = -14, high = 0;  ///< ends of the colour map, in units of the cells (log p for the first two)
  ColourMap map = ColourMap::viridis;
  Rgb masked{0x2b, 0x30, 0x38}, stripe{0x4a, 0x51, 0x5c};  ///< hatch of masked cells
  Rgb not_a_number{0xff, 0x4f, 0xd8},
      check{0xff, 0xff, 0xff};  ///< chequered: to some eyes magenta alone is a blue like others
};
/// Position of a cell's value on the colour map, not clamped.
double heatmap_position(const HeatmapStyle& style, double value);

/// A part of a heat map in cells, edges included as fractions: [left, right) x [top, bottom).
struct HeatmapPart {
  double left = 0, top = 0, right = 1, bottom = 1;
};

/// Fills `width` x `height` pixels, RGBA bytes, rows `stride` pixels apart. Each pixel pools every cell it touches:
/// cells larger than a pixel keep sharp edges, cells smaller than one are pooled and none is lost. Outside the map:
/// masked.
void paint_heatmap(const HeatmapPyramid& pyramid, const HeatmapPart& part, const HeatmapStyle& style, int width,
                   int height, std::uint32_t* pixels, int stride);

/// Smallest and largest finite value; 0 and 0 without any.
std::pair<float, float> finite_range(std::span<const float> values);

/// Counts of the finite cells between `low` and `high` in equal bins; cells outside fall into none.
std::vector<std::int64_t> heatmap_histogram(const Heatmap& map, double low, double high, int bins);

/// PNG bytes of 8-bit RGB pixels. Throws `Error` for an empty picture.
std::vector<std::uint8_t> encode_png(int width, int height, const std::uint8_t* rgb);

}  // namespace triscope
