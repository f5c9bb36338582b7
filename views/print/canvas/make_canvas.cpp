#include "views/print/canvas/make_canvas.hpp"

#include "views/print/canvas/pdf_canvas.hpp"
#include "views/print/canvas/svg_canvas.hpp"

namespace triscope {

float unit_of(const PrintSize& size) {
  constexpr double kBody = 11, kPointsOfPixel = 0.75;
  return static_cast<float>(size.font_pt / kPointsOfPixel / kBody);
}

const Theme& theme_of(const PrintStyle& style) { return style.size.dark ? dark_theme() : light_theme(); }

std::unique_ptr<VectorCanvas> make_canvas(const PrintStyle& style, ImVec2 size, std::string_view title) {
  const float unit = unit_of(style.size);
  const Theme& theme = theme_of(style);
  if (style.format == VectorFormat::pdf) return std::make_unique<PdfCanvas>(size, unit, title, theme);
  return std::make_unique<SvgCanvas>(size, unit, title, theme);
}

}  // namespace triscope
