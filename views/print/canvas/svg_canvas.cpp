#include "views/print/canvas/svg_canvas.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "kernels/base/text/markup_text.hpp"
#include "profiler/export/heatmap.hpp"
#include "views/print/canvas/web_font.hpp"

namespace triscope {
namespace {

std::string svg_point(ImVec2 at) { return vector_number(at.x) + " " + vector_number(at.y); }

constexpr float kMmOfPixel = 25.4F / 96;
constexpr std::string_view kTextFonts = "Inter, Helvetica, Arial, sans-serif",
                           kNumberFonts = "'JetBrains Mono', Menlo, Consolas, monospace";

/// A rule that gives what the picture uses of a font to whoever draws it; one who knows no such rules takes a font of
/// that name, or the next of the list.
std::string font_rule(std::string_view family, const PdfFont& font) {
  if (!font.used()) return {};
  return fmt::format("@font-face{{font-family:{};src:url(data:font/woff;base64,{}) format(\"woff\")}}\n", family,
                     base64(font.woff()));
}

}  // namespace

std::string css_colour(ImU32 colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", (colour >> IM_COL32_R_SHIFT) & 255, (colour >> IM_COL32_G_SHIFT) & 255,
                     (colour >> IM_COL32_B_SHIFT) & 255);
}

SvgCanvas::SvgCanvas(ImVec2 size, float unit, std::string_view title, const Theme& theme) : VectorCanvas(theme) {
  svg_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}mm\" height=\"{1}mm\" viewBox=\"0 0 {2} {3}\" "
      "font-family=\"{4}\">\n<title>{5}</title>\n",
      vector_number(size.x * unit * kMmOfPixel), vector_number(size.y * unit * kMmOfPixel), vector_number(size.x),
      vector_number(size.y), kTextFonts, markup_text(title));
  fonts_at_ = svg_.size();
  box(ImVec2(0, 0), size, ground());
}

void SvgCanvas::text(float x, float y, std::string_view words, const VectorText& style) {
  (style.numbers ? numbers_ : words_).glyphs(words);  // which it remembers
  static constexpr std::array kAnchors{"start", "middle", "end"};
  svg_ +=
      fmt::format("<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" fill=\"{3}\" text-anchor=\"{4}\"{5}{6}>{7}</text>\n",
                  vector_number(x), vector_number(y), vector_number(style.size), css_colour(style.colour),
                  kAnchors[static_cast<std::size_t>(style.anchor)],
                  style.numbers ? fmt::format(" font-family=\"{}\"", kNumberFonts) : std::string(),
                  style.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", vector_number(x), vector_number(y))
                                : std::string(),
                  markup_text(words));
}

void SvgCanvas::path(const std::string& data, const std::string& style) {
  svg_ += fmt::format("<path d=\"{}\" {}/>\n", data, style);
}

void SvgCanvas::line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes) {
  std::string data;
  for (const ImVec2& at : points) data += (data.empty() ? "M" : " L") + svg_point(at);
  if (points.size() < 2) return;
  path(data, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}",
                         css_colour(colour), vector_number(width),
                         dashes.empty() ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", dashes)));
}

std::string SvgCanvas::filled(ImU32 colour, bool hollow) const {
  if (!hollow) return fmt::format("fill=\"{}\"", css_colour(colour));
  return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"", css_colour(ground()), css_colour(colour));
}

void SvgCanvas::polygon(const std::vector<ImVec2>& corners, ImU32 colour, bool hollow) {
  std::string data;
  for (const ImVec2& corner : corners) data += (data.empty() ? "M" : " L") + svg_point(corner);
  path(data + " Z", filled(colour, hollow));
}

void SvgCanvas::circle(ImVec2 centre, float radius, ImU32 colour, bool hollow) {
  const std::string r = vector_number(radius);
  path(fmt::format("M{} a{} {} 0 1 0 {} 0 a{} {} 0 1 0 {} 0 Z", svg_point(ImVec2(centre.x - radius, centre.y)), r, r,
                   vector_number(2 * radius), r, r, vector_number(-2 * radius)),
       filled(colour, hollow));
}

void SvgCanvas::image(ImVec2 low, ImVec2 high, int width, int height, const std::vector<std::uint8_t>& pixels) {
  const std::vector<std::uint8_t> png = encode_png(width, height, pixels.data());
  svg_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
      vector_number(low.x), vector_number(low.y), vector_number(high.x - low.x), vector_number(high.y - low.y),
      base64({reinterpret_cast<const char*>(png.data()), png.size()}));
}

void SvgCanvas::clip(ImVec2 low, ImVec2 high) {
  const std::string x = vector_number(low.x), y = vector_number(low.y), width = vector_number(high.x - low.x),
                    height = vector_number(high.y - low.y);
  svg_ += fmt::format("<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n", x, y,
                      width, height);
}

void SvgCanvas::end_clip() { svg_ += "</svg>\n"; }

std::string SvgCanvas::finish() {
  const std::string rules = font_rule("Inter", words_) + font_rule("'JetBrains Mono'", numbers_);
  if (!rules.empty()) svg_.insert(fonts_at_, "<style>\n" + rules + "</style>\n");
  return std::move(svg_) + "</svg>\n";
}

double svg_height_cm(const std::string& svg) {
  constexpr std::string_view kName = " height=\"";
  return std::strtod(svg.c_str() + svg.find(kName) + kName.size(), nullptr) / 10;
}

}  // namespace triscope
