#include "views/print/svg_canvas.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "kernels/base/markup_text.hpp"

namespace triscope {
namespace {

/// Two decimals are a hundredth of a pixel; "12.50" is written "12.5".
std::string number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string point(ImVec2 at) { return number(at.x) + " " + number(at.y); }

constexpr std::string_view kTextFonts = "Inter, Helvetica, Arial, sans-serif",
                           kNumberFonts = "'JetBrains Mono', Menlo, Consolas, monospace";

}  // namespace

std::string css_colour(ImU32 colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", (colour >> IM_COL32_R_SHIFT) & 255, (colour >> IM_COL32_G_SHIFT) & 255,
                     (colour >> IM_COL32_B_SHIFT) & 255);
}

SvgCanvas::SvgCanvas(float width, float height, std::string_view title, ImU32 ground) : ground_(ground) {
  svg_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"{2}\">\n<title>{3}</title>\n",
      number(width), number(height), kTextFonts, markup_text(title));
  box(ImVec2(0, 0), ImVec2(width, height), ground);
}

void SvgCanvas::text(float x, float y, std::string_view words, const SvgText& style) {
  static constexpr std::array kAnchors{"start", "middle", "end"};
  svg_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}{}>{}</text>\n", number(x), number(y),
      number(style.size), css_colour(style.colour), kAnchors[static_cast<std::size_t>(style.anchor)],
      style.numbers ? fmt::format(" font-family=\"{}\"", kNumberFonts) : std::string(),
      style.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", number(x), number(y)) : std::string(),
      markup_text(words));
}

void SvgCanvas::path(const std::string& data, const std::string& style) {
  svg_ += fmt::format("<path d=\"{}\" {}/>\n", data, style);
}

void SvgCanvas::line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes) {
  std::string data;
  for (const ImVec2& at : points) data += (data.empty() ? "M" : " L") + point(at);
  if (points.size() < 2) return;
  path(data,
       fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}", css_colour(colour),
                   number(width), dashes.empty() ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", dashes)));
}

/// The ground's colour inside what is hollow: lines behind it do not show through.
std::string SvgCanvas::filled(ImU32 colour, bool hollow) const {
  if (!hollow) return fmt::format("fill=\"{}\"", css_colour(colour));
  return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"", css_colour(ground_), css_colour(colour));
}

void SvgCanvas::box(ImVec2 low, ImVec2 high, ImU32 colour, bool hollow) {
  path(fmt::format("M{} H{} V{} H{} Z", point(low), number(high.x), number(high.y), number(low.x)),
       filled(colour, hollow));
}

void SvgCanvas::mark(ImVec2 at, int shape, float radius, ImU32 colour, bool hollow) {
  static constexpr std::array<std::array<ImVec2, 4>, 7> kCorners{{
      {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
      {{{0, -1.3F}, {1.3F, 0}, {0, 1.3F}, {-1.3F, 0}}},
      {{{0, -1.2F}, {1.1F, 0.8F}, {-1.1F, 0.8F}, {0, -1.2F}}},
      {{{0, 1.2F}, {1.1F, -0.8F}, {-1.1F, -0.8F}, {0, 1.2F}}},
      {{{-1.2F, 0}, {0.8F, -1.1F}, {0.8F, 1.1F}, {-1.2F, 0}}},
      {{{1.2F, 0}, {-0.8F, -1.1F}, {-0.8F, 1.1F}, {1.2F, 0}}},
      {{{-1, -0.4F}, {1, -0.4F}, {1, 0.4F}, {-1, 0.4F}}},
  }};
  const std::string fill = filled(colour, hollow);
  if (shape <= 0) {
    const std::string r = number(radius);
    return path(fmt::format("M{} a{} {} 0 1 0 {} 0 a{} {} 0 1 0 {} 0 Z", point(ImVec2(at.x - radius, at.y)), r, r,
                            number(2 * radius), r, r, number(-2 * radius)),
                fill);
  }
  std::string data;
  for (const ImVec2& corner : kCorners[static_cast<std::size_t>(shape - 1) % kCorners.size()])
    data += (data.empty() ? "M" : " L") + point(ImVec2(at.x + corner.x * radius, at.y + corner.y * radius));
  path(data + " Z", fill);
}

std::string SvgCanvas::finish() && { return std::move(svg_) + "</svg>\n"; }

}  // namespace triscope
