#include "profiler/plan/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/attention/flops.hpp"

namespace triscope {
namespace {

constexpr double kFarthest = 4;  // how far beyond the measured areas a proportional estimate goes

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
                             both};
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

/// Whether every interval is known that the interval of the crossing stands on: those from the last length on at which
/// the windows are surely dearer.
bool intervals_known(const std::vector<Common>& list) {
  const std::size_t surely = last_dearer(list, &Common::lowest);
  return std::ranges::all_of(list.begin() + (surely == kNone ? 0 : static_cast<std::ptrdiff_t>(surely)), list.end(),
                             &Common::has_intervals);
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
  const bool known = intervals_known(list);
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

std::optional<AreaEstimate> area_for_budget(std::span<const AreaPoint> points, double budget_ms) {
  std::map<double, double> fastest;  // area -> ms
  for (const AreaPoint& point : points) {
    if (!(point.ms > 0)) continue;
    const double area = static_cast<double>(point.windows.window1) * static_cast<double>(point.windows.window2);
    const auto [place, is_new] = fastest.emplace(area, point.ms);
    if (!is_new) place->second = std::min(place->second, point.ms);
  }
  if (fastest.empty() || !(budget_ms > 0)) return std::nullopt;
  for (auto low = fastest.begin(), high = std::next(low); high != fastest.end(); ++low, ++high) {
    if (budget_ms < low->second || budget_ms > high->second || low->second == high->second) continue;
    const double way = std::log(budget_ms / low->second) / std::log(high->second / low->second);
    return AreaEstimate{low->first * std::pow(high->first / low->first, way), false};
  }
  const auto& nearest = budget_ms <= fastest.begin()->second ? *fastest.begin() : *fastest.rbegin();
  const double factor = budget_ms / nearest.second;
  if (factor > kFarthest || factor < 1 / kFarthest) return std::nullopt;
  return AreaEstimate{nearest.first * factor, factor != 1};
}

}  // namespace triscope
