// What the attention layers of a model cost in a training step, from measured rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "profiler/paper/layer_rows.hpp"

namespace triscope {

/// Time of one launch on one sequence.
struct LayerTime {
  double ms = 0;
  std::string kernel;
  std::string basis;  ///< "measured"; "between 8192 and 32768 tokens, from 1024x16 by triples"
  bool measured = false;
  int assumptions = 0;  ///< in `basis`
};

struct LayerCost {
  LayerTime forward, backward;
  double step_ms() const { return forward.ms + backward.ms; }
};

/// The two kinds of attention layers of the paper's models. Others, such as local attention, are not in it.
struct LayerCosts {
  LayerCost simplicial;  ///< the fastest measured kernel of each pass
  LayerCost global;
};

/// Costs at the request's length and heads. Between two measured lengths a time is a line in the exact number of
/// triples, which is a fixed part and a rate; beyond the measured lengths it is proportional to that number. Between
/// and beyond measured numbers of query heads on as many kv heads likewise, in their number. Windows that were not
/// measured take the time of the nearest ones of the same kernel (by area, then by the shorter window) in proportion to
/// their triples; kernels compute whole tiles, so this is rough where shapes differ. Each of these stands in `basis`.
/// Rows of batch 1 count, ok ones of the request's sizes, of one device (the one with most rows); of several of one
/// question the one that `row_that_counts` takes. Throws `Error` (usage) naming the pass that was not measured at all.
LayerCosts layer_costs(std::span<const ResultRow> rows, const LayerMixRequest& request);

/// ms of all attention layers of one training step on `sequences` sequences, one after another.
double mix_ms(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers, std::int64_t sequences = 1);

/// Layers that every n-th of `layers` is: 8 of 32 for every fourth.
std::int64_t every_nth(std::int64_t layers, std::int64_t n);

/// The numbers of 2-simplicial layers among `layers` whose step stays within `budget_ms`: `fewest` to `most`.
struct BudgetMixes {
  std::int64_t fewest = 0, most = -1;
  bool none() const { return most < fewest; }
};
BudgetMixes mixes_within(const LayerCosts& costs, std::int64_t layers, double budget_ms, std::int64_t sequences = 1);

}  // namespace triscope
