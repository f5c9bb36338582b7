// How the paper's models were trained, as far as it says (assets/paper/recipe.json).
#pragma once

#include <string>
#include <vector>

namespace triscope {

struct RecipeFact {
  std::string name;   ///< "optimiser"
  std::string value;  ///< "AdamW, peak learning rate 4e-3, ..."
  std::string where;  ///< section of the paper
  bool stated = true;
};
const std::vector<RecipeFact>& recipe();

/// What has to be said where a mix of layers is so many times another (`mix_ratio`).
inline constexpr const char* kMixRatioCaveat = "The ratio is of these times and their intervals, not of turns.";

}  // namespace triscope
