// What the attention layers of a model cost in a training step, from measured rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layers/layer_times.hpp"

namespace triscope {

/// "152 to 181", each in so many digits; the number where one stands for the time, else its interval.
std::string range_text(const MsRange& range, int digits);
std::string time_text(const LayerTime& time, int digits);

struct LayerCost {
  LayerTime forward, backward;
  double step_ms() const { return forward.ms + backward.ms; }
};

/// The two kinds of attention layers of the paper's models. Others, such as local attention, are not in it.
struct LayerCosts {
  LayerCost simplicial;  ///< of each pass the kernel that is surely done earliest: the least upper end
  LayerCost global;
};

/// Costs at the request's length and heads, each with its 95 % interval. Between two measured lengths, the longer at
/// most `kMostReach` times the other, a time is a line in the exact number of triples, which is a fixed part and a
/// rate, and its interval that of the two rows: how far the line itself is off is not in it. What was not measured with
/// these windows and heads, lies elsewhere, or was measured so that half of the interval is unknown or beyond
/// `kWidestHalf`, is estimated by what the kernel computes
/// (`estimate_layer`; `table` has the tiles of `problems_to_count`); so is a kernel that was faster elsewhere than the
/// one that was measured here. Of each kernel its newest version counts. Rows of batch 1 count, ok ones of the
/// request's sizes, of one device (the one with most rows); of several of one question the one that `row_that_counts`
/// takes. Throws `Error` (usage) naming the pass that was neither measured well enough nor can be estimated.
LayerCosts layer_costs(std::span<const ResultRow> rows, const LayerMixRequest& request, const WorkTable& table = {});

/// One of these times. For many of them there is `LayerTimes`.
LayerAnswer simplicial_time(std::span<const ResultRow> rows, const LayerMixRequest& request, Pass pass,
                            const WorkTable& table = {});

/// What the windows of `request` take in both passes: "284x32 takes 14.4 to 17.5 ms forward (cuda.hopper, estimate by
/// tiles from 16 rows, +-9.9 %). Its backward is not known: ...". `table` has the tiles of `problems_to_count`.
std::string windows_cost_text(std::span<const ResultRow> rows, const LayerMixRequest& request,
                              const WorkTable& table = {});

/// The problems whose tiles `layer_costs` wants to know; none where everything was measured.
std::vector<Problem> problems_to_count(std::span<const ResultRow> rows, const LayerMixRequest& request);

/// Models beyond these are not added up.
inline constexpr std::int64_t kMostLayers = 1000, kMostSequences = 1'000'000;

/// Time of all attention layers of one training step on `sequences` sequences, one after another: the sums of the lower
/// and of the upper ends of the intervals. `is_number` only where no time has an interval.
MsRange mix_range(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers,
                  std::int64_t sequences = 1);
/// The middle of it.
double mix_ms(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers, std::int64_t sequences = 1);

/// How many times as long a step with these 2-simplicial layers takes as one of global layers only. Narrower than the
/// ratio of the two sums: the global layers of both are the same.
MsRange mix_ratio(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers);
/// A step of a 2-simplicial layer beside one of a global layer, or of one pass of them.
MsRange ratio_range(const MsRange& simplicial, const MsRange& global);
MsRange step_range(const LayerCost& cost);

/// Layers that every n-th of `layers` is: 8 of 32 for every fourth.
std::int64_t every_nth(std::int64_t layers, std::int64_t n);

/// The numbers of 2-simplicial layers among `layers` whose step stays within `budget_ms` by the upper end of
/// `mix_range`: `fewest` to `most`. Their number is at most `kMostLayers`.
struct BudgetMixes {
  std::int64_t fewest = 0, most = -1;
  bool none() const { return most < fewest; }
};
BudgetMixes mixes_within(const LayerCosts& costs, std::int64_t layers, double budget_ms, std::int64_t sequences = 1);

}  // namespace triscope
