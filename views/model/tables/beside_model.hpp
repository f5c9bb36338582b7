// Two measurements side by side: what their counters say, what differs most first.
#pragma once

#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

struct BesideLine {
  std::string label, meaning;
  std::string a, b;    ///< with their units; "-" where it was not counted
  std::string factor;  ///< a / b, "2.46×"; empty: there is none
  double apart = 0;    ///< |log(a / b)|, by which lines are sorted
};

std::vector<BesideLine> beside_lines(const Measurement& a, const Measurement& b);

}  // namespace triscope
