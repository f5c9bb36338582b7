// Which slices the grid of the attention panel shows: queries down, heads across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/data/attention_state.hpp"

namespace triscope {

/// Pairs that all slices of a grid may have together: 16 Mi, some 150 MB with their pyramids.
inline constexpr std::int64_t kMostGridPairs = std::int64_t{1} << 24;
inline constexpr std::size_t kMostGridRows = 12, kMostGridColumns = 16;

/// Whole numbers as typed: "0-7, 12, 100-900/200", the last in steps of 200.
struct TypedNumbers {
  std::vector<std::int64_t> values;
  std::string problem;  ///< one sentence; empty: none, and there is at least one value
};
/// At most `most` of them, each once, in the order typed, from 0 to before `end`. `what`: "queries".
TypedNumbers typed_numbers(const std::string& text, const char* what, std::int64_t end, std::size_t most);

/// What is typed, or what is chosen while nothing is.
struct GridChoice {
  std::vector<std::int64_t> queries, heads;
  std::string problem;
};
/// Chosen are queries that count (kernels/inspect/counted_queries.hpp) over the whole sequence, and the eight heads
/// around the shown one.
GridChoice grid_choice(const AttentionUi& ui, const AttentionData& data, const Problem& problem);

/// The request for a grid, or why there is none.
struct GridPlan {
  std::optional<AttentionGridRequest> request;
  std::string problem;  ///< one sentence
};
/// Nothing at all while no source is open.
GridPlan planned_grid(const AttentionUi& ui, const AttentionData& data);

}  // namespace triscope
