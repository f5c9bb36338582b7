// What the host needs to know of an instance with tiles: its row of the table and the sizes that follow (Layout).
#pragma once

#include <array>
#include <utility>

#include "kernels/cuda/hopper/forward/instances.hpp"
#include "kernels/cuda/hopper/forward/layout.hpp"

namespace triscope::hopper {

struct InstanceFacts {
  TileConfig config;
  double column_ns;
  int most_heads, query_rows, query_buffers, steps_per_stage, ring_slack, max_ring_rows;
  int fixed_bytes, slot_bytes;
};

template <int kInstance>
constexpr InstanceFacts facts_of() {
  using L = Layout<kInstances[kInstance].config>;
  return {.config = kInstances[kInstance].config,
          .column_ns = kInstances[kInstance].column_ns,
          .most_heads = L::kMostHeads,
          .query_rows = L::kQueryRows,
          .query_buffers = L::kQueryBuffers,
          .steps_per_stage = L::kStepsPerStage,
          .ring_slack = L::kRingSlack,
          .max_ring_rows = L::kMaxRingRows,
          .fixed_bytes = L::kRing,
          .slot_bytes = L::kSlotBytes};
}

template <int... kIndex>
constexpr std::array<InstanceFacts, sizeof...(kIndex)> all_facts(std::integer_sequence<int, kIndex...>) {
  return {facts_of<kIndex>()...};
}

/// In the order of kInstances.
inline constexpr auto kFacts = all_facts(std::make_integer_sequence<int, kInstanceCount>{});

}  // namespace triscope::hopper
