// What chart (4) shows: curves over sequence lengths, where they cross, and windows of equal cost.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/plan/crossing.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// One problem but for its length, by one kernel in one pass.
struct LengthCurve {
  std::string label;  ///< "512 × 32", "FlashAttention-3 64/8", "FlashAttention-3 sliding 1024"
  std::string kernel;
  KernelCard card;
  bool baseline = false;            ///< neutral and dashed
  int style = 0;                    ///< colour and mark of ours, dashes and mark of a baseline
  Problem problem;                  ///< at the longest length
  std::vector<LengthPoint> points;  ///< by length, at least two where it is drawn
  /// What each sweep measured of this build of the kernel, by the sweep's id: the shown one first.
  std::vector<std::pair<std::int64_t, std::vector<LengthPoint>>> by_sweep;
  /// Of steps of ours, by length: the dot product that stands beside each, which is of the sweeps of its passes where
  /// these have it. The curve of `beside_kernel` is drawn once for all windows, and may be of other sweeps.
  std::vector<LengthPoint> beside = {};
  std::string beside_kernel = {};
};

/// 95 % interval of a point is known.
inline bool interval_known(const LengthPoint& point) { return point.low_ms > 0; }
/// A pair of windows against the causal dot-product attention it is compared with.
struct LengthCrossing {
  std::size_t windows = 0, baseline = 0;  ///< indices of curves
  LatencyCrossing measured;
  bool in_turns = false;         ///< `measured` is of one sweep that has both at two lengths, not of the drawn curves
  bool passes_in_turns = false;  ///< of a step else: around the crossing each pass is of a sweep that has both
  std::int64_t exact_count = 0, full_rows = 0, paper_count = 0;  ///< lengths
  std::string sentence;
  std::vector<std::string> row;  ///< the same as a row of `crossing_table`
  /// " in turns": how the times that it stands on were taken, after "by measured latency".
  const char* turns_words() const { return in_turns ? " in turns" : passes_in_turns ? ", each pass in turns" : ""; }
};

/// What dot-product attention takes at a length, beside the measured pair of windows that comes nearest, and the area
/// that would take as long.
struct SameBudget {
  std::size_t baseline = 0;  ///< as `curve_at` has it
  std::int64_t seq_len = 0;
  double ms = 0;
  std::optional<AreaEstimate> windows;  ///< unset: the measured pairs do not tell
  std::size_t nearest = 0;              ///< as `curve_at` has it
  /// Those behind the answer: of dot-product attention, of the pairs of the estimate, and of the nearest pair; of a
  /// step both passes, and the backwards of dot-product attention and of the nearest pair are the first and the last.
  std::vector<std::int64_t> measurements;
  std::set<std::int64_t> sweeps;    ///< of `measurements`
  std::vector<Windows> neighbours;  ///< to measure next: the nearest pair, and those on the way to the equal area
  std::optional<Windows> pair;      ///< to measure: next to the equal area in whole tiles; unset: it was measured
  std::string headline;  ///< the answer: "16k, step beside FA3 64/1: about 238 × 32 would cost the same ..."
  std::string sentence;  ///< what it stands on
  std::vector<std::string> row = {};  ///< the answer as a row of `budget_table`
};

struct LengthPass {
  std::vector<LengthCurve> curves;        ///< ours first
  std::vector<LengthCurve> undrawn;       ///< of one length alone, or ours beyond those that a chart can tell apart
  std::vector<LengthCrossing> crossings;  ///< by curve of ours
  std::vector<SameBudget> budgets;        ///< by length
  std::vector<std::int64_t> unanswered;   ///< lengths of dot-product attention that no measured pair comes near
  std::string question;                   ///< what `budgets` are of: "trilinear, 64/1 heads, head size 128"
  std::string shared;                     ///< the same of all that is drawn, as far as it is one
  std::shared_ptr<const PairVerdicts> verdicts = {};  ///< of points beside their baselines; null: none are known
  std::size_t sweeps = 0, budget_sweeps = 0;          ///< whose measurements stand in the curves, behind `budgets`
};

/// Those that are drawn, then those that are not.
inline const LengthCurve& curve_at(const LengthPass& pass, std::size_t n) {
  return n < pass.curves.size() ? pass.curves[n] : pass.undrawn[n - pass.curves.size()];
}

struct LengthChart {
  std::int64_t sweep = 0;             ///< the shown one
  std::array<LengthPass, 2> passes;   ///< forward, backward
  LengthPass step;                    ///< a training step: both together, of the fastest kernels
  Regime regime = Regime::sustained;  ///< burst only when nothing sustained has two lengths
  std::string reference = "auto";     ///< kernel that windows are compared with, where that can be
  TextTable text;
  const LengthPass& of(Pass pass) const { return passes[pass == Pass::forward ? 0 : 1]; }
  bool has_step() const { return !step.curves.empty(); }
};

/// Of dot-product attention: no window hides a token.
bool is_causal(const Problem& problem);
/// What stays the same along a curve.
std::string curve_key(const Problem& problem, bool baseline);
/// A baseline has the dashes that it has in every chart; a second curve of it some that are free here.
void give_dashes(std::span<LengthCurve> baselines);
/// A pair of windows has the style that it has in every chart, or else another one that is free; the same in all
/// passes.
void give_styles(LengthChart& chart);

}  // namespace triscope
