// What stands beside the mean over queries in words.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/inspect/mean_maps.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// The means of what is shown; null until they are there.
const MeanMaps* shown_means(const AttentionUi& ui, const AttentionData& data);
/// "mean over queries 256 to 511": every n-th where it is so.
std::string averaged_text(const MeanMaps& maps, std::int64_t head);
/// "j 301 back, k 13 back: p 0.0807 on average over the 211 queries that see it, 1,150 times even weights (0.000070)".
std::string mean_cell_text(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2);
std::string mean_cell_text(const MeanPeak& peak);
/// "1,150 x": how much more than even weights.
std::string lift_text(const MeanPeak& peak);

}  // namespace triscope
