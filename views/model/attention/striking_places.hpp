// Where the figures of an overview of attention are most striking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "views/data/attention_state.hpp"

namespace triscope {

/// A query of a head.
struct AttentionPlace {
  std::int64_t head = 0, query = 0;
  float value = 0;  ///< of the figure that was asked for
};
/// Where a figure of an overview is most striking: the best query of each head, the best heads first, at most `most`.
/// Of the entropy the smallest is the best, of the others the largest. What is not a number
/// is left out, and so are queries before `first_query`.
std::vector<AttentionPlace> striking_places(const Overview& overview, OverviewFigure figure, std::size_t most,
                                            std::int64_t first_query = 0);
const std::vector<float>& values_of(const Overview& overview, OverviewFigure figure);

}  // namespace triscope
