#include "views/model/charts/length_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "views/model/charts/length_point.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

constexpr double kFarthestPair = 4;  // pairs that are farther off say nothing of equal cost

/// Those of dot-product attention, of the pairs that the estimate stands on, and of the nearest pair.
std::vector<std::int64_t> measurements_of(const LengthPoint& dot_product, const SameBudget& budget,
                                          const std::vector<MeasuredPair>& pairs, const MeasuredPair& nearest) {
  std::vector<std::int64_t> all{dot_product.backward, dot_product.measurement};
  for (const MeasuredPair& one : pairs) {
    const Windows windows{one.curve->problem.window1, one.curve->problem.window2};
    const bool counts =
        budget.windows && std::ranges::find(budget.windows->from, windows) != budget.windows->from.end();
    if (counts && one.point != nearest.point) all.insert(all.end(), {one.point->measurement, one.point->backward});
  }
  all.insert(all.end(), {nearest.point->measurement, nearest.point->backward});
  std::erase(all, 0);
  return all;
}

/// The pair of the estimate's second window whose area comes nearest to it, in whole tiles, or else in steps of 16, in
/// which the edges of windows are cut. Unset where that was measured.
std::optional<Windows> pair_of(const AreaEstimate& estimate, std::int64_t tile,
                               const std::vector<MeasuredPair>& measured) {
  constexpr std::int64_t kStep = 16;
  const std::int64_t unit = tile > 0 ? tile : kStep, window2 = estimate.from.front().window2;
  const double steps = estimate.area / static_cast<double>(window2) / static_cast<double>(unit);
  const Windows pair{std::max<std::int64_t>(1, std::llround(steps)) * unit, window2};
  const bool known = std::ranges::any_of(measured, [&](const MeasuredPair& one) {
    return Windows{one.curve->problem.window1, one.curve->problem.window2} == pair;
  });
  return known ? std::nullopt : std::optional(pair);
}

/// Windows that would tell what area takes as long: the pair that was named, and between two measured pairs whole
/// tiles around it, else those of half or twice the nearest pair.
std::vector<Windows> neighbours_of(const Windows& nearest, const SameBudget& budget, bool slower) {
  std::vector<Windows> all{nearest};
  if (budget.pair) all.push_back(*budget.pair);
  const auto add = [&](const Windows& one) {
    const bool fits = one.window1 >= 1 && one.window2 >= 1 && 2 * std::max(one.window1, one.window2) <= budget.seq_len;
    if (fits && std::ranges::find(all, one) == all.end()) all.push_back(one);
  };
  if (budget.windows && !budget.windows->extrapolated()) {
    const Windows &low = budget.windows->from.front(), &high = budget.windows->from.back();
    const auto tile = static_cast<std::int64_t>(budget.windows->area / static_cast<double>(low.window2)) /
                      kLeastFirstWindow * kLeastFirstWindow;
    for (const std::int64_t window1 : {tile, tile + kLeastFirstWindow}) {
      if (window1 > low.window1 && window1 < high.window1) add({window1, low.window2});
    }
    add(low);
    add(high);
    return all;
  }
  if (slower) {
    add({nearest.window1 / 2, nearest.window2});
    add({nearest.window1, nearest.window2 / 2});
  } else {
    add({nearest.window1 * 2, nearest.window2});
    add({nearest.window1, nearest.window2 * 2});
  }
  return all;
}

/// Of a step the sums of both passes; 0: a clock is not known.
double cycle_ratio(const LengthPoint& windows, const LengthPoint& dot_product,
                   const std::map<std::int64_t, double>& cycles) {
  double sums[2] = {0, 0};
  for (const auto& [point, sum] : {std::pair(&windows, &sums[0]), std::pair(&dot_product, &sums[1])}) {
    for (const std::int64_t measurement : {point->measurement, point->backward}) {
      if (measurement == 0) continue;
      const auto found = cycles.find(measurement);
      if (found == cycles.end()) return 0;
      *sum += found->second;
    }
  }
  return sums[0] / sums[1];
}

}  // namespace

const LengthPoint* point_at(const std::vector<LengthPoint>& points, std::int64_t seq_len) {
  const auto found = std::ranges::find(points, seq_len, &LengthPoint::seq_len);
  return found == points.end() ? nullptr : &*found;
}

std::map<std::int64_t, double> cycles_of(const std::vector<const SweepResults*>& sweeps) {
  std::map<std::int64_t, double> cycles;
  for (const SweepResults* sweep : sweeps) {
    for (const ResultRow& row : sweep->rows) {
      if (row.median_ms && row.sm_clock_mhz && *row.sm_clock_mhz > 0)
        cycles[row.measurement] = *row.median_ms * *row.sm_clock_mhz;
    }
  }
  return cycles;
}

namespace {

/// "FA3 64/1" of "FlashAttention-3 64/1".
std::string short_name(const LengthCurve& curve) {
  const std::string& full = curve.card.label;
  const bool has_short = !curve.card.short_label.empty() && curve.label.starts_with(full);
  return has_short ? curve.card.short_label + curve.label.substr(full.size()) : curve.label;
}

}  // namespace

void find_budgets(LengthPass& pass, std::string_view part, const std::map<std::int64_t, double>& cycles) {
  if (pass.crossings.empty()) return;
  const std::size_t reference = pass.crossings.front().baseline;
  const LengthCurve& baseline = pass.curves[reference];
  for (const LengthPoint& point : baseline.points) {
    std::vector<AreaPoint> areas;
    std::vector<MeasuredPair> pairs;
    for (const LengthCrossing& crossing : pass.crossings) {
      const LengthCurve& ours = pass.curves[crossing.windows];
      if (crossing.baseline != reference) continue;
      // Where a window is longer than the sequence its area is not what is computed.
      if (std::max(ours.problem.window1, ours.problem.window2) > point.seq_len / 2) continue;
      if (const LengthPoint* own = point_at(ours.points, point.seq_len)) {
        areas.push_back({{ours.problem.window1, ours.problem.window2}, own->ms, half_width(*own)});
        pairs.push_back({&ours, own});
      }
    }
    if (pairs.empty()) continue;
    const MeasuredPair& nearest = pairs[nearest_pair(pairs, point)];
    if (std::abs(std::log(nearest.point->ms / point.ms)) > std::log(kFarthestPair)) continue;
    SameBudget budget;
    budget.baseline = reference;
    budget.seq_len = point.seq_len;
    budget.ms = point.ms;
    budget.windows = area_for_budget(areas, point.ms, half_width(point));
    budget.nearest = static_cast<std::size_t>(nearest.curve - pass.curves.data());
    if (budget.windows) budget.pair = pair_of(*budget.windows, nearest.point->tile, pairs);
    budget.measurements = measurements_of(point, budget, pairs, nearest);
    budget.neighbours = neighbours_of({nearest.curve->problem.window1, nearest.curve->problem.window2}, budget,
                                      nearest.point->ms > point.ms);
    budget.headline = budget_headline(fmt::format("{} beside {}", part, short_name(baseline)), point, budget, nearest);
    budget.sentence = budget_sentence(baseline, point, budget, nearest, cycle_ratio(*nearest.point, point, cycles));
    pass.budgets.push_back(std::move(budget));
  }
}

std::vector<const SameBudget*> answers_first(const std::vector<SameBudget>& budgets) {
  std::vector<const SameBudget*> order;
  for (const SameBudget& budget : budgets) order.push_back(&budget);
  std::ranges::stable_partition(order, [](const SameBudget* budget) { return budget->windows.has_value(); });
  return order;
}

}  // namespace triscope
