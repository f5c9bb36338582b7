// Which part of the tiles is useful, as it was asked for by the paper's pages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/paper/layers/work_table.hpp"
#include "profiler/paper/tile_question.hpp"

namespace triscope {

/// The last good answer stays until the next arrives.
struct TileData {
  std::shared_ptr<const TileAnswer> answer;
  std::optional<TileQuestion> asked;  ///< that `answer` or `problem` answers, or that waits
  bool waiting = false;
  std::string problem;  ///< why there is no answer; empty: fine
};

/// What kernels compute for problems of the recipe page's calculator. It grows.
struct WorkData {
  std::shared_ptr<const WorkTable> table = std::make_shared<const WorkTable>();
  std::vector<Problem> asked;  ///< the last question
  std::string problem;         ///< why it has no answer; empty: fine
};

}  // namespace triscope
