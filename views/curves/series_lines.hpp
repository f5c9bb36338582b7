// The lines of the chart over window areas as they are drawn, on the screen and in print.
#pragma once

#include <vector>

#include "views/curves/drawn_curves.hpp"
#include "views/model/charts/chart_model.hpp"

namespace triscope {

struct SeriesLine : StackLine {
  const SeriesPoints* series = nullptr;
  DashPattern dashes = {};  ///< of one that lies on others; none: it is whole
};
std::vector<SeriesLine> series_lines(const ScalingChart& chart);

}  // namespace triscope
