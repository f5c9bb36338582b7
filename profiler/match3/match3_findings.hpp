// All that is shown of Match3 for one list of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/match3/dot_product_head.hpp"
#include "profiler/match3/match3_study.hpp"

namespace triscope {

struct Match3Findings {
  Match3Question question;
  Match3Answer answer;
  std::vector<Match3Trial> trials;  ///< of this length and modulus, a precision each
  std::vector<bool> dot_product;    ///< what the dot-product head says of the numbers
  std::int64_t dot_product_wrong = 0;
  HeadsBeside beside;
  std::optional<Match3Swap> swap;
};
/// Throws `Error` (usage) as `match3_tensors`.
Match3Findings find_match3(const Match3Question& question, std::uint64_t seed);

}  // namespace triscope
