#include "views/print/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/data/axis_ticks.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

constexpr float kTitle = 14, kBody = 11, kLegend = 11, kLeft = 64;
constexpr float kLetter = 0.56F;  ///< width of a letter, in sizes of the font: an estimate, no font is loaded here

/// A letter's first byte; the others of UTF-8 are no letters of their own.
bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Words in lines of at most `width`; a word that is longer goes on in the next line.
std::vector<std::string> wrapped(const std::string& text, float size, float width) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    while (text_width(word, size) > width) {
      std::size_t cut = 0;
      for (float used = 0; used + size * kLetter <= width || cut == 0; used += size * kLetter) {
        ++cut;
        while (cut < word.size() && !begins_letter(word[cut])) ++cut;
      }
      lines.push_back(word.substr(0, cut));
      word.erase(0, cut);
    }
    if (lines.empty() || text_width(lines.back() + " " + word, size) > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

/// The legend on lines below the title. Returns where the last one ends.
float draw_legend(VectorCanvas& canvas, const std::vector<LegendEntry>& legend, float left, float right, float y) {
  const Theme& theme = light_theme();
  float x = left;
  for (const LegendEntry& entry : legend) {
    const float width = text_width(entry.name, kLegend) + 34;
    if (x > left && x + width > right) x = left, y += 16;
    if (entry.line) canvas.line({{x, y - 4}, {x + 18, y - 4}}, entry.colour, 1.75F);
    canvas.mark({x + 9, y - 4}, entry.shape, 4, entry.colour);
    canvas.text(x + 22, y, entry.name, {kLegend, theme.text});
    x += width;
  }
  return legend.empty() ? y - 16 : y;
}

}  // namespace

float text_width(const std::string& text, float size) {
  return static_cast<float>(std::count_if(text.begin(), text.end(), begins_letter)) * size * kLetter;
}

double PlotAxis::share(double value) const {
  if (logarithmic) return std::log(std::max(value, 1e-300) / low) / std::log(high / low);
  return (value - low) / (high - low);
}

PlotAxis linear_axis(double high, std::string title) { return range_axis(0, high > 0 ? high : 1, std::move(title)); }

PlotAxis range_axis(double low, double high, std::string title, int wanted) {
  PlotAxis axis{low, high, false, {}, std::move(title)};
  for (const double tick : linear_ticks(low, high, wanted)) axis.ticks.emplace_back(tick, fmt::format("{:.6g}", tick));
  return axis;
}

PlotAxis power_axis(double low, double high, std::string title) {
  PlotAxis axis{low, high, true, {}, std::move(title)};
  const int first = static_cast<int>(std::ceil(std::log2(low))), last = static_cast<int>(std::floor(std::log2(high)));
  const int step = std::max(1, (last - first + 8) / 9);
  for (int power = first; power <= last; power += step)
    axis.ticks.emplace_back(
        std::exp2(power), power >= 0 ? format_tokens(std::int64_t{1} << power) : fmt::format("{:g}", std::exp2(power)));
  return axis;
}

PlotAxis decade_axis(double low, double high, std::string title) {
  PlotAxis axis{low, high, true, {}, std::move(title)};
  for (const double tick : log_ticks(low, high)) axis.ticks.emplace_back(tick, fmt::format("{:.6g}", tick));
  return axis;
}

PlotRoom draw_plot_text(VectorCanvas& canvas, ImVec2 size, const PlotText& text) {
  const Theme& theme = light_theme();
  constexpr float kMargin = 16;
  PlotRoom room;
  float y = 24;
  for (const std::string& line : wrapped(text.title, kTitle, size.x - 2 * kMargin)) {
    canvas.text(kMargin, y, line, {kTitle, theme.text});
    y += 18;
  }
  room.low.y = draw_legend(canvas, text.legend, kLeft, size.x - kMargin, std::max(y, 42.0F) + 4) + 14;
  const std::vector<std::string> caption = wrapped(text.caption, 10, size.x - 2 * kMargin);
  const float below = 42 + 14 * static_cast<float>(caption.size());
  room.low.x = kLeft;
  room.high = {size.x - kMargin - text.right_room, size.y - below};
  for (std::size_t n = 0; n < caption.size(); ++n)
    canvas.text(kMargin, room.high.y + 50 + 14 * static_cast<float>(n), caption[n], {10, theme.muted});
  return room;
}

PlotFrame::PlotFrame(VectorCanvas& canvas, ImVec2 size, PlotAxis x, PlotAxis y, const PlotText& text)
    : PlotFrame(canvas, draw_plot_text(canvas, size, text), std::move(x), std::move(y)) {}

PlotFrame::PlotFrame(VectorCanvas& canvas, const PlotRoom& room, PlotAxis x, PlotAxis y)
    : x_(std::move(x)), y_(std::move(y)), low_(room.low), high_(room.high) {
  draw_axes(canvas);
}

void PlotFrame::draw_axes(VectorCanvas& canvas) const {
  const Theme& theme = light_theme();
  for (const auto& [value, name] : y_.ticks) {
    const float height = at(x_.low, value).y;
    canvas.line({{low_.x, height}, {high_.x, height}}, theme.line, 0.5F);
    if (!name.empty()) canvas.text(low_.x - 6, height + 3.5F, name, {10, theme.muted, Anchor::end, false, true});
  }
  for (const auto& [value, name] : x_.ticks)
    canvas.text(at(value, y_.low).x, high_.y + 15, name, {10, theme.muted, Anchor::middle, false, true});
  canvas.line({{low_.x, high_.y}, {high_.x, high_.y}}, theme.muted, 1);
  if (!y_.logarithmic && y_.low > 0) {  // two strokes: the axis does not begin at zero
    for (const float up : {4.0F, 8.0F})
      canvas.line({{low_.x - 4, high_.y - up + 2}, {low_.x + 4, high_.y - up - 2}}, theme.muted, 1);
  }
  if (!x_.title.empty())
    canvas.text((low_.x + high_.x) / 2, high_.y + 31, x_.title, {kBody, theme.text, Anchor::middle});
  if (!y_.title.empty())
    canvas.text(low_.x - kLeft + 18, (low_.y + high_.y) / 2, y_.title, {kBody, theme.text, Anchor::middle, true});
}

void draw_whisker(VectorCanvas& canvas, const PlotFrame& frame, double x, double low, double high, ImU32 colour) {
  const ImVec2 bottom = frame.at(x, low), top = frame.at(x, high);
  if (bottom.y - top.y < 0.3F) return;
  const auto within = [&](float y) { return std::clamp(y, frame.low().y, frame.high().y); };
  canvas.line({{bottom.x, within(bottom.y)}, {top.x, within(top.y)}}, colour, 1);
  for (const ImVec2& end : {bottom, top}) {
    if (end.y == within(end.y)) canvas.line({{end.x - 3, end.y}, {end.x + 3, end.y}}, colour, 1);
  }
}

ImVec2 PlotFrame::at(double x, double y) const {
  return {low_.x + static_cast<float>(x_.share(x)) * (high_.x - low_.x),
          high_.y - static_cast<float>(y_.share(y)) * (high_.y - low_.y)};
}

}  // namespace triscope
