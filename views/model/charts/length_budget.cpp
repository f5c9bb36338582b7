#include "views/model/charts/length_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/record/words/power_text.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_beside.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

constexpr double kFarthestPair = 4;  // pairs that are farther off say nothing of equal cost

/// Those of dot-product attention, of the pairs that the estimate stands on, and of the nearest pair; and their sweeps.
void add_measurements(SameBudget& budget, const LengthPoint& dot_product, const std::vector<MeasuredPair>& pairs,
                      const MeasuredPair& nearest) {
  std::vector<std::int64_t>& all = budget.measurements;
  const auto add_sweeps = [&](const LengthPoint& point) {
    budget.sweeps.insert(point.sweep);
    if (point.backward != 0) budget.sweeps.insert(point.backward_sweep);
  };
  all = {dot_product.backward, dot_product.measurement};
  add_sweeps(dot_product);
  for (const MeasuredPair& one : pairs) {
    const Windows windows{one.curve->problem.window1, one.curve->problem.window2};
    const bool counts =
        budget.windows && std::ranges::find(budget.windows->from, windows) != budget.windows->from.end();
    if (!counts || one.point == nearest.point) continue;
    all.insert(all.end(), {one.point->measurement, one.point->backward});
    add_sweeps(*one.point);
  }
  all.insert(all.end(), {nearest.point->measurement, nearest.point->backward});
  add_sweeps(*nearest.point);
  std::erase(all, 0);
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
double cycle_ratio(const LengthPoint& windows, const LengthPoint& dot_product) {
  return windows.cycles > 0 && dot_product.cycles > 0 ? windows.cycles / dot_product.cycles : 0;
}

/// "95 %".
std::string confidence_text(const PointRatio& ratio) { return fmt::format("{:.0f} %", 100 * ratio.confidence); }

/// "by neighbouring turns (beside 25.45 ms) 1.093 times as long (95 % interval 1.084 to 1.102), so it does not cost the
/// same". The time is that of dot-product attention in these turns.
std::string verdict_words(const PointRatio& ratio, bool step) {
  const Comparison& time = ratio.time;
  const char* const how = ratio.by_medians && step ? "by the sums of the passes' medians"
                          : ratio.by_medians       ? "by the medians"
                          : !time.paired           ? "by samples that were not taken in turns"
                          : step                   ? "by the neighbouring turns of each pass"
                                                   : "by neighbouring turns";
  const bool turns = time.paired && time.b_ms > 0;
  const std::string beside = turns ? fmt::format(" (beside {} ms)", significant_text(time.b_ms, 4)) : "";
  std::string text = fmt::format("{}{} {} times as long (", how, beside, format_fixed(time.ratio, 3));
  if (time.verdict == Verdict::not_comparable)
    return text + "interval unknown). " + time.explanation.substr(0, time.explanation.find_last_not_of('.') + 1);
  if (!has_interval(time)) return text + "interval unknown)";
  text +=
      fmt::format("{} interval {}{} to {})", confidence_text(ratio), ratio.by_medians ? "of these samples alone " : "",
                  format_fixed(time.interval.low, 3), format_fixed(time.interval.high, 3));
  if (time.verdict == Verdict::same) return text + ", which counts as the same";
  if (time.few_blocks) return text + ", by too few blocks for a verdict";
  if (ratio.by_medians) return text + ", which gives no verdict";
  const bool judged = time.verdict == Verdict::faster || time.verdict == Verdict::slower;
  const bool apart = judged && (time.interval.low > 1 || time.interval.high < 1);
  return text + (apart ? ", so it does not cost the same" : ", which of them is longer is not decided");
}

std::string from_words(const AreaEstimate& estimate) {
  std::string text;
  for (const Windows& windows : estimate.from)
    text += (text.empty() ? "" : " and ") + format_windows(windows.window1, windows.window2);
  return text;
}

/// What area would take as long, and by which pairs.
std::string equal_area_words(const SameBudget& budget) {
  if (!budget.windows) return "What area would take as long, the measured pairs do not tell.";
  const AreaEstimate& estimate = *budget.windows;
  const std::string text =
      fmt::format("With a second window of {} an area of {} would", estimate.from.front().window2, area_text(estimate));
  switch (estimate.rule) {
    case AreaEstimate::Rule::between:
      return fmt::format("{}, between {}.", text, from_words(estimate));
    case AreaEstimate::Rule::trend:
      return fmt::format("{}, by the trend of {}: an extrapolation.", text, from_words(estimate));
    case AreaEstimate::Rule::one_pair:
      return fmt::format("{}, if time goes with the area: an extrapolation from {} alone.", text, from_words(estimate));
  }
  return text;
}

/// "Forward of sweep 4 in turns; backward of sweeps 3 and 6." `turns`: the ratio is of turns.
std::string sweeps_words(const LengthPoint& windows, const LengthPoint& dot_product, bool turns) {
  const auto of = [turns](std::int64_t one, std::int64_t other) {
    return one == other ? fmt::format("of sweep {}{}", one, turns ? ", in turns" : "")
                        : fmt::format("of sweeps {} and {}, not in turns", other, one);
  };
  const std::string first = of(windows.sweep, dot_product.sweep);
  const bool step = windows.backward != 0;
  if (!step) return "Both are " + first;
  if (windows.sweep == windows.backward_sweep && dot_product.sweep == dot_product.backward_sweep)
    return "All four times are " + first;
  return fmt::format("Forward {}; backward {}", first, of(windows.backward_sweep, dot_product.backward_sweep));
}

/// "; in clock cycles 1.013 times as long": the clocks were not free, and not the same.
std::string cycle_words(const LengthPoint& windows, const LengthPoint& dot_product, double ratio) {
  const bool held = !windows.limiter.empty() || !dot_product.limiter.empty();
  if (!held || ratio <= 0) return "";
  return fmt::format("; in clock cycles {} times as long", format_fixed(ratio, 3));
}

/// ", power-capped": what held the clock down in both, or in which of them.
std::string limiter_words(const LengthPoint& windows, const LengthPoint& dot_product) {
  if (windows.limiter.empty() && dot_product.limiter.empty()) return "";
  if (windows.limiter == dot_product.limiter) return ", " + limiter_text(windows.limiter);
  if (windows.limiter.empty()) return ", dot-product attention " + limiter_text(dot_product.limiter);
  if (dot_product.limiter.empty()) return ", the windows " + limiter_text(windows.limiter);
  return fmt::format(", the windows {}, dot-product attention {}", limiter_text(windows.limiter),
                     limiter_text(dot_product.limiter));
}

/// The first window of that area, beside the estimate's second one.
std::int64_t first_window(const AreaEstimate& estimate, double area) {
  return std::max<std::int64_t>(1, std::llround(area / static_cast<double>(estimate.from.front().window2)));
}

/// "w1 231 to 240 by area, extrapolated".
std::string first_window_words(const AreaEstimate& estimate) {
  const std::string range = estimate.low > 0
                                ? fmt::format("{} to {}", format_count(first_window(estimate, estimate.low)),
                                              format_count(first_window(estimate, estimate.high)))
                                : std::string("range unknown,");
  return "w1 " + range + (estimate.extrapolated() ? " by area, extrapolated" : " by area");
}

/// "that is 240 × 32": the pair in whole tiles; one outside the estimate's own range is not called equal.
std::string tiles_words(const AreaEstimate& estimate, const Windows& pair) {
  const std::string name = format_windows(pair.window1, pair.window2);
  if (estimate.low <= 0) return "the nearest is " + name;
  if (pair.window1 < first_window(estimate, estimate.low)) return "the nearest, " + name + ", lies below that range";
  if (pair.window1 > first_window(estimate, estimate.high)) return "the nearest, " + name + ", lies above that range";
  return "that is " + name;
}

/// The answer in a line: a pair that would take as long as dot-product attention, or why none is named, and the nearest
/// that was measured, which takes `ratio` times as long.
std::string budget_headline(std::string_view part, const SameBudget& budget, const MeasuredPair& nearest,
                            const PointRatio& ratio) {
  const std::string start = fmt::format("{}, {}. ", format_tokens(budget.seq_len), part);
  const Comparison& time = ratio.time;
  const std::string times = format_fixed(time.ratio, factor_decimals(time.ratio, 2)) + "× as long" +
                            (time.verdict == Verdict::not_comparable ? ", which is not comparable" : "") +
                            (time.few_blocks ? ", by too few blocks for a verdict" : "");
  const std::string label = nearest.curve->label + " " + nearest.curve->card.label;
  if (has_interval(time) && !time.few_blocks && time.interval.low <= 1 && time.interval.high >= 1)
    return fmt::format("{}Measured: {} may cost the same, {}, {} to {}{}.", start, label, times,
                       format_fixed(time.interval.low, 2), format_fixed(time.interval.high, 2),
                       " (" + confidence_text(ratio) + ")");
  const std::string measured = fmt::format("nearest measured, {}, takes {}.", label, times);
  if (!budget.windows) return fmt::format("{}No pair is known to cost the same; {}", start, measured);
  const AreaEstimate& estimate = *budget.windows;
  const Problem& beside = nearest.curve->problem;
  const Windows equal{first_window(estimate, estimate.area), estimate.from.front().window2};
  const bool step = nearest.point->backward != 0;
  const std::int64_t tile = nearest.point->tile;
  if ((tile == 0 || step) && equal == Windows{beside.window1, beside.window2})
    return fmt::format("{}Estimated: no pair lies nearer than those measured; {}", start, measured);
  const std::string about = fmt::format("{}Estimated: about {} would cost the same ({})", start,
                                        format_windows(equal.window1, equal.window2), first_window_words(estimate));
  if (tile == 0) return fmt::format("{}; {}", about, measured);
  const double steps = estimate.area / static_cast<double>(equal.window2) / static_cast<double>(tile);
  const Windows whole = budget.pair && !step
                            ? *budget.pair
                            : Windows{std::max<std::int64_t>(1, std::llround(steps)) * tile, equal.window2};
  const std::string tiles = fmt::format("in whole tiles of {} keys{}", tile, step ? ", the forward's," : "");
  if (step ? whole == Windows{beside.window1, beside.window2} : !budget.pair)
    return fmt::format("{}; {} nothing lies nearer than {}, which takes {}.", about, tiles, label, times);
  return fmt::format("{}; {} {}; {}", about, tiles, tiles_words(estimate, whole), measured);
}

/// What that stands on: the point of `baseline` at the budget's length beside the `nearest` that was measured there.
/// `cycle_ratio`: that of their cycles, 0: not known; it is said where something held a clock down.
std::string budget_sentence(const LengthCurve& baseline, const LengthPoint& point, const SameBudget& budget,
                            const MeasuredPair& nearest, const PointRatio& ratio, double cycle_ratio) {
  return fmt::format("{} takes {}; {}, the nearest measured pair, {}: {}. {} {}{}{}.", baseline.label,
                     format_ms(point.ms, half_width(point)), nearest.curve->label,
                     format_ms(nearest.point->ms, half_width(*nearest.point)),
                     verdict_words(ratio, nearest.point->backward != 0), equal_area_words(budget),
                     sweeps_words(*nearest.point, point, ratio.time.paired), limiter_words(*nearest.point, point),
                     cycle_words(*nearest.point, point, cycle_ratio));
}

/// Of the nearest pair's time beside that of dot-product attention.
std::string verdict_word(const PointRatio& ratio) {
  const Comparison& time = ratio.time;
  if (time.verdict == Verdict::not_comparable) return "not comparable";
  if (!has_interval(time)) return "unclear";
  if (time.verdict == Verdict::same) return "same";
  if (time.few_blocks) return "few blocks";
  if (time.interval.low <= 1 && time.interval.high >= 1) return "may cost the same";
  if (ratio.by_medians) return "by medians";
  const bool judged = time.verdict == Verdict::faster || time.verdict == Verdict::slower;
  return !judged ? "unclear" : time.ratio > 1 ? "longer" : "shorter";
}

std::vector<std::string> budget_row(const SameBudget& budget, const LengthCurve& nearest, const PointRatio& ratio) {
  const Comparison& time = ratio.time;
  std::string equal = "–", range = "–";
  if (const auto& area = budget.windows) {
    equal = format_windows(first_window(*area, area->area), area->from.front().window2);
    range = area->low > 0 ? fmt::format("{}–{}", format_count(first_window(*area, area->low)),
                                        format_count(first_window(*area, area->high)))
                          : "unknown";
    if (area->extrapolated()) range += ", extrapolated";
  }
  return {format_tokens(budget.seq_len),
          nearest.label,
          format_fixed(time.ratio, 3) + (time.paired ? "" : " *"),
          has_interval(time)
              ? fmt::format("{} to {}", format_fixed(time.interval.low, 3), format_fixed(time.interval.high, 3)) +
                    other_confidence(ratio)
              : "unknown",
          verdict_word(ratio),
          equal,
          range};
}

void say(SameBudget& budget, const LengthPass& pass, std::string_view part, const PointRatio& ratio) {
  const LengthCurve& baseline = curve_at(pass, budget.baseline);
  const LengthCurve& ours = curve_at(pass, budget.nearest);
  const MeasuredPair nearest{&ours, point_at(ours.points, budget.seq_len)};
  const LengthPoint& point = *reference_at(*nearest.curve, baseline, budget.seq_len);
  budget.headline = budget_headline(fmt::format("{} beside {}", part, short_name(baseline)), budget, nearest, ratio);
  budget.sentence = budget_sentence(baseline, point, budget, nearest, ratio, cycle_ratio(*nearest.point, point));
  budget.row = budget_row(budget, *nearest.curve, ratio);
}

}  // namespace

