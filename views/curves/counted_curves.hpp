// The work of one launch by length, which is counted and not measured.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "views/curves/drawn_curves.hpp"

namespace triscope {

/// A curve and its line in the view that is shown.
struct DrawnLine : DrawnCurve {
  std::vector<double> x = {}, y = {};
};

/// The curves of the counted view, in the plot and in its legend. That work is not a kernel's: baselines have one
/// colour, and those that count alike one line. Of ours that lie on each other by these counts strokes take turns.
std::vector<DrawnCurve> curves_of_counts(const Theme& theme, const LengthPass& pass,
                                         const std::set<std::string>& left_out = {});

/// In TFLOP, of both passes together without `which`. Counted work needs no measurement: each curve goes over all
/// lengths, and far enough to show where it crosses. Of baselines that count alike one is drawn.
std::vector<DrawnLine> counted_lines(const Theme& theme, const LengthPass& pass, std::optional<Pass> which);

/// Its name beside such a line: "causal attention", "sliding 1024". The count does not depend on the kernel.
std::string counted_name(const LengthCurve& baseline);

}  // namespace triscope
