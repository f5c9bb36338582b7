#include "profiler/plan/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "kernels/attention/flops.hpp"

namespace triscope {
namespace {

// Of an area that is twice or half the nearest measured one, how far the rules were off at most where whole rows of
// h200.db were kept out: between 4.6 %, the trend 12.2 %, proportional 31 %. A nearer one is less far off.
constexpr double kBetweenOff = 0.10, kTrendOff = 0.15, kProportionalOff = 0.50;
constexpr double kFarthest = 2;  // factor from the nearest measured area

bool less_work(const Windows& windows, std::int64_t seq_len) {
  Problem ours, theirs;
  ours.seq_len = theirs.seq_len = seq_len;
  ours.window1 = windows.window1;
  ours.window2 = windows.window2;
  theirs.form = Form::dot_product;
  theirs.window1 = seq_len;
  theirs.window2 = 1;
  return triple_count(ours) < triple_count(theirs);
}

/// A length both curves have, with the log of (windows / dot product) at the centres and at the ends of the intervals,
/// which are the centre where one of them is not known.
struct Common {
  double length;                  // log
  double ratio, lowest, highest;  // logs
  double ms;                      // log, of the windows
  bool has_intervals;
  bool few_blocks;
};

std::vector<Common> in_common(std::span<const LengthPoint> windows, std::span<const LengthPoint> dot_product) {
  std::map<std::int64_t, const LengthPoint*> theirs;
  for (const LengthPoint& point : dot_product) theirs[point.seq_len] = &point;
  std::map<std::int64_t, Common> common;
  for (const LengthPoint& point : windows) {
    const auto other = theirs.find(point.seq_len);
    if (other == theirs.end() || !(point.ms > 0) || !(other->second->ms > 0)) continue;
    const auto known = [](const LengthPoint& p) {
      return p.low_ms > 0 && p.high_ms >= p.ms && std::isfinite(p.high_ms);
    };
    const LengthPoint& o = *other->second;
    const bool both = known(point) && known(o);
    const double ratio = std::log(point.ms / o.ms);
    common[point.seq_len] = {std::log(static_cast<double>(point.seq_len)),
                             ratio,
                             both ? std::log(point.low_ms / o.high_ms) : ratio,
                             both ? std::log(point.high_ms / o.low_ms) : ratio,
                             std::log(point.ms),
                             both,
                             point.few_blocks || o.few_blocks};
  }
  std::vector<Common> list;
  for (const auto& [length, values] : common) list.push_back(values);
  return list;
}

/// Index of the last length at which `ratio` is above 0, or npos.
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
std::size_t last_dearer(const std::vector<Common>& list, double Common::*ratio) {
  for (std::size_t n = list.size(); n-- > 0;) {
    if (list[n].*ratio > 0) return n;
  }
  return kNone;
}

/// Where `ratio` reaches 0 for the last time, as a share of the way from list[n] to list[n + 1].
double share(const std::vector<Common>& list, double Common::*ratio, std::size_t n) {
  return list[n].*ratio / (list[n].*ratio - list[n + 1].*ratio);
}

/// The same as a log length, held within the lengths there are.
double crossing_length(const std::vector<Common>& list, double Common::*ratio) {
  const std::size_t n = last_dearer(list, ratio);
  if (n == kNone) return list.front().length;
  if (n + 1 == list.size()) return list.back().length;
  return std::lerp(list[n].length, list[n + 1].length, share(list, ratio, n));
}

/// What the interval of the crossing stands on: from the last length on at which the windows are surely dearer.
std::span<const Common> decisive(const std::vector<Common>& list) {
  const std::size_t surely = last_dearer(list, &Common::lowest);
  return std::span(list).subspan(surely == kNone ? 0 : surely);
}

/// Whether a time has few blocks at a length where the crossing may lie, or next to it; of windows that are cheaper
/// everywhere, at any.
bool by_few_blocks(const std::vector<Common>& list) {
  const std::size_t perhaps = last_dearer(list, &Common::highest);
  const std::span<const Common> from = decisive(list);
  const std::size_t beyond = perhaps == kNone ? 0 : list.size() - std::min(list.size(), perhaps + 2);
  return std::ranges::any_of(from.first(from.size() - std::min(from.size(), beyond)), &Common::few_blocks);
}

std::int64_t length_of(const Common& common) { return std::llround(std::exp(common.length)); }

}  // namespace

std::int64_t crossing_by_paper_count(const Windows& windows) { return 3 * windows.window1 * windows.window2; }

std::int64_t crossing_by_full_rows(const Windows& windows) { return 2 * windows.window1 * windows.window2; }

std::int64_t crossing_by_exact_count(const Windows& windows) {
  // The surplus is 0 at one token, rises or stays there, and then falls for good.
  std::int64_t not_less = 1, less = crossing_by_full_rows(windows) + 1;
  while (less - not_less > 1) {
    const std::int64_t middle = not_less + (less - not_less) / 2;
    (less_work(windows, middle) ? less : not_less) = middle;
  }
  return less;
}

LatencyCrossing find_crossing(std::span<const LengthPoint> windows, std::span<const LengthPoint> dot_product) {
  const std::vector<Common> list = in_common(windows, dot_product);
  LatencyCrossing crossing;
  if (list.size() < 2) return crossing;
  crossing.shortest = length_of(list.front());
  crossing.longest = length_of(list.back());
  const bool known = std::ranges::all_of(decisive(list), &Common::has_intervals);
  crossing.few_blocks = by_few_blocks(list);
  if (known && last_dearer(list, &Common::highest) == kNone) {
    crossing.kind = LatencyCrossing::Kind::cheaper;
    return crossing;
  }
  if (known && list.back().lowest > 0) {
    crossing.kind = LatencyCrossing::Kind::dearer;
    return crossing;
  }
  if (known) {
    crossing.low = std::exp(crossing_length(list, &Common::lowest));
    crossing.high = std::exp(crossing_length(list, &Common::highest));
  }
  const std::size_t n = last_dearer(list, &Common::ratio);
  crossing.kind = LatencyCrossing::Kind::not_decided;
  if (n == kNone || n + 1 == list.size()) return crossing;
  crossing.kind = LatencyCrossing::Kind::crosses;
  crossing.after = length_of(list[n]);
  crossing.before = length_of(list[n + 1]);
  crossing.seq_len = std::exp(crossing_length(list, &Common::ratio));
  crossing.ms = std::exp(std::lerp(list[n].ms, list[n + 1].ms, share(list, &Common::ratio, n)));
  return crossing;
}

namespace {

double area_of(const Windows& windows) {
  return static_cast<double>(windows.window1) * static_cast<double>(windows.window2);
}

/// Of one second window, by first window; of two measurements of a pair the faster one.
using Line = std::map<std::int64_t, AreaPoint>;

bool fits_between(const AreaPoint& low, const AreaPoint& high, double budget_ms) {
  return low.ms <= budget_ms && budget_ms <= high.ms && low.ms < high.ms;
}

/// The points of the line that the estimate stands on, the nearer one first, and the rule.
struct Footing {
  AreaEstimate::Rule rule = AreaEstimate::Rule::one_pair;
  std::vector<AreaPoint> points;
};

Footing footing_of(const Line& line, double budget_ms) {
  std::vector<AreaPoint> points;
  for (const auto& [window1, point] : line) points.push_back(point);
  for (std::size_t n = 1; n < points.size(); ++n) {
    if (fits_between(points[n - 1], points[n], budget_ms))
      return {AreaEstimate::Rule::between, {points[n - 1], points[n]}};
  }
  if (budget_ms > points.front().ms) std::ranges::reverse(points);
  if (points.size() == 1) return {AreaEstimate::Rule::one_pair, points};
  points.resize(2);
  const bool grows = (points[0].ms < points[1].ms) == (points[0].windows.window1 < points[1].windows.window1);
  if (!grows || points[0].ms == points[1].ms) return {};
  return {AreaEstimate::Rule::trend, points};
}

/// How the area changes with the budget and with each point's time.
struct Slopes {
  double budget = 0;
  std::vector<double> points;
};

/// Half of what the times' intervals make of the area; unset where one is not known.
std::optional<double> half_by_times(const Footing& footing, const Slopes& slopes, std::optional<double> half_ms) {
  if (!half_ms) return std::nullopt;
  double half = slopes.budget * *half_ms;
  for (std::size_t n = 0; n < footing.points.size(); ++n) {
    const std::optional<double>& of_point = footing.points[n].half_ms;
    if (!of_point) return std::nullopt;
    half = std::hypot(half, slopes.points[n] * *of_point);
  }
  return std::abs(half);
}

std::optional<AreaEstimate> estimate_on(const Footing& footing, double budget_ms, std::optional<double> half_ms) {
  if (footing.points.empty()) return std::nullopt;
  const AreaPoint& first = footing.points.front();
  AreaEstimate estimate;
  estimate.rule = footing.rule;
  Slopes slopes;
  double off = kProportionalOff;
  if (footing.points.size() == 1) {
    slopes.budget = area_of(first.windows) / first.ms;
    estimate.area = budget_ms * slopes.budget;
    slopes.points = {estimate.area / first.ms};
  } else {
    const AreaPoint& second = footing.points[1];
    slopes.budget = (area_of(second.windows) - area_of(first.windows)) / (second.ms - first.ms);
    const double way = (budget_ms - first.ms) / (second.ms - first.ms);
    estimate.area = area_of(first.windows) + (budget_ms - first.ms) * slopes.budget;
    slopes.points = {(1 - way) * slopes.budget, way * slopes.budget};
    off = footing.rule == AreaEstimate::Rule::between ? kBetweenOff : kTrendOff;
  }
  if (!(estimate.area >= 1)) return std::nullopt;
  double octaves = std::numeric_limits<double>::infinity();
  for (const AreaPoint& point : footing.points) {
    octaves = std::min(octaves, std::abs(std::log2(estimate.area / area_of(point.windows))));
    estimate.from.push_back(point.windows);
  }
  if (estimate.extrapolated() && octaves > std::log2(kFarthest)) return std::nullopt;
  if (octaves == 0) estimate.rule = AreaEstimate::Rule::between;
  if (const std::optional<double> by_times = half_by_times(footing, slopes, half_ms)) {
    const double half = std::hypot(*by_times / estimate.area, off * octaves);
    estimate.low = estimate.area / (1 + half);
    estimate.high = estimate.area * (1 + half);
  }
  return estimate;
}

}  // namespace

std::optional<AreaEstimate> area_for_budget(std::span<const AreaPoint> points, double budget_ms,
                                            std::optional<double> half_ms) {
  if (!(budget_ms > 0)) return std::nullopt;
  std::map<std::int64_t, Line> lines;  // by second window
  for (const AreaPoint& point : points) {
    if (!(point.ms > 0) || point.windows.window1 < kLeastFirstWindow) continue;
    const auto [place, is_new] = lines[point.windows.window2].emplace(point.windows.window1, point);
    if (!is_new && point.ms < place->second.ms) place->second = point;
  }
  std::optional<AreaEstimate> best;
  std::pair<AreaEstimate::Rule, double> best_rank;
  for (const auto& [window2, line] : lines) {
    const Footing footing = footing_of(line, budget_ms);
    std::optional<AreaEstimate> estimate = estimate_on(footing, budget_ms, half_ms);
    if (!estimate) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const AreaPoint& point : footing.points) nearest = std::min(nearest, std::abs(std::log(point.ms / budget_ms)));
    const std::pair rank(estimate->rule, nearest);
    if (best && best_rank <= rank) continue;
    best = std::move(estimate);
    best_rank = rank;
  }
  return best;
}

}  // namespace triscope
