// A picture for print, made of words and paths: as SVG or as PDF. Lengths are CSS pixels from the upper left corner.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "views/parts/theme.hpp"

namespace triscope {

enum class Anchor { start, middle, end };

struct VectorText {
  float size = 11;
  ImU32 colour = 0;
  Anchor anchor = Anchor::start;
  bool upwards = false;  ///< reads from the bottom to the top
  bool numbers = false;  ///< in the font of numbers
};

class VectorCanvas {
 public:
  virtual ~VectorCanvas() = default;

  /// `y` is the base line.
  virtual void text(float x, float y, std::string_view words, const VectorText& style) = 0;
  /// `dashes`: "4 3", lengths of strokes and gaps; empty: none.
  virtual void line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes = {}) = 0;
  /// Pixels of a heat map between two corners, 3 bytes each, row by row from the top: all that is raster in a picture.
  virtual void image(ImVec2 low, ImVec2 high, int width, int height, const std::vector<std::uint8_t>& pixels) = 0;
  /// Of what follows only the part between these corners is drawn, until `end_clip`.
  virtual void clip(ImVec2 low, ImVec2 high) = 0;
  virtual void end_clip() = 0;
  /// The file.
  virtual std::string finish() = 0;
  const Theme& theme() const { return theme_; }

  /// `hollow`: its edge alone.
  void box(ImVec2 low, ImVec2 high, ImU32 colour, bool hollow = false);
  /// Strokes across a box, `step` from one to the next: nothing is here.
  void hatch(ImVec2 low, ImVec2 high, ImU32 colour, float step);
  /// Marks 0 to 7 tell series apart: circle, square, diamond, four triangles, bar.
  void mark(ImVec2 at, int shape, float radius, ImU32 colour, bool hollow = false);

 protected:
  explicit VectorCanvas(const Theme& theme) : theme_(theme) {}
  /// Closed; what is hollow has the ground's colour inside, so that lines behind it do not show through.
  virtual void polygon(const std::vector<ImVec2>& corners, ImU32 colour, bool hollow) = 0;
  virtual void circle(ImVec2 centre, float radius, ImU32 colour, bool hollow) = 0;
  ImU32 ground() const { return theme_.panel; }

 private:
  const Theme& theme_;
};

/// Two decimals are a hundredth of a pixel; "12.50" is written "12.5".
std::string vector_number(float value);

}  // namespace triscope
