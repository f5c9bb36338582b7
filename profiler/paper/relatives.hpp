// The operator's relatives, those that the paper names: how they score, what they cost (assets/paper/relatives.json).
#pragma once

#include <string>
#include <vector>

namespace triscope {

struct Relative {
  std::string name;          ///< "Strassen attention"
  std::string by;            ///< "Kozachinskiy and others 2025"
  std::string logit;         ///< a formula
  std::string cost;          ///< for n tokens of d dimensions
  std::string relation;      ///< to the operator
  std::string formula_from;  ///< "paper", or "cited work" where the paper names it without a formula
};
const std::vector<Relative>& relatives();

}  // namespace triscope
