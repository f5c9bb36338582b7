// The settings of a problem other than its windows. In a table, one that differs between rows is a column, one that
// does not is a phrase in the line above where they agree.
#pragma once

#include <span>
#include <string>

#include "kernels/attention/problem.hpp"

namespace triscope {

struct ProblemFact {
  const char* name;                       ///< "tokens"
  std::string (*value)(const Problem&);   ///< "32768", "none"; equal exactly where problems agree
  std::string (*phrase)(const Problem&);  ///< "32768 tokens"; empty: the setting is off
};
std::span<const ProblemFact> problem_facts();

/// "512x32"; for a dot-product baseline "causal" or "window 512"; for a matrix product "".
std::string windows_text(const Problem& problem);

}  // namespace triscope
