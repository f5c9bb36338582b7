#include "views/model/charts/length_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>

#include "kernels/attention/flops.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_beside.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/charts/step_model.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostWindows = 7;  // colours that can be told apart

/// 128 of "d128_pair64_keys128_half": the keys of a tile, which are of the first window where it is the longer one.
std::int64_t tile_of(const ResultRow& row) {
  constexpr std::string_view kKeys = "_keys";
  const std::size_t at = row.instance.find(kKeys);
  if (at == std::string::npos || row.problem.window1 < row.problem.window2) return 0;
  std::int64_t keys = 0;
  const char* const digits = row.instance.data() + at + kKeys.size();
  std::from_chars(digits, row.instance.data() + row.instance.size(), keys);
  return keys;
}

/// A row, or a step as a row of its forward.
struct Timed {
  const ResultRow* row;
  ValueWithInterval time;
  bool deterministic;                   ///< its gradients
  const ResultRow* backward = nullptr;  ///< of a step
};

/// Time x clock of a row; 0: not known.
double cycles_of(const ResultRow& row) {
  return row.median_ms && row.sm_clock_mhz ? std::max(0.0, *row.median_ms * *row.sm_clock_mhz) : 0;
}

LengthPoint point_of(const Timed& timed) {
  const auto& [of, time, deterministic, backward] = timed;
  const ResultRow& row = *of;
  LengthPoint point{row.problem.seq_len,   time.value,      time.low.value_or(0),
                    time.high.value_or(0), row.measurement, row.sweep};
  point.cycles = cycles_of(row);
  point.limiter = row.limiter;
  point.tile = tile_of(row);
  point.restarts = backward == nullptr ? row.restarts : std::min(row.restarts, backward->restarts);
  point.converged = has_converged(row) && (backward == nullptr || has_converged(*backward));
  point.few_blocks = has_few_blocks(row) || (backward != nullptr && has_few_blocks(*backward));
  if (backward == nullptr) return point;
  point.backward = backward->measurement;
  point.backward_ms = *backward->median_ms;
  point.backward_sweep = backward->sweep;
  point.cycles = point.cycles > 0 && cycles_of(*backward) > 0 ? point.cycles + cycles_of(*backward) : 0;
  if (point.limiter.empty()) point.limiter = backward->limiter;
  return point;
}

/// Of its curve.
std::string key_of(const Timed& timed) {
  Problem problem = timed.row->problem;
  problem.deterministic = timed.deterministic;
  return curve_key(problem, is_baseline(*timed.row));
}

/// Curves of one pass and regime under construction: by problem, then kernel, then length.
struct Collected {
  const ResultRow* row = nullptr;  // of the longest length
  bool deterministic = false;      // its gradients
  std::map<std::int64_t, LengthPoint> points;
  std::map<std::int64_t, const SweepResults*> sources;                                 // the sweep of each point
  std::vector<std::pair<std::int64_t, std::map<std::int64_t, LengthPoint>>> by_sweep;  // of the same build as `build`
  std::map<std::int64_t, LengthPoint> beside;  // of `beside_kernel`, see `LengthCurve`
  std::string beside_kernel;
  std::string build;
  Problem problem() const {
    Problem its = row->problem;
    its.deterministic = deterministic;
    return its;
  }
};
using ByKernel = std::map<std::string, Collected>;

class Collector {
 public:
  Collector(Pass pass, Regime regime, TimingSource clock) : pass_(pass), regime_(regime), clock_(clock) {}

