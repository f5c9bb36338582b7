#include "views/print/plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/base/error.hpp"
#include "views/data/axis_ticks.hpp"
#include "views/data/format.hpp"
#include "views/print/canvas/pdf_font.hpp"

namespace triscope {
namespace {

constexpr float kTitle = 14, kBody = 11, kLegend = 11, kTick = 10, kCaption = 10;
constexpr float kNarrow = 450;  ///< a picture of less width is one for a column of a page

/// A letter's first byte; the others of UTF-8 are no letters of their own.
bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Of the letters of `word` that have room, at least one.
std::size_t fitting_bytes(const std::string& word, float size, float width) {
  std::size_t cut = 0;
  for (std::size_t next = 1; next <= word.size(); ++next) {
    if (next < word.size() && !begins_letter(word[next])) continue;
    if (cut > 0 && text_width(word.substr(0, next), size) > width) break;
    cut = next;
  }
  return cut;
}

/// Where the word at `begin` ends. "512 × 32" is one.
std::size_t end_of_word(const std::string& text, std::size_t begin) {
  constexpr std::string_view kTimes = " × ";
  std::size_t end = text.find(' ', begin);
  while (end != std::string::npos && text.compare(end, kTimes.size(), kTimes) == 0)
    end = text.find(' ', end + kTimes.size());
  return std::min(end, text.size());
}

/// Where each name of the legend begins, on lines below the title, and where the last line ends.
struct LegendRoom {
  std::vector<ImVec2> places;
  float end = 0;
};
LegendRoom place_legend(const std::vector<LegendEntry>& legend, float left, float right, float y) {
  LegendRoom room;
  float x = left;
  for (const LegendEntry& entry : legend) {
    const float width = text_width(entry.name, kLegend) + 34;
    if (x > left && x + width - 12 > right) x = left, y += 16;
    room.places.emplace_back(x, y);
    x += width;
  }
  room.end = legend.empty() ? y - 16 : y;
  return room;
}

void draw_legend(VectorCanvas& canvas, const std::vector<LegendEntry>& legend, const LegendRoom& room) {
  for (std::size_t n = 0; n < legend.size(); ++n) {
    const LegendEntry& entry = legend[n];
    const auto [x, y] = room.places[n];
    const bool level = !entry.line && !entry.dashes.empty();
    if (entry.line || level) canvas.line({{x, y - 4}, {x + 18, y - 4}}, entry.colour, level ? 1 : 1.75F, entry.dashes);
    if (entry.bar > 0) {
      draw_bar(canvas, {x + 5, y - 8}, {x + 13, y}, {entry.colour, entry.bar}, false);
    } else if (!level) {
      canvas.mark({x + 9, y - 4}, entry.shape, 4, entry.colour);
    }
    canvas.text(x + 22, y, entry.name, {kLegend, canvas.theme().text});
  }
}

/// In a narrow picture the edges are narrow too.
struct Edges {
  float margin, left;
};
constexpr float kLeastMargin = 6;
Edges edges_of(float width) { return width < kNarrow ? Edges{kLeastMargin, 48} : Edges{16, 64}; }

/// What stands around a plot, and how much room it takes.
struct TextRoom {
  Edges edges;
  std::vector<std::string> title, caption;
  LegendRoom legend;
  float above = 0, below = 0;
};
TextRoom room_of_text(float width, const PlotText& text) {
  TextRoom room{edges_of(width), {}, {}, {}, 0, 0};
  const float margin = room.edges.margin, right = width - margin;
  if (!text.title.empty()) room.title = wrapped(text.title, kTitle, right - margin);
  if (!text.caption.empty()) room.caption = wrapped(text.caption, kCaption, right - margin);
  const float title_end = margin + 8 + 18 * static_cast<float>(room.title.size());
  room.legend =
      place_legend(text.legend, margin < 16 ? margin : room.edges.left, right, room.title.empty() ? 16 : title_end + 4);
  room.above = std::max(room.legend.end, room.title.empty() ? 0.0F : title_end - 14) + 14;
  room.below = 36 + text.below_room + (room.caption.empty() ? 4.0F : 6 + 14 * static_cast<float>(room.caption.size()));
  return room;
}

/// Names at `places`, as long as `lengths`: every how many can stand without touching.
std::size_t free_step(const std::vector<float>& places, const std::vector<float>& lengths) {
  for (std::size_t step = 1; step < places.size(); ++step) {
    bool touch = false;
    for (std::size_t n = step; n < places.size(); n += step)
      touch |= std::abs(places[n] - places[n - step]) < (lengths[n] + lengths[n - step]) / 2 + 4;
    if (!touch) return step;
  }
  return std::max<std::size_t>(1, places.size());
}

/// What a tick's name takes along the axis.
float tick_length(const std::string& name) { return number_width(name, kTick); }

}  // namespace

std::vector<LegendEntry> legend_for_print(const std::vector<LegendName>& names) {
  using Mark = LegendName::Mark;
  std::vector<LegendEntry> legend;
  for (const LegendName& name : names) {
    const bool bar = name.mark == Mark::bar;
    std::string seen = name.seen();
    seen.erase(0, seen.find_first_not_of(' '));  // it stands off its mark here anyway
    legend.push_back({std::move(seen),
                      name.colour,
                      bar ? 1 : mark_of_style(name.style, name.baseline),
                      name.mark == Mark::joined,
                      {},
                      bar ? name.style : 0});
  }
  return legend;
}

void draw_bar(VectorCanvas& canvas, ImVec2 low, ImVec2 high, const BarStyle& bar, bool hollow) {
  canvas.box(low, high, bar.colour, hollow);
  for (const auto& [top, bottom] : gaps_of_style(bar.style, low.y, high.y, 0.75F)) {
    if (hollow) {
      canvas.line({{low.x, bottom}, {high.x, bottom}}, bar.colour, 0.75F);
    } else {
      canvas.box({low.x, top}, {high.x, bottom}, canvas.theme().panel);
    }
  }
}

float text_width(const std::string& text, float size) {
  static const PdfFont words(FontFile::text);
  return static_cast<float>(words.width(text)) * size;
}

float number_width(const std::string& text, float size) {
  static const PdfFont numbers(FontFile::numbers);
  return static_cast<float>(numbers.width(text)) * size;
}

std::vector<std::string> wrapped(const std::string& text, float size, float width) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_word(text, begin);
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    while (text_width(word, size) > width) {
      const std::size_t cut = fitting_bytes(word, size, width);
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

PlotAxis power_axis(double low, double high, std::string title, bool zoomed) {
  PlotAxis axis{low, high, true, {}, std::move(title)};
  const int first = static_cast<int>(std::ceil(std::log2(low))), last = static_cast<int>(std::floor(std::log2(high)));
  const int step = std::max(1, (last - first + 8) / 9);
  for (int power = first; power <= last; power += step)
    axis.ticks.emplace_back(
        std::exp2(power), power >= 0 ? format_tokens(std::int64_t{1} << power) : fmt::format("{:g}", std::exp2(power)));
  if (axis.ticks.size() > (zoomed ? 1U : 0U)) return axis;
  axis.ticks.clear();
  for (const double tick : linear_ticks(low, high, 6)) {
    const bool whole = std::abs(tick - std::round(tick)) < 1e-6;  // another would have the name of a neighbour
    if (whole) axis.ticks.emplace_back(tick, format_count(std::llround(tick)));
  }
  return axis;
}

PlotAxis decade_axis(double low, double high, std::string title) {
  PlotAxis axis{low, high, true, {}, std::move(title)};
  for (const double tick : log_ticks(low, high)) axis.ticks.emplace_back(tick, fmt::format("{:.6g}", tick));
  return axis;
}

float page_width(const PrintStyle& style) {
  return static_cast<float>(style.size.width_cm / 2.54 * 96) / unit_of(style.size);
}

float plot_width(const PrintStyle& style, float right_room) {
  const float width = page_width(style);
  const Edges edges = edges_of(width);
  return width - edges.left - edges.margin - right_room;
}

bool is_narrow(const PrintStyle& style) { return page_width(style) < kNarrow; }

PrintPage make_page(const PrintStyle& style, const PlotText& text, float plot_height) {
  constexpr float kShare = 0.46F, kLeast = 150;
  const float width = page_width(style);
  const TextRoom room = room_of_text(width, text);
  if (plot_height <= 0) plot_height = std::max(kLeast, kShare * plot_width(style, text.right_room));
  const float height = style.size.height_cm
                           ? static_cast<float>(*style.size.height_cm / 2.54 * 96) / unit_of(style.size)
                           : room.above + plot_height + room.below;
  const ImVec2 size(width, height);
  return {make_canvas(style, size, text.title.empty() ? "Chart" : text.title), size};
}

namespace {

/// Every how many names can stand upright below a plot of this width.
std::size_t upright_step(const PlotAxis& x, float width) {
  float least = width;
  for (std::size_t n = 1; n < x.ticks.size(); ++n)
    least = std::min(least, static_cast<float>(x.share(x.ticks[n].first) - x.share(x.ticks[n - 1].first)) * width);
  return static_cast<std::size_t>(std::max(1.0F, std::ceil(kTick / std::max(least, 0.01F))));
}

}  // namespace

bool has_room_for_names(const PlotAxis& x, float width) { return upright_step(x, width) == 1; }

void place_names(PlotAxis& x, PlotText& text, float width) {
  constexpr float kOverhang = kLeastMargin / 2;
  constexpr std::size_t kMostBelow = 3;
  std::vector<float> places, lengths;
  for (const auto& [value, name] : x.ticks) {
    places.push_back(static_cast<float>(x.share(value)) * width);
    lengths.push_back(tick_length(name));
  }
  x.words = true;
  if (places.empty()) return;
  const bool leave =
      places.front() - lengths.front() / 2 < -kOverhang || places.back() + lengths.back() / 2 > width + kOverhang;
  x.upright = leave || free_step(places, lengths) > 1;
  if (!x.upright) return;
  const std::size_t step = upright_step(x, width);
  x.lines = std::min(step, kMostBelow);
  x.line_high = std::ranges::max(lengths) + 6;
  text.below_room = std::max(text.below_room, static_cast<float>(x.lines) * x.line_high - 12);
  const std::size_t every = (step + x.lines - 1) / x.lines;  // is named
  if (every == 1) return;
  for (std::size_t n = 0; n < x.ticks.size(); ++n) {
    if (n % every != 0) x.ticks[n].second.clear();
  }
  text.caption += fmt::format("{}Of {} values along the axis {} are named.", text.caption.empty() ? "" : " ",
                              x.ticks.size(), (x.ticks.size() + every - 1) / every);
}

PlotRoom draw_plot_text(VectorCanvas& canvas, ImVec2 size, const PlotText& text) {
  constexpr float kLeastWide = 60, kLeastHigh = 40;
  const Theme& theme = canvas.theme();
  const TextRoom around = room_of_text(size.x, text);
  const float margin = around.edges.margin;
  PlotRoom room{{around.edges.left, around.above},
                {size.x - margin - text.right_room, size.y - around.below},
                around.edges.left,
                margin};
  if (room.high.x - room.low.x < kLeastWide || room.high.y - room.low.y < kLeastHigh)
    throw Error("The picture was not made", "its words leave no room for the plot",
                "make it larger, its words smaller, or leave the caption out", ExitCode::usage);
  float y = margin + 8;
  for (const std::string& line : around.title) {
    canvas.text(margin, y, line, {kTitle, theme.text});
    y += 18;
  }
  draw_legend(canvas, text.legend, around.legend);
  for (std::size_t n = 0; n < around.caption.size(); ++n)
    canvas.text(margin, room.high.y + text.below_room + 50 + 14 * static_cast<float>(n), around.caption[n],
                {kCaption, theme.muted});
  return room;
}

PlotFrame::PlotFrame(const PrintPage& page, PlotAxis x, PlotAxis y, const PlotText& text)
    : PlotFrame(*page.canvas, draw_plot_text(*page.canvas, page.size, text), std::move(x), std::move(y)) {}

PlotFrame::PlotFrame(VectorCanvas& canvas, const PlotRoom& room, PlotAxis x, PlotAxis y)
    : x_(std::move(x)), y_(std::move(y)), low_(room.low), high_(room.high), left_(room.left) {
  draw_axes(canvas);
}

void PlotFrame::draw_axes(VectorCanvas& canvas) const {
  const Theme& theme = canvas.theme();
  std::vector<float> heights, lines, places, named, lengths;
  for (const auto& [value, name] : y_.ticks) {
    heights.push_back(at(x_.low, value).y);
    lines.push_back(name.empty() ? 0 : kTick);
  }
  const std::size_t every_y = free_step(heights, lines);
  for (std::size_t n = 0; n < y_.ticks.size(); ++n) {
    const float height = heights[n];
    const std::string& name = y_.ticks[n].second;
    if (n % every_y != 0) continue;  // a line without its number says nothing
    canvas.line({{low_.x, height}, {high_.x, height}}, theme.line, 0.5F);
    if (!name.empty()) canvas.text(low_.x - 7, height + 3.5F, name, {kTick, theme.muted, Anchor::end, false, true});
  }
  float below = 0;
  for (const auto& [value, name] : x_.ticks) {
    places.push_back(at(value, y_.low).x);
    if (name.empty()) continue;  // a stroke without a name needs no room
    named.push_back(places.back());
    lengths.push_back(tick_length(name));
    if (x_.upright) below = std::max(below, lengths.back() - 6);
  }
  below += static_cast<float>(x_.lines - 1) * x_.line_high;
  const std::size_t every_x = x_.words ? 1 : free_step(named, lengths);
  std::size_t names = 0;
  for (std::size_t n = 0; n < x_.ticks.size(); ++n) {
    canvas.line({{places[n], high_.y}, {places[n], high_.y + 3}}, theme.muted, 0.75F);
    const std::string& name = x_.ticks[n].second;
    if (name.empty() || names++ % every_x != 0) continue;
    if (x_.upright) {
      const float y = high_.y + 7 + static_cast<float>((names - 1) % x_.lines) * x_.line_high;
      if (y > high_.y + 7) canvas.line({{places[n], high_.y + 3}, {places[n], y - 3}}, theme.line, 0.5F);
      canvas.text(places[n] + 3.5F, y, name, {kTick, theme.muted, Anchor::end, true, true});
    } else {
      const float last = high_.x + kLeastMargin / 2 - tick_length(name) / 2;  // or it would run over the page's edge
      canvas.text(std::min(places[n], last), high_.y + 15, name, {kTick, theme.muted, Anchor::middle, false, true});
    }
  }
  canvas.line({{low_.x, high_.y}, {high_.x, high_.y}}, theme.muted, 1);
  if (!y_.ticks.empty()) canvas.line({{low_.x, low_.y}, {low_.x, high_.y}}, theme.muted, 1);
  if (!y_.logarithmic && y_.low > 0) {  // two strokes: the axis does not begin at zero
    for (const float up : {4.0F, 8.0F})
      canvas.line({{low_.x - 3, high_.y - up + 1.5F}, {low_.x + 3, high_.y - up - 1.5F}}, theme.muted, 1);
  }
  if (!x_.title.empty())
    canvas.text((low_.x + high_.x) / 2, high_.y + below + 31, x_.title, {kBody, theme.text, Anchor::middle});
  if (!y_.title.empty())
    canvas.text(low_.x - left_ + (left_ < 64 ? 13 : 18), (low_.y + high_.y) / 2, y_.title,
                {kBody, theme.text, Anchor::middle, true});
}

void draw_whisker(VectorCanvas& canvas, const PlotFrame& frame, double x, double low, double high, ImU32 colour,
                  float mark, bool caps, float aside) {
  constexpr float kCap = 3.5F;
  ImVec2 bottom = frame.at(x, low), top = frame.at(x, high);
  bottom.x += aside, top.x += aside;
  if (bottom.y - top.y < std::max(0.3F, 2 * mark)) return;
  const auto within = [&](float y) { return std::clamp(y, frame.low().y, frame.high().y); };
  canvas.line({{bottom.x, within(bottom.y)}, {top.x, within(top.y)}}, colour, 1);
  for (const ImVec2& end : {bottom, top}) {
    if (caps && end.y == within(end.y)) canvas.line({{end.x - kCap, end.y}, {end.x + kCap, end.y}}, colour, 1);
  }
}

ImVec2 PlotFrame::at(double x, double y) const {
  return {low_.x + static_cast<float>(x_.share(x)) * (high_.x - low_.x),
          high_.y - static_cast<float>(y_.share(y)) * (high_.y - low_.y)};
}

}  // namespace triscope
