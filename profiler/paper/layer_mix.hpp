// What the attention layers of a model cost in a training step, from measured rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

struct LayerMixRequest {
  std::int64_t seq_len = 32'768;
  std::int64_t q_heads = 64, kv_heads = 1, head_dim = 128;
  Windows windows{512, 32};
  Form form = Form::trilinear;
  std::string dot_kernel = "baseline.fa3";  ///< of the global layers
  Regime regime = Regime::sustained;
};

/// Time of one launch on one sequence.
struct LayerTime {
  double ms = 0;
  std::string kernel;
  std::string basis;  ///< "measured", "between 8192 and 32768 tokens", "scaled from 131072 tokens"
  bool measured = false;
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

/// Costs at the request's length. Between two measured lengths a time is a line in the exact number of triples, which
/// is a fixed part and a rate; beyond the measured lengths it is proportional to that number. Rows of batch 1 count, ok
/// ones of the request's sizes, of one device (the one with most rows). Throws `Error` (usage) naming the pass that was
/// not measured.
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
