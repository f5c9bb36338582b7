#include "profiler/export/heatmap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace triscope {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int kStripeEvery = 6;                        // pixels of the hatch
constexpr std::uint32_t kHatched = 0, kChequered = 1;  // stand for patterns until the end: no colour is transparent

constexpr Rgb rgb(unsigned hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8 & 255),
          static_cast<std::uint8_t>(hex & 255)};
}

// Even steps of the published maps (matplotlib's viridis, cividis, inferno; ColorBrewer's RdBu turned round).
constexpr std::array kViridis{rgb(0x440154), rgb(0x472d7b), rgb(0x3b528b), rgb(0x2c728e), rgb(0x21918c),
                              rgb(0x28ae80), rgb(0x5ec962), rgb(0xaddc30), rgb(0xfde725)};
constexpr std::array kCividis{rgb(0x00224e), rgb(0x123570), rgb(0x3b496c), rgb(0x575d6d), rgb(0x707173),
                              rgb(0x8a8678), rgb(0xa59c74), rgb(0xc3b369), rgb(0xe1cc55), rgb(0xfee838)};
constexpr std::array kInferno{rgb(0x000004), rgb(0x1b0c41), rgb(0x4a0c6b), rgb(0x781c6d), rgb(0xa52c60),
                              rgb(0xcf4446), rgb(0xed6925), rgb(0xfb9b06), rgb(0xf7d13d), rgb(0xfcffa4)};
constexpr std::array kDifference{rgb(0x2166ac), rgb(0x67a9cf), rgb(0xd1e5f0), rgb(0xf7f7f7),
                                 rgb(0xfddbc7), rgb(0xef8a62), rgb(0xb2182b)};
constexpr std::array kDifferenceOnDark{rgb(0x9bd0f5), rgb(0x4b95d0), rgb(0x2a4f74), rgb(0x1d2027),
                                       rgb(0x703a30), rgb(0xd1654b), rgb(0xfbb199)};

std::span<const Rgb> stops(ColourMap map) {
  switch (map) {
    case ColourMap::viridis:
      return kViridis;
    case ColourMap::cividis:
      return kCividis;
    case ColourMap::inferno:
      return kInferno;
    case ColourMap::difference:
      return kDifference;
    case ColourMap::difference_on_dark:
      return kDifferenceOnDark;
  }
  return kViridis;
}

std::uint32_t pack(Rgb colour) {
  return colour.r | std::uint32_t{colour.g} << 8 | std::uint32_t{colour.b} << 16 | 0xFF000000U;
}

/// Pools values one after the other.
class Pool {
 public:
  explicit Pool(Pooling pooling) : pooling_(pooling) {}
  void add(float value) {
    if (value == kMasked) return;
    if (std::isnan(value)) {
      value_ = value;
      nan_ = true;
      return;
    }
    ++count_;
    switch (pooling_) {
      case Pooling::largest:
        value_ = std::max(value_, value);
        break;
      case Pooling::mean:
        sum_ += std::exp(value);
        break;
      case Pooling::farthest:
        if (value_ == kMasked || std::abs(value) > std::abs(value_)) value_ = value;
        break;
    }
  }
  float result() const {
    if (nan_) return kNaN;
    if (count_ == 0) return kMasked;
    return pooling_ == Pooling::mean ? static_cast<float>(std::log(sum_ / count_)) : value_;
  }

 private:
  Pooling pooling_;
  float value_ = kMasked;
  double sum_ = 0;
  int count_ = 0;
  bool nan_ = false;
};

constexpr float kLoud = std::numeric_limits<float>::infinity();  // NaN while largest values are sought: larger than any

/// The largest of each column over rows [first, end), NaN as `kLoud`: plain comparisons, which compilers vectorise.
void largest_of_rows(const Heatmap& map, std::int64_t first, std::int64_t end, std::vector<float>& out) {
  out.assign(static_cast<std::size_t>(map.width), kMasked);
  for (std::int64_t y = first; y < end; ++y) {
    const float* row = map.cells.data() + y * map.width;
    for (std::size_t x = 0; x < out.size(); ++x) {
      const float value = row[x] == row[x] ? row[x] : kLoud;
      out[x] = value > out[x] ? value : out[x];
    }
  }
}

