#include "views/model/charts/explore_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/text/text_beginning.hpp"
#include "profiler/explore/explore_fields.hpp"
#include "views/data/format.hpp"

namespace triscope {

std::pair<double, double> explore_limits(const ExploreAxis& axis, bool from_zero, bool always) {
  if (!axis.names.empty()) return {-0.6, static_cast<double>(axis.names.size()) - 0.4};
  if (axis.logarithmic) {
    const double margin = std::pow(axis.high / axis.low, 0.06);
    return {axis.low / margin, axis.high * margin};
  }
  const double span = axis.high > axis.low ? axis.high - axis.low : std::max(std::abs(axis.high), 1e-9);
  const bool zero = from_zero && axis.low >= 0 && (always || axis.low < 0.6 * axis.high);
  return {zero ? 0 : axis.low - 0.06 * span, axis.high + 0.06 * span};
}

bool has_intervals(const ExploreChart& chart) {
  const ExploreField* y = find_explore_field(chart.query.y);
  return y != nullptr && y->interval != nullptr;
}

std::vector<std::pair<double, std::string>> explore_ticks(const ExploreAxis& axis, bool tokens) {
  constexpr std::size_t kLongestTick = 18;  // letters
  std::vector<std::pair<double, std::string>> ticks;
  const std::size_t count = axis.names.empty() ? axis.ticks.size() : axis.names.size();
  for (std::size_t n = 0; n < count; ++n) {
    const double at = axis.names.empty() ? axis.ticks[n] : static_cast<double>(n);
    std::string name = !axis.names.empty() ? axis.names[n]
                       : tokens            ? format_tokens(static_cast<std::int64_t>(at))
                                           : fmt::format("{:g}", at);
    if (name.empty()) name = "none";
    if (name.size() > kLongestTick) name = name.substr(0, whole_characters(name, kLongestTick - 1)) + "…";
    ticks.emplace_back(at, std::move(name));
  }
  return ticks;
}

std::string drawn_name(const std::string& column, const std::string& name) {
  constexpr std::size_t kLongestNote = 40;  // letters
  if (column != "note" || name.size() <= kLongestNote) return name;
  return name.substr(0, whole_characters(name, kLongestNote - 1)) + "…";
}

bool counts_tokens(const std::string& column) { return column == "seq" || column == "w1" || column == "w2"; }

namespace {

/// As many letters as fit, and "…"; nothing where fewer than three do.
std::string cut_to(const std::string& name, float width, const std::function<float(const std::string&)>& text_width) {
  constexpr std::size_t kLeast = 3;
  if (text_width(name) <= width) return name;
  for (std::size_t letters = name.size(); letters-- > kLeast;) {
    const std::string cut = name.substr(0, whole_characters(name, letters)) + "…";
    if (text_width(cut) <= width) return cut;
  }
  return {};
}

}  // namespace

std::vector<PlacedTick> place_ticks(std::vector<std::pair<double, std::string>> ticks,
                                    const std::function<float(double)>& share, const TickRoom& room,
                                    const std::function<float(const std::string&)>& text_width) {
  std::vector<PlacedTick> placed;
  std::vector<float> free_from(static_cast<std::size_t>(std::max(1, room.lines)), -1e9F);
  for (auto& [at, name] : ticks) {
    const float middle = share(at) * room.width;
    PlacedTick tick{at, cut_to(name, 2 * (std::min(middle, room.width - middle) + room.overhang), text_width), 0};
    const float half = text_width(tick.name) / 2;
    const auto line = std::ranges::find_if(free_from, [&](float from) { return middle - half >= from; });
    if (line == free_from.end()) {
      tick.name.clear();
    } else if (!tick.name.empty()) {
      tick.line = static_cast<int>(line - free_from.begin());
      *line = middle + half + room.gap;
    }
    placed.push_back(std::move(tick));
  }
  return placed;
}

}  // namespace triscope