  /// Of rows at one place the first sweep's counts, as the build that is looked at; of its several instances the
  /// fastest. `in_turns`: it may have taken turns with others of its sweep. True: the row is the point now.
  bool add(const Timed& timed, const SweepResults* sweep, bool in_turns = true) {
    const ResultRow& row = *timed.row;
    const double ms = timed.time.value;
    const bool usable = row.status == Status::ok && ms > 0 && std::isfinite(ms) && row.problem.form != Form::gemm;
    if (!usable || row.pass != pass_ || row.regime != regime_ || row.problem.mask != Mask::causal) return false;
    if (row.timing_source != clock_) return false;  // the two clocks do not measure the same span
    const auto [place, is_new] = index_.emplace(key_of(timed), problems_.size());
    if (is_new) problems_.emplace_back();
    Collected& curve = problems_[place->second][row.kernel];
    const LengthPoint made = point_of(timed);
    if (in_turns) add_to_sweep(curve, row, made, sweep->info.id);
    if (curve.points.empty() || row.problem.seq_len > curve.row->problem.seq_len) {
      curve.row = &row;
      curve.deterministic = timed.deterministic;
    }
    const auto [point, first] = curve.points.emplace(row.problem.seq_len, made);
    const SweepResults* source = curve.sources.emplace(row.problem.seq_len, sweep).first->second;
    const bool faster = !first && source == sweep && ms < point->second.ms;
    if (!first && !faster) return false;
    point->second = made;
    curve.beside.erase(row.problem.seq_len);  // of the step that it takes the place of
    return true;
  }
  /// What stands beside the step that `add` took.
  void add_beside(const Timed& step, const Timed& baseline) {
    Collected& curve = problems_[index_.at(key_of(step))][step.row->kernel];
    if (curve.beside_kernel.empty()) curve.beside_kernel = baseline.row->kernel;
    if (curve.beside_kernel != baseline.row->kernel) return;
    curve.beside.insert_or_assign(step.row->problem.seq_len, point_of(baseline));
  }
  const std::vector<ByKernel>& problems() const { return problems_; }

 private:
  static void add_to_sweep(Collected& curve, const ResultRow& row, const LengthPoint& made, std::int64_t sweep) {
    if (curve.by_sweep.empty()) curve.build = row.source_hash;
    if (row.source_hash != curve.build) return;
    if (curve.by_sweep.empty() || curve.by_sweep.back().first != sweep)
      curve.by_sweep.emplace_back(sweep, std::map<std::int64_t, LengthPoint>{});
    const auto [point, first] = curve.by_sweep.back().second.emplace(row.problem.seq_len, made);
    if (!first && made.ms < point->second.ms) point->second = made;
  }

  Pass pass_;
  Regime regime_;
  TimingSource clock_;
  std::map<std::string, std::size_t> index_;
  std::vector<ByKernel> problems_;  // in order of appearance
};

/// The kernel that is fastest at the longest length that both have; without such a length, the one measured at more.
bool is_better(const Collected& a, const Collected& b) {
  for (const auto& [seq_len, point] : std::views::reverse(a.points)) {
    const auto other = b.points.find(seq_len);
    if (other != b.points.end()) return point.ms < other->second.ms;
  }
  return a.points.size() > b.points.size();
}

std::string heads_text(const Problem& p) { return fmt::format("{}/{}", p.q_heads, p.kv_heads); }

LengthCurve curve_of(const Collected& collected, std::string label) {
  LengthCurve curve;
  curve.label = std::move(label);
  curve.kernel = collected.row->kernel;
  curve.card = collected.row->card;
  curve.baseline = is_baseline(*collected.row);
  curve.problem = collected.problem();
  for (const auto& [length, point] : collected.points) curve.points.push_back(point);
  for (const auto& [length, point] : collected.beside) curve.beside.push_back(point);
  curve.beside_kernel = collected.beside_kernel;
  for (const auto& [sweep, points] : collected.by_sweep) {
    curve.by_sweep.emplace_back(sweep, std::vector<LengthPoint>{});
    for (const auto& [length, point] : points) curve.by_sweep.back().second.push_back(point);
  }
  return curve;
}

struct Ambiguity {
  bool heads = false, head_dim = false, form = false, kernel = false, batch = false, element = false,
       deterministic = false;
};

Ambiguity ambiguity_of(const std::vector<const Collected*>& drawn) {
  Ambiguity differs;
  for (const Collected* collected : drawn) {
    const Problem p = collected->problem(), first = drawn.front()->problem();
    differs.heads |= p.q_heads != first.q_heads || p.kv_heads != first.kv_heads;
    differs.head_dim |= p.head_dim != first.head_dim;
    differs.form |= p.form != first.form;
    differs.kernel |= collected->row->kernel != drawn.front()->row->kernel;
    differs.batch |= p.batch != first.batch;
    differs.element |= p.element != first.element;
    differs.deterministic |= p.deterministic != first.deterministic;
  }
  return differs;
}

