// Which part of the tiles is useful, as it was asked for by the paper's page.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profiler/paper/tile_question.hpp"

namespace triscope {

/// The last good answer stays until the next arrives.
struct TileData {
  std::shared_ptr<const TileAnswer> answer;
  std::optional<TileQuestion> asked;  ///< that `answer` or `problem` answers, or that waits
  bool waiting = false;
  std::string problem;  ///< why there is no answer; empty: fine
};

}  // namespace triscope
