#include "views/model/charts/length_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

PointRatio by_medians(const ValueWithInterval& medians, bool few_blocks) {
  PointRatio ratio{{}, true};
  ratio.time.ratio = medians.value;
  if (medians.low && medians.high) ratio.time.interval = {*medians.low, *medians.high};
  ratio.time.few_blocks = few_blocks;
  return ratio;
}

/// How well a causal baseline stands beside these windows, the least best. Nullopt: not at all.
std::optional<std::tuple<bool, bool, std::int64_t>> rank(const LengthCurve& ours, const LengthCurve& baseline,
                                                         const std::string& reference) {
  const Problem &a = ours.problem, &b = baseline.problem;
  if (!baseline.baseline || !is_causal(b) || a.batch != b.batch || a.q_heads != b.q_heads || a.head_dim != b.head_dim)
    return std::nullopt;
  return std::tuple(a.kv_heads != b.kv_heads, baseline.kernel != reference,
                    baseline.card.rank.value_or(std::numeric_limits<std::int64_t>::max()));
}

/// Whether at the lengths around the crossing each pass of both steps is of one sweep.
bool passes_in_turns(const LatencyCrossing& crossing, const std::vector<LengthPoint>& ours,
                     const std::vector<LengthPoint>& baseline) {
  if (crossing.kind != LatencyCrossing::Kind::crosses) return false;
  return std::ranges::all_of(std::array{crossing.after, crossing.before}, [&](std::int64_t seq_len) {
    const LengthPoint *one = point_at(ours, seq_len), *other = point_at(baseline, seq_len);
    return one != nullptr && other != nullptr && one->backward != 0 && one->sweep == other->sweep &&
           one->backward_sweep == other->backward_sweep;
  });
}

/// By the sweep that has most lengths of both, since these took turns; of equals the first. By the drawn curves where
/// no sweep has two, or where those do not cross and the lines go on.
void measure_crossing(LengthCrossing& crossing, const LengthCurve& ours, const LengthCurve& baseline) {
  std::vector<LengthPoint> references;
  for (const LengthPoint& drawn : baseline.points) references.push_back(*reference_at(ours, baseline, drawn.seq_len));
  std::size_t most = 1;
  for (const auto& [sweep, points] : ours.by_sweep) {
    const auto beside = std::ranges::find(baseline.by_sweep, sweep, [](const auto& one) { return one.first; });
    if (beside == baseline.by_sweep.end() || lengths_in_common(points, beside->second) <= most) continue;
    most = lengths_in_common(points, beside->second);
    crossing.measured = find_crossing(points, beside->second);
  }
  crossing.in_turns = most > 1 && (crossing.measured.kind == LatencyCrossing::Kind::crosses ||
                                   lengths_in_common(ours.points, references) <= most);
  if (crossing.in_turns) return;
  crossing.measured = find_crossing(ours.points, references);
  crossing.passes_in_turns = passes_in_turns(crossing.measured, ours.points, references);
}

}  // namespace

std::optional<std::size_t> best_baseline(const LengthPass& pass, const LengthCurve& ours, const std::string& reference,
                                         bool undrawn) {
  std::optional<std::size_t> best;
  const auto look = [&](const std::vector<LengthCurve>& curves, std::size_t first) {
    for (std::size_t n = curves.size(); n-- > 0 && curves[n].baseline;) {  // they stand last
      const auto candidate = rank(ours, curves[n], reference);
      if (candidate && (!best || *candidate <= *rank(ours, curve_at(pass, *best), reference))) best = first + n;
    }
  };
  if (undrawn) look(pass.undrawn, pass.curves.size());
  look(pass.curves, 0);
  return best;
}