/// What is said of ours and of baselines alike, where it differs.
std::string further_text(const Problem& p, const Ambiguity& differs) {
  std::string text;
  if (differs.batch) text += fmt::format(" batch {}", p.batch);
  if (differs.element) text += fmt::format(" {}", to_string(p.element));
  if (differs.deterministic && p.deterministic) text += " deterministic";
  return text;
}

std::string windows_label(const Collected& collected, const Ambiguity& differs) {
  const Problem p = collected.problem();
  std::string label = format_windows(p.window1, p.window2);
  if (differs.heads) label += " " + heads_text(p);
  if (differs.head_dim) label += fmt::format(" D{}", p.head_dim);
  if (differs.form) label += fmt::format(" {}", to_string(p.form));
  if (differs.kernel) label += " " + brief_label(collected.row->card);
  return label + further_text(p, differs);
}

std::string baseline_label(const Collected& collected, const Ambiguity& differs) {
  const Problem p = collected.problem();
  std::string label = fmt::format("{} {}", collected.row->card.label, heads_text(p));
  if (differs.head_dim) label += fmt::format(" D{}", p.head_dim);
  if (!is_causal(p)) label += fmt::format(" sliding {}", p.window1);
  return label + further_text(p, differs);
}

/// The larger windows first, whichever sweep is shown; of baselines the one that others are related to.
auto place_of(const Collected& of) {
  const Problem p = of.problem();
  const std::int64_t rank = of.row->card.rank.value_or(std::numeric_limits<std::int64_t>::max());
  const bool baseline = is_baseline(*of.row);
  return std::tuple(baseline ? rank : -p.window1 * p.window2, of.row->kernel,
                    !baseline      ? -p.window1
                    : is_causal(p) ? 0
                                   : p.window1,
                    p.form, p.q_heads, p.kv_heads, p.head_dim, p.batch, p.element, p.deterministic);
}

bool has_curve(const Collected& one) { return one.points.size() > 1; }

/// Of kernels of ours for one problem: first those with a curve.
const Collected* best_of(const ByKernel& kernels) {
  const Collected* best = nullptr;
  for (const auto& [id, one] : kernels) {
    const bool better = best != nullptr && has_curve(one) == has_curve(*best) && is_better(one, *best);
    if (best == nullptr || has_curve(one) > has_curve(*best) || better) best = &one;
  }
  return best;
}

LengthPass make_pass(const std::vector<ByKernel>& problems) {
  LengthPass result;
  std::vector<const Collected*> drawn, undrawn, baselines, alone;
  for (const ByKernel& kernels : problems) {
    if (!is_baseline(*kernels.begin()->second.row)) {
      const Collected* best = best_of(kernels);
      (has_curve(*best) && drawn.size() < kMostWindows ? drawn : undrawn).push_back(best);
      continue;
    }
    for (const auto& [id, baseline] : kernels) (has_curve(baseline) ? baselines : alone).push_back(&baseline);
  }
  for (auto* curves : {&drawn, &undrawn, &baselines, &alone})
    std::ranges::stable_sort(*curves, {}, [](const Collected* one) { return place_of(*one); });
  const Ambiguity differs = ambiguity_of(drawn);
  for (const Collected* one : drawn) result.curves.push_back(curve_of(*one, windows_label(*one, differs)));
  Ambiguity of_baselines = ambiguity_of(baselines);
  of_baselines.head_dim |= differs.head_dim;
  for (const Collected* one : baselines) result.curves.push_back(curve_of(*one, baseline_label(*one, of_baselines)));
  give_dashes(std::span(result.curves).subspan(drawn.size()));
  for (const Collected* one : undrawn) result.undrawn.push_back(curve_of(*one, windows_label(*one, differs)));
  for (const Collected* one : alone) result.undrawn.push_back(curve_of(*one, baseline_label(*one, of_baselines)));
  return result;
}

