// Lines of a chart that lie on each other: strokes of them take turns, so that each is seen.
#pragma once

#include <cstddef>
#include <vector>

namespace triscope {

/// To the right, by its points; its values are compared as factors.
struct StackLine {
  std::vector<double> x, y;
  bool apart = false;  ///< it has dashes of its own, as baselines do
};
/// How many lines lie below one, and how many lie on each other there.
struct PlaceInStack {
  std::size_t below = 0, height = 1;
};
/// By line. Two lie on each other where they do at two x or more, most of those that both have. The longest lies
/// lowest, so that strokes have a line below. Of more than 32 lines none is said to.
std::vector<PlaceInStack> stack_lines(const std::vector<StackLine>& lines);

}  // namespace triscope
