// An algorithm on a small problem as a table: each line of its listing, how often a program carries it out, and what
// its first time does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/paper/algorithm_steps.hpp"

namespace triscope {

/// The problem that is shown where none is chosen.
inline constexpr StepSizes kShownSteps{8, 4, 2, 2, 2};

struct StepStage {
  std::string line;
  std::int64_t times = 0;  ///< 0: this program does not carry it out
  std::string unit, says;  ///< of its first time
};
std::vector<StepStage> step_stages(const AlgorithmSteps& run, std::int64_t program);

/// The first of the programs with most steps.
std::int64_t longest_program(const AlgorithmSteps& run);

/// What each program of the grid does, in their order.
std::string programs_text(const AlgorithmSteps& run);

}  // namespace triscope