void say_beside(LengthChart& chart, const ComparePairs& compare) {
  const std::array parts{std::pair(&chart.passes[0], "forward"), std::pair(&chart.passes[1], "backward"),
                         std::pair(&chart.step, "step")};
  std::set<MeasurementPair> pairs;
  const auto add = [&](const LengthPass& pass, std::size_t ours, std::size_t baseline, const LengthPoint& point) {
    const LengthPoint* there = reference_at(curve_at(pass, ours), curve_at(pass, baseline), point.seq_len);
    if (there != nullptr) add_pairs(pairs, point, *there);
  };
  const auto nearest_of = [](const LengthPass& pass, const SameBudget& budget) -> const LengthPoint& {
    return *point_at(curve_at(pass, budget.nearest).points, budget.seq_len);
  };
  for (const auto& [pass, part] : parts) {
    for (const LengthCrossing& crossing : pass->crossings) {
      for (const LengthPoint& point : pass->curves[crossing.windows].points)
        add(*pass, crossing.windows, crossing.baseline, point);
    }
    for (const SameBudget& budget : pass->budgets)
      add(*pass, budget.nearest, budget.baseline, nearest_of(*pass, budget));
  }
  const std::shared_ptr<const PairVerdicts> known = chart.passes[0].verdicts;  // of a chart with more curves
  if (known) std::erase_if(pairs, [&](const MeasurementPair& pair) { return known->contains(pair); });
  PairVerdicts all = compare && !pairs.empty() ? compare(pairs) : PairVerdicts{};
  if (known) all.insert(known->begin(), known->end());
  const auto verdicts = std::make_shared<const PairVerdicts>(std::move(all));
  for (const auto& [pass, part] : parts) {
    pass->verdicts = verdicts;
    for (SameBudget& budget : pass->budgets) {
      const LengthCurve &baseline = curve_at(*pass, budget.baseline), &ours = curve_at(*pass, budget.nearest);
      const LengthPoint& there = *reference_at(ours, baseline, budget.seq_len);
      say(budget, *pass, part, ratio_beside(nearest_of(*pass, budget), there, verdicts.get()));
    }
  }
}

