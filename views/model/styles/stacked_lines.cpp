#include "views/model/styles/stacked_lines.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <ranges>

namespace triscope {
namespace {

// Every line is held beside every other. Strokes do not tell as many apart as this.
constexpr std::size_t kMostInStacks = 32;

/// How many times its first x the last one is.
double span_of(const StackLine& line) { return line.x.empty() ? 0 : line.x.back() / line.x.front(); }

bool lies_on(const StackLine& above, const StackLine& below) {
  constexpr double kTogether = 0.04;  // of a value: less than a mark is high where values span decades
  if (above.apart || below.apart) return false;
  std::size_t shared = 0, together = 0;
  for (std::size_t n = 0; n < above.x.size(); ++n) {
    const auto other = std::ranges::lower_bound(below.x, above.x[n]);
    if (other == below.x.end() || *other != above.x[n]) continue;
    ++shared;
    if (std::abs(std::log(below.y[static_cast<std::size_t>(other - below.x.begin())] / above.y[n])) < kTogether)
      ++together;
  }
  return together > 1 && 2 * together >= shared;
}

}  // namespace

std::vector<PlaceInStack> stack_lines(const std::vector<StackLine>& lines) {
  std::vector<std::size_t> order(lines.size()), stack(lines.size());
  std::vector<PlaceInStack> places(lines.size());
  if (lines.size() > kMostInStacks) return places;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t n) { return span_of(lines[n]); });
  for (auto place = order.begin(); place != order.end(); ++place) {
    const std::size_t n = *place;
    stack[n] = n;
    for (const std::size_t below : std::ranges::subrange(order.begin(), place)) {
      if (!lies_on(lines[n], lines[below])) continue;
      places[n].below = std::max(places[n].below, places[below].below + 1);
      const std::size_t joined = stack[below];
      std::ranges::replace(stack, joined, n);
    }
  }
  for (std::size_t n = 0; n < lines.size(); ++n) {
    for (std::size_t other = 0; other < lines.size(); ++other) {
      if (stack[other] == stack[n]) places[n].height = std::max(places[n].height, places[other].below + 1);
    }
  }
  return places;
}

}  // namespace triscope
