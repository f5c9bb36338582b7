// A vector picture as SVG: text stays text, lines are paths.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "views/print/canvas/pdf_font.hpp"
#include "views/print/canvas/vector_canvas.hpp"

namespace triscope {

/// One element of SVG 1.1, with the glyphs of its words inside. `unit`: CSS pixels of a length.
class SvgCanvas final : public VectorCanvas {
 public:
  SvgCanvas(ImVec2 size, float unit, std::string_view title, const Theme& theme);

  void text(float x, float y, std::string_view words, const VectorText& style) override;
  void line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes = {}) override;
  void image(ImVec2 low, ImVec2 high, int width, int height, const std::vector<std::uint8_t>& pixels) override;
  void clip(ImVec2 low, ImVec2 high) override;
  void end_clip() override;
  std::string finish() override;

 private:
  void polygon(const std::vector<ImVec2>& corners, ImU32 colour, bool hollow) override;
  void circle(ImVec2 centre, float radius, ImU32 colour, bool hollow) override;
  void path(const std::string& data, const std::string& style);
  std::string filled(ImU32 colour, bool hollow) const;

  std::string svg_;
  std::size_t fonts_at_ = 0;  ///< where in `svg_` the fonts belong
  PdfFont words_{FontFile::text}, numbers_{FontFile::numbers};
};

/// How high a picture of an `SvgCanvas` says that it is.
double svg_height_cm(const std::string& svg);

/// "#1f6feb".
std::string css_colour(ImU32 colour);

}  // namespace triscope
