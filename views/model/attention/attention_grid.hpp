// The maps of a grid of slices, in one range of colours.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "views/data/attention_state.hpp"

namespace triscope {

/// Pyramids of a grid's slices, and the range of p of all of them.
class AttentionGrid {
 public:
  /// Makes what is new and drops what is gone.
  void update(const AttentionGridData& data, bool mean);
  /// Null while the slice is not there.
  const HeatmapPyramid* pyramid(std::int64_t query, std::int64_t head) const;
  bool empty() const { return made_.empty(); }
  double largest_p() const { return largest_p_; }
  double smallest_log_p() const { return smallest_log_p_; }

 private:
  struct Made {
    std::shared_ptr<const Slice> slice;
    std::unique_ptr<HeatmapPyramid> pyramid;
    double smallest_log_p = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Made> made_;  ///< by query and head
  bool mean_ = false;
  double largest_p_ = 0, smallest_log_p_ = 0;
};

}  // namespace triscope