void append_text(TextTable& table, const LengthPass& pass, std::string_view pass_name, const LengthUnit& rates) {
  const auto add = [&](std::string what, std::string curve, std::string tokens, std::string value, std::string low,
                       std::string high) {
    table.rows.push_back({std::string(pass_name), std::move(what), std::move(curve), std::move(tokens),
                          std::move(value), std::move(low), std::move(high)});
  };
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& p : curve.points) {
      const int decimals = ms_decimals(p.ms, half_width(p));
      const auto end = [&](double ms) { return interval_known(p) ? format_fixed(ms, decimals) : "unknown"; };
      add("latency, ms", curve.label, fmt::format("{}", p.seq_len), format_fixed(p.ms, decimals), end(p.low_ms),
          end(p.high_ms));
    }
  }
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& p : curve.points) {
      const auto rate = [&](double ms) { return length_value(curve, static_cast<double>(p.seq_len), ms, rates); };
      const int decimals = known_decimals(
          rate(p.ms), interval_known(p) ? std::optional((rate(p.low_ms) - rate(p.high_ms)) / 2) : std::nullopt);
      const auto end = [&](double ms) { return interval_known(p) ? format_fixed(rate(ms), decimals) : "unknown"; };
      add("rate, TFLOP/s", curve.label, fmt::format("{}", p.seq_len), format_fixed(rate(p.ms), decimals),
          end(p.high_ms), end(p.low_ms));
    }
  }
  for (const LengthCrossing& crossing : pass.crossings) {
    const std::string label =
        fmt::format("{} against {}", pass.curves[crossing.windows].label, pass.curves[crossing.baseline].label);
    const LatencyCrossing& m = crossing.measured;
    if (m.kind == LatencyCrossing::Kind::crosses) {
      add("crossing by latency, tokens", label, "", fmt::format("{:.0f}", m.seq_len),
          m.low > 0 ? fmt::format("{:.0f}", m.low) : "unknown", m.low > 0 ? fmt::format("{:.0f}", m.high) : "unknown");
    }
    add("crossing by exact count, tokens", label, "", fmt::format("{}", crossing.exact_count), "", "");
    add("crossing by the paper's count, tokens", label, "", fmt::format("{}", crossing.paper_count), "", "");
  }
  for (const SameBudget& budget : pass.budgets) {
    if (!budget.windows) continue;
    const AreaEstimate& area = *budget.windows;
    const auto end = [](double value) { return value > 0 ? fmt::format("{:.0f}", value) : "unknown"; };
    const std::string extrapolated = area.extrapolated() ? ", extrapolated" : "";
    add("window area of the same latency" + extrapolated, curve_at(pass, budget.baseline).label,
        fmt::format("{}", budget.seq_len), fmt::format("{:.0f}", area.area), end(area.low), end(area.high));
    const std::int64_t window2 = area.from.front().window2;
    const auto first = [&](double value) { return end(value / static_cast<double>(window2)); };
    add(fmt::format("first window of the same latency, beside a second one of {}{}", window2, extrapolated),
        curve_at(pass, budget.baseline).label, fmt::format("{}", budget.seq_len), first(area.area), first(area.low),
        first(area.high));
  }
}

/// The clock of the first sweep that measured anything.
TimingSource clock_of(const std::vector<const SweepResults*>& sweeps) {
  for (const SweepResults* sweep : sweeps) {
    for (const ResultRow& row : sweep->rows) {
      if (row.status == Status::ok) return row.timing_source;
    }
  }
  return TimingSource::cpu_clock;
}

/// The steps of problems that were measured in both passes: those of the shown sweep, the first; then of the rows that
/// count; those of the other sweeps say only what took turns.
LengthPass make_step(const std::vector<const SweepResults*>& sweeps, Regime regime, const std::string& reference) {
  Collector collector(Pass::forward, regime, clock_of(sweeps));
  const auto add = [&](const std::vector<TrainingStep>& steps, const SweepResults* sweep) {
    for (const TrainingStep& step : steps) {
      const auto of = [&](const ResultRow& row) {
        const auto its = std::ranges::find(sweeps, row.sweep, [](const SweepResults* one) { return one->info.id; });
        return sweep != nullptr || its == sweeps.end() ? sweep : *its;
      };
      const Timed ours{step.forward, step.step, step.backward->problem.deterministic, step.backward};
      const bool is_point = collector.add(ours, of(*step.forward), sweep != nullptr);
      if (!step.baseline_step) continue;
      const Timed baseline{step.baseline_forward, *step.baseline_step, step.baseline_forward->problem.deterministic,
                           step.baseline_backward};
      if (is_point) collector.add_beside(ours, baseline);
      collector.add(baseline, of(*step.baseline_forward), sweep != nullptr);
    }
  };
  const auto steps_of = [&](const std::vector<const ResultRow*>& rows) { return steps_beside(rows, reference); };
  add(steps_of(addresses_of(sweeps.front()->rows)), sweeps.front());
  if (sweeps.size() > 1) add(steps_of(all_that_count(sweeps, regime)), nullptr);
  for (std::size_t n = 1; n < sweeps.size(); ++n) add(steps_of(addresses_of(sweeps[n]->rows)), sweeps[n]);
  return make_pass(collector.problems());
}

