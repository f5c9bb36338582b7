#include "views/model/attention/attention_grid.hpp"

#include <algorithm>

namespace triscope {

void AttentionGrid::update(const AttentionGridData& data, bool mean) {
  if (std::exchange(mean_, mean) != mean) made_.clear();
  std::erase_if(made_, [&](const auto& one) {
    const auto found = data.cells.find(one.first);
    return found == data.cells.end() || found->second != one.second.slice;
  });
  for (const auto& [place, slice] : data.cells) {
    Made& made = made_[place];
    if (made.slice == slice) continue;
    made = {slice, std::make_unique<HeatmapPyramid>(heatmap_of(*slice), mean ? Pooling::mean : Pooling::largest),
            std::min(0.0F, finite_range(slice->log_p).first)};
  }
  largest_p_ = smallest_log_p_ = 0;
  for (const auto& [place, made] : made_) {
    largest_p_ = std::max(largest_p_, made.slice->largest_p);
    smallest_log_p_ = std::min(smallest_log_p_, made.smallest_log_p);
  }
}

const HeatmapPyramid* AttentionGrid::pyramid(std::int64_t query, std::int64_t head) const {
  const auto found = made_.find({query, head});
  return found == made_.end() ? nullptr : found->second.pyramid.get();
}

}  // namespace triscope