namespace {

/// One question but for the windows and the lengths.
bool differ_in_windows_alone(const LengthCurve& a, const LengthCurve& b) {
  Problem of_b = b.problem;
  of_b.seq_len = a.problem.seq_len;
  of_b.window1 = a.problem.window1;
  of_b.window2 = a.problem.window2;
  return a.problem == of_b;
}

/// Windows, and the dot product that they stand beside, as `curve_at` has them.
struct Question {
  std::size_t windows = 0, baseline = 0;
};

std::optional<Question> question_of(const LengthPass& pass, const std::string& reference, std::int64_t shown) {
  std::optional<Question> first;
  for (std::size_t n = 0; n < pass.curves.size() + pass.undrawn.size(); ++n) {
    const LengthCurve& ours = curve_at(pass, n);
    const auto is_shown = [&](const LengthPoint& point) {
      return point.sweep == shown || (point.backward != 0 && point.backward_sweep == shown);
    };
    const bool of_shown = std::ranges::any_of(ours.points, is_shown);
    if (ours.baseline || (first && !of_shown)) continue;
    const std::optional<std::size_t> baseline = best_baseline(pass, ours, reference, true);
    if (baseline && of_shown) return Question{n, *baseline};
    if (baseline) first = Question{n, *baseline};
  }
  return first;
}

/// The measured pairs at a length.
struct PairsAtLength {
  std::vector<AreaPoint> areas;
  std::vector<MeasuredPair> pairs;
  std::vector<std::size_t> curves;  ///< of the pairs, as `curve_at` has them
};

/// Of one question with `like`.
std::map<std::int64_t, PairsAtLength> pairs_by_length(const LengthPass& pass, const LengthCurve& like) {
  std::map<std::int64_t, PairsAtLength> all;
  for (std::size_t n = 0; n < pass.curves.size() + pass.undrawn.size(); ++n) {
    const LengthCurve& ours = curve_at(pass, n);
    if (ours.baseline || !differ_in_windows_alone(like, ours)) continue;
    const Windows windows{ours.problem.window1, ours.problem.window2};
    for (const LengthPoint& own : ours.points) {
      // Where a window is longer than the sequence its area is not what is computed.
      if (std::max(windows.window1, windows.window2) > own.seq_len / 2) continue;
      PairsAtLength& here = all[own.seq_len];
      here.areas.push_back({windows, own.ms, half_width(own)});
      here.pairs.push_back({&ours, &own});
      here.curves.push_back(n);
    }
  }
  return all;
}

}  // namespace