void find_crossings(LengthPass& pass, const std::string& reference) {
  for (std::size_t n = 0; n < pass.curves.size(); ++n) {
    const LengthCurve& ours = pass.curves[n];
    if (ours.baseline) break;
    const std::optional<std::size_t> baseline = best_baseline(pass, ours, reference, false);
    if (!baseline) continue;
    LengthCrossing crossing;
    crossing.windows = n;
    crossing.baseline = *baseline;
    measure_crossing(crossing, ours, pass.curves[*baseline]);
    const Windows windows{ours.problem.window1, ours.problem.window2};
    crossing.exact_count = crossing_by_exact_count(windows);
    crossing.full_rows = crossing_by_full_rows(windows);
    crossing.paper_count = crossing_by_paper_count(windows);
    crossing.sentence = crossing_sentence(ours, pass.curves[*baseline], crossing);
    crossing.row = crossing_row(ours, pass.curves[*baseline], crossing);
    pass.crossings.push_back(std::move(crossing));
  }
}

std::string other_confidence(const PointRatio& ratio) {
  return ratio.confidence < 0.99 ? std::string() : fmt::format(" ({:.0f} %)", 100 * ratio.confidence);
}

PointRatio ratio_of_medians(const LengthPoint& point, const LengthPoint& there) {
  return by_medians(ratio_of(value_of(point), value_of(there)), point.few_blocks || there.few_blocks);
}

PointRatio ratio_beside(const LengthPoint& point, const LengthPoint& there, const PairVerdicts* verdicts) {
  const auto verdict_on = [&](std::int64_t ours, std::int64_t theirs) -> const Comparison* {
    if (verdicts == nullptr) return nullptr;
    const auto found = verdicts->find({ours, theirs});
    return found == verdicts->end() || found->second.ratio <= 0 ? nullptr : &found->second;
  };
  const Comparison* first = verdict_on(point.measurement, there.measurement);
  if (first == nullptr) return ratio_of_medians(point, there);
  const auto with_confidence = [&](Comparison time) {
    const double confidence = confidence_of(time.paired, point.restarts, there.restarts);
    return PointRatio{std::move(time), false, confidence};
  };
  if (point.backward == 0) return with_confidence(*first);
  const Comparison* second = verdict_on(point.backward, there.backward);
  if (second == nullptr) return ratio_of_medians(point, there);
  Comparison step = judge_step({point.ms - point.backward_ms, there.ms - there.backward_ms, *first},
                               {point.backward_ms, there.backward_ms, *second});
  if (step.verdict == Verdict::not_comparable) return PointRatio{std::move(step)};
  return has_interval(step) ? with_confidence(std::move(step)) : ratio_of_medians(point, there);
}

void add_pairs(std::set<MeasurementPair>& pairs, const LengthPoint& point, const LengthPoint& there) {
  pairs.emplace(point.measurement, there.measurement);
  if (point.backward != 0) pairs.emplace(point.backward, there.backward);
}

std::string beside_reference_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point) {
  const auto crossing = std::ranges::find(pass.crossings, curve, &LengthCrossing::windows);
  if (crossing == pass.crossings.end()) return {};
  const LengthCurve& baseline = pass.curves[crossing->baseline];
  const LengthPoint* there = reference_at(pass.curves[curve], baseline, point.seq_len);
  if (there == nullptr) return {};
  const PointRatio ratio = ratio_beside(point, *there, pass.verdicts.get());
  const Comparison& time = ratio.time;
  std::string text = fmt::format("{} takes {} here; this takes {} times as long", baseline.label,
                                 format_ms(there->ms, half_width(*there)), format_fixed(time.ratio, 3));
  if (has_interval(time))
    text += fmt::format(", {} to {}", format_fixed(time.interval.low, 3), format_fixed(time.interval.high, 3)) +
            other_confidence(ratio);
  if (time.verdict == Verdict::not_comparable) return text + ", which is not comparable: " + time.explanation;
  if (!time.paired) return text + " *";
  return text + ", in turns" + (time.b_ms > 0 ? fmt::format(" beside {} ms", significant_text(time.b_ms, 4)) : "");
}

}  // namespace triscope