Heatmap halved_largest(const Heatmap& map) {
  Heatmap half{(map.width + 1) / 2, (map.height + 1) / 2, {}};
  half.cells.resize(static_cast<std::size_t>(half.width * half.height));
  std::vector<float> rows;
  for (std::int64_t y = 0; y < half.height; ++y) {
    largest_of_rows(map, 2 * y, std::min(2 * y + 2, map.height), rows);
    if (map.width % 2 != 0) rows.push_back(kMasked);
    float* out = half.cells.data() + y * half.width;
    for (std::int64_t x = 0; x < half.width; ++x) {
      const float a = rows[static_cast<std::size_t>(2 * x)], b = rows[static_cast<std::size_t>(2 * x + 1)];
      const float value = a > b ? a : b;
      out[x] = value == kLoud ? kNaN : value;
    }
  }
  return half;
}

Heatmap halved(const Heatmap& map, Pooling pooling) {
  if (pooling == Pooling::largest) return halved_largest(map);
  Heatmap half{(map.width + 1) / 2, (map.height + 1) / 2, {}};
  half.cells.resize(static_cast<std::size_t>(half.width * half.height));
  for (std::int64_t y = 0; y < half.height; ++y) {
    const std::int64_t bottom = std::min(2 * y + 2, map.height);
    for (std::int64_t x = 0; x < half.width; ++x) {
      Pool pool(pooling);
      for (std::int64_t v = 2 * y; v < bottom; ++v) {
        for (std::int64_t u = 2 * x; u < std::min(2 * x + 2, map.width); ++u) pool.add(map.at(u, v));
      }
      half.cells[static_cast<std::size_t>(y * half.width + x)] = pool.result();
    }
  }
  return half;
}

/// Cells [first, end) that a pixel touches; empty outside the map.
struct Span {
  std::int64_t first = 0, end = 0;
  bool operator==(const Span&) const = default;
};
std::vector<Span> spans_of(double from, double to, int pixels, std::int64_t cells) {
  std::vector<Span> spans(static_cast<std::size_t>(pixels));
  const double step = (to - from) / pixels;
  for (int p = 0; p < pixels; ++p) {
    const double a = from + step * p, b = from + step * (p + 1);
    // A pixel inside one cell belongs to the cell under its centre: sharp edges.
    const double centre = std::floor((a + b) / 2);
    double first = step <= 1 ? centre : std::floor(a), end = step <= 1 ? centre + 1 : std::ceil(b);
    if (end <= 0 || first >= static_cast<double>(cells)) continue;
    spans[static_cast<std::size_t>(p)] = {std::max<std::int64_t>(0, static_cast<std::int64_t>(first)),
                                          std::min(cells, static_cast<std::int64_t>(end))};
  }
  return spans;
}

float largest_of_columns(const std::vector<float>& rows, Span columns) {
  float largest = kMasked;
  for (std::int64_t x = columns.first; x < columns.end; ++x) {
    const float value = rows[static_cast<std::size_t>(x)];
    largest = value > largest ? value : largest;
  }
  return largest;
}

float pool_of(const Heatmap& map, Pooling pooling, Span rows, Span columns) {
  Pool pool(pooling);
  for (std::int64_t y = rows.first; y < rows.end; ++y) {
    for (std::int64_t x = columns.first; x < columns.end; ++x) pool.add(map.at(x, y));
  }
  const float value = pool.result();
  return std::isnan(value) ? kLoud : value;
}

/// Pooled cells as colours; `kHatched` and `kChequered` for those that have none.
class Colouring {
 public:
  explicit Colouring(const HeatmapStyle& style) : probability_(style.scale == HeatmapStyle::Scale::probability) {
    for (std::size_t n = 0; n <= kLast; ++n)
      table_[n] = pack(colour_at(style.map, static_cast<float>(n) / static_cast<float>(kLast)));
    table_[kLast + 1] = kHatched;
    table_[kLast + 2] = kChequered;
    if (!(style.high > style.low)) return;
    high_ = static_cast<float>(style.high);
    low_ = static_cast<float>(probability_ ? std::exp(style.low - style.high) : style.low);
    range_ = static_cast<float>(probability_ ? -std::expm1(style.low - style.high) : style.high - style.low);
    offset_ = 0.5F;  // to the nearest
  }
  /// `cells`: NaN as `kLoud`. Their contents are destroyed.
  void paint(std::vector<float>& cells, std::uint32_t* out) {
    places_.resize(cells.size());
    for (std::size_t x = 0; x < cells.size(); ++x) {  // compilers vectorise this
      const float value = cells[x];
      const int other = value == kMasked ? kLast + 1 : value == kLoud ? kLast + 2 : 0;
      places_[x] = other;
      cells[x] = other == 0 ? value : 0;
    }
    if (probability_) {
      for (float& value : cells) value = std::exp(value - high_);  // of the largest: no float is too small
    }
    for (std::size_t x = 0; x < cells.size(); ++x) {
      const float position = (cells[x] - low_) / range_ * kLast + offset_;
      const float inside = !(position > 0) ? 0 : position > kLast ? kLast : position;
      places_[x] = places_[x] == 0 ? static_cast<int>(inside) : places_[x];
    }
    for (std::size_t x = 0; x < cells.size(); ++x) out[x] = table_[static_cast<std::size_t>(places_[x])];
  }