std::size_t count_budget_sweeps(const LengthPass& pass) {
  std::set<std::int64_t> sweeps;
  for (const SameBudget& budget : pass.budgets) sweeps.insert(budget.sweeps.begin(), budget.sweeps.end());
  return sweeps.size();
}

std::size_t count_sweeps(const LengthPass& pass) {
  std::set<std::int64_t> sweeps;
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& point : curve.points) {
      sweeps.insert(point.sweep);
      if (point.backward != 0) sweeps.insert(point.backward_sweep);
    }
  }
  return sweeps.size();
}

/// What follows from the curves: how many sweeps they are of, what crosses, what costs the same, and all of it as text.
void conclude(LengthChart& chart) {
  chart.text = {
      {"pass", "what", "curve", "tokens", "value", "low", "high"}, {false, false, false, true, true, true, true}, {}};
  const auto conclude_pass = [&](LengthPass& pass, const char* part, const char* name, const LengthUnit& rates) {
    pass.crossings.clear();
    pass.budgets.clear();
    pass.unanswered.clear();
    pass.question.clear();
    pass.sweeps = count_sweeps(pass);
    find_crossings(pass, chart.reference);
    find_budgets(pass, part, chart.reference, chart.sweep);
    pass.budget_sweeps = count_budget_sweeps(pass);
    const auto ours = std::ranges::find(pass.curves, true, &LengthCurve::baseline) - pass.curves.begin();
    pass.shared = shared_words(std::span(pass.curves).first(static_cast<std::size_t>(ours)));
    append_text(chart.text, pass, name, rates);
  };
  conclude_pass(chart.passes[0], "forward", "forward", {true, Pass::forward});
  conclude_pass(chart.passes[1], "backward", "backward", {true, Pass::backward});
  conclude_pass(chart.step, "step", "training step", {true, {}});
}

}  // namespace

LengthChart without_curves(LengthChart chart, const std::set<std::string>& labels) {
  for (LengthPass* pass : {&chart.passes[0], &chart.passes[1], &chart.step})
    std::erase_if(pass->curves, [&](const LengthCurve& curve) { return labels.contains(curve.label); });
  conclude(chart);
  return chart;
}

LengthChart make_length_chart(const SweepResults& shown, const std::vector<std::shared_ptr<const SweepResults>>& others,
                              const std::string& reference) {
  std::vector<const SweepResults*> sweeps{&shown};
  for (const auto& other : others) sweeps.push_back(other.get());
  LengthChart chart;
  chart.sweep = shown.info.id;
  chart.reference = reference;
  for (const Regime regime : {Regime::sustained, Regime::burst}) {
    chart.regime = regime;
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      Collector collector(pass, regime, clock_of(sweeps));
      for (const SweepResults* sweep : sweeps) {
        for (const ResultRow& row : sweep->rows) collector.add({&row, value_of(row), row.problem.deterministic}, sweep);
      }
      chart.passes[pass == Pass::forward ? 0 : 1] = make_pass(collector.problems());
    }
    chart.step = make_step(sweeps, regime, reference);
    if (!chart.passes[0].curves.empty() || !chart.passes[1].curves.empty()) break;
  }
  give_styles(chart);
  conclude(chart);
  return chart;
}

double length_value(const LengthCurve& curve, double seq_len, double ms, const LengthUnit& unit) {
  return unit.rate ? 1e3 * counted_tflop(curve, unit.pass, seq_len) / ms : ms;
}

double counted_tflop(const LengthCurve& curve, std::optional<Pass> pass, double seq_len) {
  if (!pass) return counted_tflop(curve, Pass::forward, seq_len) + counted_tflop(curve, Pass::backward, seq_len);
  Problem problem = curve.problem;
  const bool causal = curve.baseline && is_causal(problem);
  problem.seq_len = std::max<std::int64_t>(1, std::llround(seq_len));
  if (causal) problem.window1 = problem.seq_len;
  return useful_flops(problem, *pass) * 1e-12;
}

}  // namespace triscope