void find_budgets(LengthPass& pass, std::string_view part, const std::string& reference, std::int64_t shown) {
  const std::optional<Question> question = question_of(pass, reference, shown);
  if (!question) return;
  const LengthCurve &like = curve_at(pass, question->windows), &baseline = curve_at(pass, question->baseline);
  pass.question = shared_words(std::span(&like, 1));
  const std::map<std::int64_t, PairsAtLength> measured = pairs_by_length(pass, like);
  for (const LengthPoint& drawn : baseline.points) {
    const auto here = measured.find(drawn.seq_len);
    const auto& [areas, pairs, curves] = here == measured.end() ? PairsAtLength{} : here->second;
    if (pairs.empty()) {
      pass.unanswered.push_back(drawn.seq_len);
      continue;
    }
    const auto apart = [&](const MeasuredPair& pair) {
      return std::abs(std::log(pair.point->ms / reference_at(*pair.curve, baseline, drawn.seq_len)->ms));
    };
    const auto found = static_cast<std::size_t>(std::ranges::min_element(pairs, {}, apart) - pairs.begin());
    const MeasuredPair& nearest = pairs[found];
    const LengthPoint& point = *reference_at(*nearest.curve, baseline, drawn.seq_len);
    if (apart(nearest) > std::log(kFarthestPair)) {
      pass.unanswered.push_back(drawn.seq_len);
      continue;
    }
    SameBudget budget;
    budget.baseline = question->baseline;
    budget.seq_len = point.seq_len;
    budget.ms = point.ms;
    budget.windows = area_for_budget(areas, point.ms, half_width(point));
    budget.nearest = curves[found];
    const std::int64_t tile = nearest.point->backward != 0 ? 0 : nearest.point->tile;  // a step has two kernels
    if (budget.windows) budget.pair = pair_of(*budget.windows, tile, pairs);
    add_measurements(budget, point, pairs, nearest);
    budget.neighbours = neighbours_of({nearest.curve->problem.window1, nearest.curve->problem.window2}, budget,
                                      nearest.point->ms > point.ms);
    say(budget, pass, part, ratio_of_medians(*nearest.point, point));
    pass.budgets.push_back(std::move(budget));
  }
}

TextTable budget_table(const LengthPass& pass) {
  if (pass.budgets.empty()) return {};
  const std::string theirs = short_name(curve_at(pass, pass.budgets.front().baseline));  // of all
  TextTable table{{"tokens", "nearest measured", "its time / " + theirs, "95 % interval", "verdict", "equal, estimated",
                   "w1 by area"},
                  {true, false, true, true, false, false, true},
                  {}};
  for (const SameBudget* budget : answers_first(pass.budgets)) table.rows.push_back(budget->row);
  return table;
}

std::vector<const SameBudget*> answers_first(const std::vector<SameBudget>& budgets) {
  std::vector<const SameBudget*> order;
  for (const SameBudget& budget : budgets) order.push_back(&budget);
  std::ranges::stable_partition(order, [](const SameBudget* budget) { return budget->windows.has_value(); });
  return order;
}

}  // namespace triscope
