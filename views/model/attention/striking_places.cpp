#include "views/model/attention/striking_places.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace triscope {

const std::vector<float>& values_of(const Overview& overview, OverviewFigure figure) {
  switch (figure) {
    case OverviewFigure::entropy:
      return overview.entropy;
    case OverviewFigure::largest_p:
      return overview.largest_p;
    case OverviewFigure::sink_p:
      return overview.sink_p;
    case OverviewFigure::distance1:
      return overview.distance1;
    case OverviewFigure::distance2:
      return overview.distance2;
  }
  return overview.entropy;
}

std::vector<AttentionPlace> striking_places(const Overview& overview, OverviewFigure figure, std::size_t most,
                                            std::int64_t first_query) {
  const std::vector<float>& values = values_of(overview, figure);
  const float sign = figure == OverviewFigure::entropy ? -1 : 1;
  std::vector<AttentionPlace> places;
  if (values.size() < static_cast<std::size_t>(overview.heads * overview.columns)) return places;
  for (std::int64_t head = 0; head < overview.heads; ++head) {
    std::optional<AttentionPlace> best;
    for (std::int64_t column = 0; column < overview.columns; ++column) {
      const float value = values[static_cast<std::size_t>(head * overview.columns + column)];
      if (column * overview.step < first_query || std::isnan(value) || (best && sign * value <= sign * best->value))
        continue;
      best = {head, column * overview.step, value};
    }
    if (best) places.push_back(*best);
  }
  std::ranges::stable_sort(places, std::greater(), [sign](const AttentionPlace& place) { return sign * place.value; });
  places.resize(std::min(places.size(), most));
  return places;
}

}  // namespace triscope
