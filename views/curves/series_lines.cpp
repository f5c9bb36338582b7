#include "views/curves/series_lines.hpp"

namespace triscope {

std::vector<SeriesLine> series_lines(const ScalingChart& chart) {
  std::vector<SeriesLine> lines;
  for (std::size_t n = 0; n < chart.series.size(); ++n)
    lines.push_back({fastest_line(chart.series[n]), &chart.series[n], dashes_in_stack(chart.places[n])});
  return lines;
}

}  // namespace triscope
