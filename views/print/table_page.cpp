#include "views/print/table_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

constexpr float kSize = 10, kTableLine = 13, kRowGap = 4, kHeadGap = 5, kLeastGap = 8, kMostGap = 40;
constexpr float kThick = 1.1F, kThin = 0.6F;  ///< of the rules
constexpr float kLeastWrapped = 70;           ///< a column of less width is none for sentences
constexpr float kTallest = 14'000;            ///< readers of PDF show pages of at most 14,400 points

bool is_heading(const PrintTable& table, const PrintRow& row) {
  return row.cells.size() == 1 && table.columns.size() > 1;
}

/// Of a number the letters from its point on; of another text none.
std::size_t behind_point(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos || point == 0) return 0;
  const bool number = std::isdigit(static_cast<unsigned char>(text[point - 1])) != 0;
  std::size_t end = point + 1;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return number && end == text.size() ? end - point : 0;
}

float width_of(const PrintColumn& column, const std::string& text) {
  return column.numeric ? number_width(text, kSize) : text_width(text, kSize);
}

/// A column that is drawn: its place in the table, its width, and how far its numbers go behind their points.
struct Placed {
  std::size_t index = 0;
  float left = 0, width = 0;
  std::size_t behind = 0;
};

Placed place(const PrintTable& table, std::size_t index) {
  const PrintColumn& column = table.columns[index];
  Placed placed{index, 0, std::max(text_width(column.title, kSize), column.bar_width), 0};
  for (const PrintRow& row : table.rows) {
    if (!is_heading(table, row)) placed.behind = std::max(placed.behind, behind_point(row.cells[index].text));
  }
  for (const PrintRow& row : table.rows) {
    if (is_heading(table, row)) continue;
    const std::string& text = row.cells[index].text;
    const std::size_t padding = column.numeric ? placed.behind - behind_point(text) : 0;
    placed.width =
        std::max(placed.width, width_of(column, text) + number_width("0", kSize) * static_cast<float>(padding));
  }
  return placed;
}

float sum_of(const std::vector<Placed>& columns, const PrintTable& table) {
  float sum = kLeastGap * static_cast<float>(columns.size() - 1);
  for (const Placed& one : columns)
    sum += table.columns[one.index].wraps ? std::min(one.width, kLeastWrapped) : one.width;
  return sum;
}

/// Those that have room; the titles of the others go to `left_out`.
std::vector<Placed> columns_that_fit(const PrintTable& table, float width, std::vector<std::string>& left_out) {
  std::vector<Placed> columns;
  for (std::size_t n = 0; n < table.columns.size(); ++n) columns.push_back(place(table, n));
  while (sum_of(columns, table) > width) {
    const auto least = std::ranges::max_element(
        columns, {}, [&](const Placed& one) { return std::pair(table.columns[one.index].least, one.index); });
    const PrintColumn& column = table.columns[least->index];
    if (column.least == 0) return {};
    const std::string name = column.group.empty() ? column.title : column.group + " " + column.title;
    left_out.insert(left_out.begin(), name);
    columns.erase(least);
  }
  return columns;
}

/// Over the width: first what wraps takes what it needs, then the gaps grow.
void spread(std::vector<Placed>& columns, const PrintTable& table, float from, float width) {
  float left = width - sum_of(columns, table);
  for (Placed& one : columns) {
    if (!table.columns[one.index].wraps || one.width <= kLeastWrapped) continue;
    const float wanted = one.width;
    one.width = kLeastWrapped;
    const auto others = static_cast<float>(std::ranges::count_if(columns,
                                                                 [&](const Placed& other) {
                                                                   return other.index >= one.index &&
                                                                          table.columns[other.index].wraps &&
                                                                          other.width > kLeastWrapped;
                                                                 }) +
                                           1);
    const float more = std::min(wanted - kLeastWrapped, left / std::max(1.0F, others));
    one.width += more;
    left -= more;
  }
  const auto gaps = static_cast<float>(std::max<std::size_t>(1, columns.size() - 1));
  const float gap = kLeastGap + std::min(kMostGap, std::max(0.0F, left) / gaps);
  for (Placed& one : columns) {
    one.left = from;
    from += one.width + gap;
  }
}

std::vector<std::string> lines_of(const PrintTable& table, const PrintRow& row, const Placed& at) {
  const std::string& text = row.cells[at.index].text;
  return table.columns[at.index].wraps ? wrapped(text, kSize, at.width) : std::vector{text};
}

float height_of(const PrintTable& table, const PrintRow& row, const std::vector<Placed>& columns) {
  std::size_t lines = 1;
  if (!is_heading(table, row)) {
    for (const Placed& at : columns) lines = std::max(lines, lines_of(table, row, at).size());
  }
  return kTableLine * static_cast<float>(lines) + kRowGap + (is_heading(table, row) ? kHeadGap : 0);
}

class Drawing {
 public:
  Drawing(VectorCanvas& canvas, const PrintTable& table, const std::vector<Placed>& columns, float y)
      : canvas_(canvas), table_(table), columns_(columns), y_(y) {}

