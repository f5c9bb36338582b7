// Losses over parameters with fitted laws and their bands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiler/paper/laws/scaling_law.hpp"
#include "views/parts/context.hpp"

namespace triscope {

struct DrawnLaw {
  const LossSeries& losses;
  const ScalingLaw& law;
  ImU32 colour;
};

/// Colours of models by their names, everywhere a loss is drawn: the paper's Transformer is neutral, its 2-simplicial
/// model has the first colour, as its operator has, and others have those that are left, in their order.
std::vector<ImU32> law_colours(const Theme& theme, std::span<const std::string> models);

/// One plot of `size`, up to `until` parameters; `sizes` that are foretold have hollow points. A band beyond
/// half or twice the loss goes on outside the plot.
void draw_law_plot(const Context& context, const std::string& title, std::span<const DrawnLaw> laws, double until,
                   std::span<const double> sizes, ImVec2 size);

}  // namespace triscope
