// What a sweep spans, as a small drawing and in words: its lengths, or its windows.
#pragma once

#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Made of the request alone. One that cannot be read, or is long, has none.
struct SweepShape {
  static constexpr std::size_t kMostColumns = 7, kMostRows = 5, kMostSteps = 24;
  enum class Kind { none, lengths, windows, line };
  Kind kind = Kind::none;
  std::vector<float> steps{};  ///< of `lengths`: a height for each, (0, 1], by its logarithm
  /// Of `windows`: w1 across by w2 up, from the narrowest. Of more than have room, neighbours share a cell.
  std::size_t columns = 0, rows = 0;
  std::vector<bool> filled{};  ///< by row, then column
  int style = 0;               ///< its colour: forward, backward, or both as of a training step
  std::string words{};         ///< "5 lengths, 1k to 16k; forward and backward"
};

SweepShape sweep_shape(const SweepInfo& sweep);

}  // namespace triscope