 private:
  static constexpr int kLast = 255;
  bool probability_;
  float high_ = 0, low_ = 0;
  float range_ = std::numeric_limits<float>::infinity(), offset_ = (kLast + 1) / 2.0f;  // without a range: the middle
  std::array<std::uint32_t, kLast + 3> table_;
  std::vector<int> places_;  // in the table
};

/// Replaces the marker pixels by their patterns. Runs last, since copied rows would repeat the patterns.
void draw_patterns(const HeatmapStyle& style, int width, int height, std::uint32_t* pixels, int stride) {
  const std::uint32_t masked = pack(style.masked), stripe = pack(style.stripe), not_a_number = pack(style.not_a_number),
                      check = pack(style.check);
  for (int y = 0; y < height; ++y) {
    std::uint32_t* out = pixels + static_cast<std::ptrdiff_t>(y) * stride;
    for (int x = 0; x < width; ++x) {
      if (out[x] > std::max(kHatched, kChequered)) continue;
      if (out[x] == kHatched) {
        out[x] = (x + y) % kStripeEvery == 0 ? stripe : masked;
      } else {
        out[x] = ((x >> 1) + (y >> 1)) % 2 == 0 ? not_a_number : check;
      }
    }
  }
}

}  // namespace

std::string_view to_string(ColourMap map) {
  switch (map) {
    case ColourMap::viridis:
      return "viridis";
    case ColourMap::cividis:
      return "cividis";
    case ColourMap::inferno:
      return "inferno";
    case ColourMap::difference:
      return "difference";
    case ColourMap::difference_on_dark:
      return "difference on dark";
  }
  return "?";
}

std::optional<ColourMap> parse_colour_map(std::string_view text) {
  for (ColourMap map : {ColourMap::viridis, ColourMap::cividis, ColourMap::inferno, ColourMap::difference}) {
    if (to_string(map) == text) return map;
  }
  return std::nullopt;
}

