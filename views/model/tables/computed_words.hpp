// What the tiles of a selected measurement compute beside its useful work, in words, and of two of them.
#pragma once

#include <string>
#include <vector>

#include "views/data/window_data.hpp"

namespace triscope {

struct ComputedWords {
  std::string text;  ///< "Its tiles compute 1.227× the useful work: 18.5 % of it is masked."; empty: nothing is known
  std::string remark;  ///< why not, and of which version the tiles are; empty: nothing remains to be said
  bool operator==(const ComputedWords&) const = default;
};

/// Of what is selected, with what stands beside it. Both empty where neither is of a kernel whose tiles are counted.
ComputedWords computed_words(const WindowData& data);

/// Why the two selected rows differ in their rate, as far as the tensor cores tell (`tensor_gap.hpp`). Empty unless
/// they can be compared, both were counted, and both are of the version whose tiles are counted.
std::string tensor_gap_words(const WindowData& data);

/// The selected problems whose tiles are counted, and not yet known.
std::vector<Problem> selected_to_count(const WindowData& data);

}  // namespace triscope
