// From which length on a pair of windows takes less time than dot-product attention, by the clock: from rows of these
// windows, or from estimates that have an interval.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layers/layer_mix.hpp"
#include "profiler/plan/crossing.hpp"

namespace triscope {

struct MeasuredCrossing {
  LatencyCrossing crossing;
  std::string kernel, device;
  std::string model;  ///< what stands for these windows: "estimate by tiles from 35 rows"; empty: they were measured
  std::size_t lengths = 0;  ///< at which the windows were measured in turns; 0: a model
  std::string reason;       ///< why there is no crossing to tell; empty: there is one
  std::string left_out;     ///< lengths that the model refuses, and why: "without 131,072 tokens: ..."; empty: none
  /// False: only its interval says something. By the rule that layers have (`kNumberHalf`).
  bool is_number() const;
};

/// Of each pass, and of both together: a training step.
struct Crossings {
  std::vector<MeasuredCrossing> forward, backward, step;
};

/// Of the windows, heads, form and regime of `request` beside `request.dot_kernel`; its length does not matter. Of each
/// device the fastest kernel of ours at these windows, and others that were measured at two lengths or more. A step
/// takes the fastest kernel of each pass.
///
/// A curve is that of the sweep with most lengths of both (`beside_in_one_sweep`); where no sweep has two, of all
/// (`beside_at_each_length`). Where these windows have none, their times at the lengths of
/// dot-product attention are those that the layer calculator would give (`simplicial_time`, with the tiles of
/// `crossing_problems`), with their intervals. What it refuses, and a crossing whose interval is unknown or beyond
/// `kWidestHalf` to each side, is not told: then there is a reason.
Crossings measured_crossings(std::span<const ResultRow> rows, const LayerMixRequest& request,
                             const WorkTable& table = {});
/// Of one pass only.
std::vector<MeasuredCrossing> measured_crossings(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                                 Pass pass, const WorkTable& table = {});

/// The problems whose tiles `measured_crossings` wants to know.
std::vector<Problem> crossing_problems(std::span<const ResultRow> rows, const LayerMixRequest& request);

/// "31,700 (31,300 to 32,200; cuda.hopper)"; "15,300 to 19,000 (cuda.hopper, estimate by tiles from 35 rows)" where the
/// number is not known better; "below 4,096"; "not decided: 4,230 or less (k)"; "not known: ...".
std::string crossing_text(const MeasuredCrossing& found);
/// All of them; "not measured" without one.
std::string crossings_text(const std::vector<MeasuredCrossing>& found);
/// The command that measures the passes of which `told` has no crossing, at two lengths about where the windows and
/// dot-product attention are as much work; empty where both are told.
std::string crossing_sweep(std::span<const ResultRow> rows, const LayerMixRequest& request, const Crossings& told);

/// Where the paper calls its windows comparable with dot-product attention at 48k tokens: the lengths at which the
/// windows of `request` are as much work, by its count and by others; and by the clock. Two sentences.
std::array<std::string, 2> comparable_text(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                           const WorkTable& table = {});

/// The windows that were measured at two lengths or more, with the heads and the form of `request`, and its own.
std::vector<Windows> windows_with_lengths(std::span<const ResultRow> rows, const LayerMixRequest& request);

}  // namespace triscope
