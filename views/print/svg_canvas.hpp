// A vector picture as SVG: text stays text, lines are paths. Lengths are CSS pixels from the upper left corner.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace triscope {

enum class Anchor { start, middle, end };

struct SvgText {
  float size = 11;
  ImU32 colour = 0;
  Anchor anchor = Anchor::start;
  bool upwards = false;  ///< reads from the bottom to the top
  bool numbers = false;  ///< in the font of numbers
};

class SvgCanvas {
 public:
  /// `title` is what a reader hears of the picture that does not see it.
  SvgCanvas(float width, float height, std::string_view title, ImU32 ground);

  /// `y` is the base line.
  void text(float x, float y, std::string_view words, const SvgText& style);
  /// `dashes`: "4 3", as SVG writes them; empty: none.
  void line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes = {});
  /// `hollow`: its edge alone.
  void box(ImVec2 low, ImVec2 high, ImU32 colour, bool hollow = false);
  /// Marks 0 to 7 tell series apart: circle, square, diamond, four triangles, bar.
  void mark(ImVec2 at, int shape, float radius, ImU32 colour, bool hollow = false);
  /// The file: one element of SVG 1.1.
  std::string finish() &&;

 private:
  void path(const std::string& data, const std::string& style);
  std::string filled(ImU32 colour, bool hollow) const;

  ImU32 ground_;
  std::string svg_;
};

/// "#1f6feb".
std::string css_colour(ImU32 colour);

}  // namespace triscope
