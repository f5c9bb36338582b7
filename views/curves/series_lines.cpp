#include "views/curves/series_lines.hpp"

#include <algorithm>

namespace triscope {

std::vector<SeriesLine> series_lines(const std::vector<SeriesPoints>& series) {
  std::vector<SeriesLine> lines;
  std::vector<StackLine> shapes;
  for (const SeriesPoints& one : series) {
    StackLine shape;
    for (const ChartPoint& point : one.points) {
      if (!shape.x.empty() && shape.x.back() == point.x) {
        shape.y.back() = std::min(shape.y.back(), point.y);
      } else {
        shape.x.push_back(point.x);
        shape.y.push_back(point.y);
      }
    }
    lines.push_back({shape, &one});
    shapes.push_back(std::move(shape));
  }
  const std::vector<PlaceInStack> places = stack_lines(shapes);
  for (std::size_t n = 0; n < lines.size(); ++n) lines[n].dashes = dashes_in_stack(places[n]);
  return lines;
}

}  // namespace triscope
