// What a person asks of a picture for print: its format, its size on paper, and its words.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace triscope {

enum class VectorFormat { svg, pdf };

/// Limits of a plot's axes: x low, x high, y low, y high.
using ChartLimits = std::array<double, 4>;

inline constexpr double kColumnCm = 8.5, kTextCm = 17;  ///< wide: a column of a page, and all of its text
inline constexpr double kLeastPrintCm = 3, kMostPrintCm = 100, kLeastFontPt = 4, kMostFontPt = 40;

/// What a chart is saved as; the first has pixels.
inline constexpr std::array<std::string_view, 3> kChartEndings{".png", ".pdf", ".svg"};
inline constexpr std::string_view kCaptionEnding = ".txt";  ///< of the caption as a text beside it

/// "map.txt" of "map.pdf": the name of what is written beside a picture.
inline std::string file_beside(std::string picture, std::string_view ending) {
  for (const std::string_view known : kChartEndings) {
    if (!picture.ends_with(known)) continue;
    picture.resize(picture.size() - known.size());
    break;
  }
  return picture.append(ending);
}

/// Its size on paper, and how it looks there.
struct PrintSize {
  double width_cm = kTextCm;
  std::optional<double> height_cm;  ///< unset: as the width and the words ask for
  double font_pt = 8;  ///< of legends and axis titles; numbers and captions are a tenth smaller, the title a quarter
                       ///< larger
  bool from_zero = false;  ///< the axis of Explore's values begins at zero, unless it is logarithmic
  bool dark = false;       ///< the colours of the dark theme; one with pixels has the window's
  bool captioned = true;   ///< the caption stands in it
  bool whole = false;      ///< all of a chart that is zoomed, not the part that is shown
  bool operator==(const PrintSize&) const = default;
};

struct PrintStyle {
  VectorFormat format;
  PrintSize size;
  std::optional<ChartLimits> limits;  ///< of a chart that is zoomed; unset: all of it
  PrintStyle(VectorFormat kind = VectorFormat::svg, PrintSize on_paper = {}, std::optional<ChartLimits> shown = {})
      : format(kind), size(on_paper), limits(shown) {}
};

struct PrintChoice {
  PrintSize size;
  std::optional<std::string> title, caption;  ///< unset: the chart's own; empty: none
  bool operator==(const PrintChoice&) const = default;
};

}  // namespace triscope
