#include "views/model/charts/explore_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>

#include "kernels/base/text/text_beginning.hpp"
#include "profiler/explore/explore_fields.hpp"
#include "views/data/format.hpp"

namespace triscope {

std::pair<double, double> explore_limits(const ExploreAxis& axis, bool from_zero, bool always, double margin) {
  constexpr double kBesideNames = 0.6;
  const double around = margin / (1 - 2 * margin);  // of what lies between the margins
  if (!axis.names.empty()) {
    const auto last = static_cast<double>(axis.names.size()) - 1;
    const double beside = std::max(kBesideNames, around * last);
    return {-beside, last + beside};
  }
  if (axis.logarithmic) {
    const double ratio = std::pow(axis.high / axis.low, around);
    return {axis.low / ratio, axis.high * ratio};
  }
  const double span = axis.high > axis.low ? axis.high - axis.low : std::max(std::abs(axis.high), 1e-9);
  const bool zero = from_zero && axis.low >= 0 && (always || axis.low < 0.6 * axis.high);
  return {zero ? 0 : axis.low - around * span, axis.high + around * span};
}

double share_of_axis(const ExploreAxis& axis, std::pair<double, double> limits, double value) {
  const auto [low, high] = limits;
  if (axis.logarithmic) return std::log(std::max(value, 1e-300) / low) / std::log(high / low);
  return (value - low) / (high - low);
}

bool has_intervals(const ExploreChart& chart) {
  const ExploreField* y = find_explore_field(chart.query.y);
  return y != nullptr && y->interval != nullptr;
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words may be cut; of a number, a date or a pair of windows a part reads as another one.
bool is_word(const std::string& name) {
  const auto letters = std::ranges::count_if(name, [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
  return 2 * letters >= std::ssize(name) && name.find("×") == std::string::npos;
}

/// Its beginning and its end, where names of instances differ, with "…" between them; no number is cut.
std::string cut_in_the_middle(const std::string& name, std::size_t letters) {
  std::size_t head = whole_characters(name, letters / 2), tail = name.size() - (letters - letters / 2);
  while (tail < name.size() && (static_cast<unsigned char>(name[tail]) & 0xC0) == 0x80) ++tail;
  while (head > 0 && is_digit(name[head - 1]) && is_digit(name[head])) --head;
  while (tail < name.size() && is_digit(name[tail - 1]) && is_digit(name[tail])) ++tail;
  return name.substr(0, head) + "…" + name.substr(tail);
}

std::string cut_word(const std::string& name, std::size_t letters) {
  return name.size() > letters && is_word(name) ? cut_in_the_middle(name, letters - 1) : name;
}

/// Long words cut, but where two would be alike then: of these more is left, up to `kMostLetters`.
std::vector<std::string> short_names(std::vector<std::string> names, std::size_t longest) {
  constexpr std::size_t kMore = 8, kMostLetters = 80;
  std::ranges::replace(names, std::string(), "none");
  std::vector<std::string> cut(names.size());
  std::vector<std::size_t> alike(names.size());  // so far
  std::iota(alike.begin(), alike.end(), std::size_t{0});
  for (std::size_t letters = longest; !alike.empty(); letters += kMore) {
    std::map<std::string, std::vector<std::size_t>> met;
    for (const std::size_t n : alike) met[cut_word(names[n], letters)].push_back(n);
    alike.clear();
    for (const auto& [shown, of] : met) {
      for (const std::size_t n : of) {
        cut[n] = shown;
        if (of.size() > 1 && shown != names[n] && letters + kMore <= kMostLetters) alike.push_back(n);
      }
    }
  }
  return cut;
}

}  // namespace

std::vector<std::pair<double, std::string>> explore_ticks(const ExploreAxis& axis, bool tokens, std::size_t longest) {
  std::vector<std::pair<double, std::string>> ticks;
  for (const double at : axis.names.empty() ? axis.ticks : std::vector<double>())
    ticks.emplace_back(at, tokens ? format_tokens(static_cast<std::int64_t>(at)) : fmt::format("{:g}", at));
  for (std::string& name : short_names(axis.names, longest))
    ticks.emplace_back(static_cast<double>(ticks.size()), std::move(name));
  return ticks;
}

std::string drawn_name(const std::string& column, const std::string& name) {
  constexpr std::size_t kLongestNote = 40;  // letters
  if (column != "note" || name.size() <= kLongestNote) return name;
  return name.substr(0, whole_characters(name, kLongestNote - 1)) + "…";
}

bool counts_tokens(const std::string& column) {
  return column == "seq" || column == "w1" || column == "area" || column == "w2";
}

namespace {

/// As much of a word as fits, and "…"; nothing where too little does, or of what is no word.
std::string cut_to(const std::string& name, float width, const std::function<float(const std::string&)>& text_width) {
  constexpr std::size_t kLeast = 9;
  if (text_width(name) <= width) return name;
  if (!is_word(name)) return {};
  for (std::size_t letters = name.size() - 1; letters >= kLeast; --letters) {
    const std::string cut = cut_in_the_middle(name, letters);
    if (text_width(cut) <= width) return cut;
  }
  return {};
}

/// How often a size can be halved: 64k before 36k.
int halvings(double size) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, size));
  return whole == 0 || static_cast<double>(whole) != size ? 0 : std::countr_zero(whole);
}

/// The first and the last tick, then what has most halvings, then from left to right.
std::vector<std::size_t> order_of(const std::vector<std::pair<double, std::string>>& ticks, bool sizes) {
  std::vector<std::size_t> order(ticks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t n) {
    if (n == 0 || n + 1 == ticks.size()) return 64;
    return sizes && std::has_single_bit(static_cast<std::uint64_t>(std::max(0.0, ticks[n].first))) ? 63
           : sizes ? halvings(ticks[n].first)
                   : 0;
  });
  return order;
}

}  // namespace

std::vector<PlacedTick> place_ticks(std::vector<std::pair<double, std::string>> ticks,
                                    const std::function<float(double)>& share, const TickRoom& room,
                                    const std::function<float(const std::string&)>& text_width) {
  std::vector<PlacedTick> placed;
  for (const auto& tick : ticks) placed.push_back({tick.first, {}, 0});
  struct Taken {
    float from, to;
  };
  std::vector<std::vector<Taken>> lines(static_cast<std::size_t>(std::max(1, room.lines)));
  std::set<std::string> names;
  for (const std::size_t n : order_of(ticks, room.sizes)) {
    const float middle = share(ticks[n].first) * room.width;
    const auto is_taken = [&](const std::vector<Taken>& line) {
      return std::ranges::any_of(line, [&](const Taken& one) { return middle > one.from && middle < one.to; });
    };
    if (std::ranges::all_of(lines, is_taken)) continue;  // before it is measured: names may be thousands
    std::string name = cut_to(ticks[n].second, 2 * (std::min(middle, room.width - middle) + room.overhang), text_width);
    if (name.empty() || names.contains(name)) continue;  // cut until it is alike, it would say nothing
    const float half = text_width(name) / 2;
    const auto is_free = [&](const std::vector<Taken>& line) {
      return std::ranges::all_of(line, [&](const Taken& one) {
        return middle - half >= one.to + room.gap || middle + half + room.gap <= one.from;
      });
    };
    const auto line = std::ranges::find_if(lines, is_free);
    if (line == lines.end()) continue;
    line->push_back({middle - half, middle + half});
    names.insert(name);
    placed[n].line = static_cast<int>(line - lines.begin());
    placed[n].name = std::move(name);
  }
  return placed;
}

}  // namespace triscope
