// A vector picture as PDF 1.6 with its fonts inside: text is text that can be searched, lines are paths.
#pragma once

#include "views/print/canvas/pdf_font.hpp"
#include "views/print/canvas/vector_canvas.hpp"

namespace triscope {

/// One page of the picture's size: a CSS pixel is three quarters of a point, and a length is `unit` pixels.
class PdfCanvas final : public VectorCanvas {
 public:
  PdfCanvas(ImVec2 size, float unit, std::string_view title, const Theme& theme);

  void text(float x, float y, std::string_view words, const VectorText& style) override;
  void line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes = {}) override;
  void image(ImVec2 low, ImVec2 high, int width, int height, const std::vector<std::uint8_t>& pixels) override;
  void clip(ImVec2 low, ImVec2 high) override;
  void end_clip() override;
  std::string finish() override;

 private:
  void polygon(const std::vector<ImVec2>& corners, ImU32 colour, bool hollow) override;
  void circle(ImVec2 centre, float radius, ImU32 colour, bool hollow) override;
  void paint(ImU32 colour, bool hollow);

  ImVec2 points_;  ///< of the page
  std::string title_, content_;
  std::vector<std::string> images_;  ///< streams, each an object of the file
  PdfFont words_{FontFile::text}, numbers_{FontFile::numbers};
};

}  // namespace triscope