Rgb colour_at(ColourMap map, float t) {
  const std::span<const Rgb> colours = stops(map);
  const float position = std::clamp(std::isnan(t) ? 0.0F : t, 0.0F, 1.0F) * static_cast<float>(colours.size() - 1);
  const auto index = std::min(static_cast<std::size_t>(position), colours.size() - 2);
  const float f = position - static_cast<float>(index);
  const auto mix = [f](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(
        std::lround(static_cast<float>(a) + (static_cast<float>(b) - static_cast<float>(a)) * f));
  };
  const Rgb a = colours[index], b = colours[index + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

Heatmap heatmap_of(const Slice& slice) {
  Heatmap map{slice.count1, slice.count2, slice.log_p};
  for (float& x : map.cells) x = std::isfinite(x) ? x : kNaN;
  return map;
}

Heatmap difference_of(const Heatmap& a, const Heatmap& b) {
  Heatmap map{std::max(a.width, b.width), std::max(a.height, b.height), {}};
  map.cells.reserve(static_cast<std::size_t>(map.width * map.height));
  for (std::int64_t y = 0; y < map.height; ++y) {
    for (std::int64_t x = 0; x < map.width; ++x) {
      const auto of = [&](const Heatmap& one) {
        const std::int64_t u = x - map.width + one.width, v = y - map.height + one.height;
        return u < 0 || v < 0 ? kMasked : one.at(u, v);
      };
      const float p = of(a), q = of(b);
      map.cells.push_back(p == kMasked && q == kMasked ? kMasked : std::exp(p) - std::exp(q));
    }
  }
  return map;
}

HeatmapPyramid::HeatmapPyramid(Heatmap base, Pooling pooling) : pooling_(pooling) {
  levels_.push_back(std::move(base));
  while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(halved(levels_.back(), pooling));
}

double heatmap_position(const HeatmapStyle& style, double value) {
  if (style.scale == HeatmapStyle::Scale::probability) {
    const double low = std::exp(style.low), high = std::exp(style.high);
    return high > low ? (std::exp(value) - low) / (high - low) : 0.5;
  }
  return style.high > style.low ? (value - style.low) / (style.high - style.low) : 0.5;
}

std::pair<float, float> finite_range(std::span<const float> values) {
  // Lanes of plain comparisons, which compilers vectorise.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::array<float, 16> least, most;
  least.fill(kInfinity);
  most.fill(-kInfinity);
  const auto take = [&](std::size_t lane, float x) {
    const bool finite = std::abs(x) < kInfinity;
    const float low = finite ? x : kInfinity, high = finite ? x : -kInfinity;
    least[lane] = low < least[lane] ? low : least[lane];
    most[lane] = high > most[lane] ? high : most[lane];
  };
  std::size_t n = 0;
  for (; n + least.size() <= values.size(); n += least.size()) {
    for (std::size_t lane = 0; lane < least.size(); ++lane) take(lane, values[n + lane]);
  }
  for (; n < values.size(); ++n) take(0, values[n]);
  const float low = *std::min_element(least.begin(), least.end()), high = *std::max_element(most.begin(), most.end());
  return high < low ? std::pair(0.0F, 0.0F) : std::pair(low, high);
}

void paint_heatmap(const HeatmapPyramid& pyramid, const HeatmapPart& part, const HeatmapStyle& style, int width,
                   int height, std::uint32_t* pixels, int stride) {
  if (width <= 0 || height <= 0) return;
  // The coarsest level whose cells are still no larger than half a pixel on either axis: at most three cells across.
  const double per_pixel = std::min((part.right - part.left) / width, (part.bottom - part.top) / height);
  std::size_t level = 0;
  double factor = 1;
  while (level + 1 < pyramid.levels().size() && factor * 4 <= per_pixel) {
    ++level;
    factor *= 2;
  }
  const Heatmap& map = pyramid.levels()[level];
  const std::vector<Span> across = spans_of(part.left / factor, part.right / factor, width, map.width);
  const std::vector<Span> down = spans_of(part.top / factor, part.bottom / factor, height, map.height);
  Colouring colouring(style);
  std::vector<float> pooled_rows, pooled(static_cast<std::size_t>(width));
  const bool largest = pyramid.pooling() == Pooling::largest;
  for (int y = 0; y < height; ++y) {
    std::uint32_t* out = pixels + static_cast<std::ptrdiff_t>(y) * stride;
    const Span rows = down[static_cast<std::size_t>(y)];
    if (y > 0 && rows == down[static_cast<std::size_t>(y) - 1]) {
      std::memcpy(out, out - stride, static_cast<std::size_t>(width) * sizeof(std::uint32_t));
      continue;
    }
    if (largest) largest_of_rows(map, rows.first, rows.end, pooled_rows);
    for (std::size_t x = 0; x < pooled.size(); ++x) {
      if (x > 0 && across[x] == across[x - 1]) {
        pooled[x] = pooled[x - 1];
      } else {
        pooled[x] =
            largest ? largest_of_columns(pooled_rows, across[x]) : pool_of(map, pyramid.pooling(), rows, across[x]);
      }
    }
    colouring.paint(pooled, out);
  }
  draw_patterns(style, width, height, pixels, stride);
}

std::vector<std::int64_t> heatmap_histogram(const Heatmap& map, double low, double high, int bins) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
  if (!(high > low)) return counts;
  const auto first = static_cast<float>(low), last = static_cast<float>(high),
             factor = static_cast<float>(bins / (high - low));
  // Bins of a few cells at a time, which compilers vectorise; the one behind the last takes what lies outside.
  counts.push_back(0);
  std::array<int, 256> places;
  for (std::size_t from = 0; from < map.cells.size(); from += places.size()) {
    const std::size_t count = std::min(places.size(), map.cells.size() - from);
    const float* cells = map.cells.data() + from;
    for (std::size_t n = 0; n < count; ++n) {
      const float value = cells[n];
      const bool inside = value >= first && value <= last;
      const int place = static_cast<int>(((inside ? value : first) - first) * factor);
      places[n] = !inside ? bins : place < bins ? place : bins - 1;
    }
    for (std::size_t n = 0; n < count; ++n) ++counts[static_cast<std::size_t>(places[n])];
  }
  counts.pop_back();
  return counts;
}

}  // namespace triscope
