// What the attention layers of a model cost in a training step, from measured rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layer_rows.hpp"
#include "profiler/paper/work_table.hpp"

namespace triscope {

/// What a layer's time stands on, the best first.
enum class LayerBasis { measured, between_lengths, estimated };

/// A time in milliseconds that is known to lie between two; both the same for a number.
struct MsRange {
  double low = 0, high = 0;
  bool is_number() const { return low == high; }
};

/// An estimate is given as a number where half of its 95 % interval is at most this part of it.
inline constexpr double kNumberHalf = 0.05;

/// Time of one launch on one sequence.
struct LayerTime {
  double ms = 0;
  double low_ms = 0, high_ms = 0;  ///< the 95 % interval of an estimate; else `ms`, also between lengths
  std::string kernel;
  std::string basis;  ///< "measured"; "between 8192 and 32768 tokens, no interval"; "estimate by tiles ..., +-6.1 %"
  LayerBasis kind = LayerBasis::measured;
  bool is_number() const;  ///< else only the interval says something
  MsRange range() const;   ///< to be shown: the number, or the interval; sums take `interval`
  MsRange interval() const { return {low_ms, high_ms}; }
};

struct LayerCost {
  LayerTime forward, backward;
  double step_ms() const { return forward.ms + backward.ms; }
};

/// The two kinds of attention layers of the paper's models. Others, such as local attention, are not in it.
struct LayerCosts {
  LayerCost simplicial;  ///< the fastest measured kernel of each pass
  LayerCost global;
  /// Whether a time of it has an interval; then sums have one.
  bool has_interval() const;
};

/// Costs at the request's length and heads. Between two measured lengths a time is a line in the exact number of
/// triples, which is a fixed part and a rate; how far it is off is not known, so it has no interval. What was not
/// measured with these windows and heads, or lies beyond the lengths, is estimated by what the kernel computes
/// (`estimate_layer`; `table` has the tiles of `problems_to_count`), with an interval. Rows of batch 1 count, ok ones
/// of the request's sizes, of one device (the one with most rows); of several of one question the one that
/// `row_that_counts` takes. Throws `Error` (usage) naming the pass that was neither measured nor can be estimated.
LayerCosts layer_costs(std::span<const ResultRow> rows, const LayerMixRequest& request, const WorkTable& table = {});

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