  void heads(bool grouped) {
    rule(kThick);
    y_ += kHeadGap;
    const bool named =
        std::ranges::any_of(columns_, [&](const Placed& at) { return !table_.columns[at.index].title.empty(); });
    if (!named) return;
    if (grouped) groups();
    for (const Placed& at : columns_) {
      const PrintColumn& column = table_.columns[at.index];
      const float x = column.numeric ? at.left + at.width : at.left;
      canvas_.text(x, y_ + kSize, column.title, {kSize, theme().text, column.numeric ? Anchor::end : Anchor::start});
    }
    y_ += kTableLine + kHeadGap;
    rule(kThin);
    y_ += kHeadGap;
  }
  void row(const PrintRow& row) {
    if (is_heading(table_, row)) {
      y_ += kHeadGap;
      canvas_.text(columns_.front().left, y_ + kSize, row.cells.front().text, {kSize, theme().muted});
    } else {
      for (const Placed& at : columns_) cell(row, at);
    }
    y_ += height_of(table_, row, columns_) - (is_heading(table_, row) ? kHeadGap : 0);
  }
  void end() {
    y_ += 1;
    rule(kThick);
  }

 private:
  const Theme& theme() const { return canvas_.theme(); }
  void rule(float width) {
    canvas_.line({{columns_.front().left, y_}, {columns_.back().left + columns_.back().width, y_}}, theme().text,
                 width);
  }
  /// A head over the columns of each group, with a rule as wide as they are.
  void groups() {
    for (std::size_t n = 0; n < columns_.size();) {
      const std::string& name = table_.columns[columns_[n].index].group;
      std::size_t end = n + 1;
      while (end < columns_.size() && table_.columns[columns_[end].index].group == name) ++end;
      const float from = columns_[n].left, to = columns_[end - 1].left + columns_[end - 1].width;
      n = end;
      if (name.empty()) continue;
      canvas_.text((from + to) / 2, y_ + kSize, name, {kSize, theme().text, Anchor::middle});
      canvas_.line({{from, y_ + kTableLine + 1}, {to, y_ + kTableLine + 1}}, theme().text, kThin);
    }
    y_ += kTableLine + kHeadGap;
  }
  void cell(const PrintRow& row, const Placed& at) {
    const PrintCell& cell = row.cells[at.index];
    const PrintColumn& column = table_.columns[at.index];
    const ImU32 colour = cell.colour == 0 ? theme().text : cell.colour;
    if (cell.bar) return bar(cell, at, colour);
    if (column.numeric) {
      const float behind = behind_point(cell.text) > 0 || is_whole(cell.text)
                               ? number_width("0", kSize) * static_cast<float>(at.behind - behind_point(cell.text))
                               : 0;
      return canvas_.text(at.left + at.width - behind, y_ + kSize, cell.text,
                          {kSize, colour, Anchor::end, false, true});
    }
    float y = y_ + kSize;
    for (const std::string& line : lines_of(table_, row, at)) {
      if (!line.empty()) canvas_.text(at.left, y, line, {kSize, colour});
      y += kTableLine;
    }
  }
  static bool is_whole(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0 || c == ','; });
  }
  void bar(const PrintCell& cell, const Placed& at, ImU32 colour) {
    const auto x = [&](double share) { return at.left + static_cast<float>(std::clamp(share, 0.0, 1.0)) * at.width; };
    const float top = y_ + 3, bottom = y_ + kSize, middle = (top + bottom) / 2;
    canvas_.box({at.left, top}, {std::max(x(*cell.bar), at.left + 0.5F), bottom}, colour);
    if (!cell.whisker) return;
    const float low = x(cell.whisker->low), high = x(cell.whisker->high);
    canvas_.line({{low, middle}, {high, middle}}, theme().text, 1);
    for (const float end : {low, high}) canvas_.line({{end, top + 1}, {end, bottom - 1}}, theme().text, 1);
  }

  VectorCanvas& canvas_;
  const PrintTable& table_;
  const std::vector<Placed>& columns_;
  float y_;
};

}  // namespace

std::string table_picture(PrintTable table, const std::string& what, const std::string& title,
                          const std::string& caption, const PrintStyle& style) {
  const float edge = is_narrow(style) ? 6 : 16, width = page_width(style) - 2 * edge;
  std::vector<std::string> left_out;
  std::vector<Placed> columns = columns_that_fit(table, width, left_out);
  if (columns.empty())
    throw Error("The picture was not made", what + " has no room", "make it wider, or its words smaller",
                ExitCode::usage);
  spread(columns, table, edge, width);
  PlotText text{title, caption};
  if (!left_out.empty() && !caption.empty())
    text.caption += fmt::format(" Columns without room: {}.", fmt::join(left_out, ", "));
  text.below_room = kWithoutAxis;
  const bool grouped =
      std::ranges::any_of(columns, [&](const Placed& at) { return !table.columns[at.index].group.empty(); });
  float height = kTableLine + 3 * kHeadGap + (grouped ? kTableLine + kHeadGap : 0) + 2;
  for (const PrintRow& row : table.rows) height += height_of(table, row, columns);
  if (height > kTallest)
    throw Error("The picture was not made",
                fmt::format("{} has {} rows, more than one page can hold", what, table.rows.size()),
                "filter it, or save it as CSV, Markdown or LaTeX", ExitCode::usage);
  const PrintPage page = make_page(style, text, std::max(height, 44.0F));
  const PlotRoom room = draw_plot_text(*page.canvas, page.size, text);
  if (room.high.y - room.low.y < height - 0.5F)
    throw Error("The picture was not made", what + " has more rows than its height has room for",
                "make it higher, or its words smaller", ExitCode::usage);
  Drawing drawing(*page.canvas, table, columns, room.low.y);
  drawing.heads(grouped);
  for (const PrintRow& row : table.rows) drawing.row(row);
  drawing.end();
  return page.canvas->finish();
}

}  // namespace triscope
