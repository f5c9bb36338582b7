#include "views/model/attention/striking_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace triscope {
namespace {

/// Of the entropy the smallest is the most striking.
float sign_of(OverviewFigure figure) { return figure == OverviewFigure::entropy ? -1 : 1; }

}  // namespace

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
  const float sign = sign_of(figure);
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

std::vector<HeadMeans> heads_by_mean(const Overview& overview, OverviewFigure figure, std::int64_t first_query) {
  std::vector<HeadMeans> heads;
  for (std::int64_t head = 0; head < overview.heads; ++head) {
    HeadMeans& one = heads.emplace_back(HeadMeans{head, {}});
    for (const OverviewFigure each : kOverviewFigures) {
      const std::vector<float>& values = values_of(overview, each);
      double sum = 0;
      std::int64_t count = 0;
      for (std::int64_t column = 0; column < overview.columns; ++column) {
        const auto place = static_cast<std::size_t>(head * overview.columns + column);
        if (column * overview.step < first_query || place >= values.size() || std::isnan(values[place])) continue;
        sum += static_cast<double>(values[place]);
        ++count;
      }
      one.means.at(static_cast<std::size_t>(each)) =
          count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
    }
  }
  const double sign = sign_of(figure);
  std::ranges::stable_sort(heads, std::greater(), [&](const HeadMeans& head) {
    const double mean = head.of(figure);
    return std::isnan(mean) ? -std::numeric_limits<double>::infinity() : sign * mean;
  });
  return heads;
}

TextTable heads_text(const std::vector<HeadMeans>& heads, bool sink) {
  TextTable table;
  table.add_column("head", true);
  std::vector<OverviewFigure> figures;
  for (const auto& [figure, name] :
       {std::pair{OverviewFigure::entropy, "mean entropy, nats"},
        std::pair{OverviewFigure::largest_p, "mean largest p"}, std::pair{OverviewFigure::sink_p, "mean sink"},
        std::pair{OverviewFigure::distance1, "mean distance j, tokens"},
        std::pair{OverviewFigure::distance2, "mean distance k, tokens"}}) {
    if (figure == OverviewFigure::sink_p && !sink) continue;
    table.add_column(name, true);
    figures.push_back(figure);
  }
  for (const HeadMeans& head : heads) {
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{fmt::format("{}", head.head)});
    for (const OverviewFigure figure : figures) {
      const double mean = head.of(figure);
      row.push_back(std::isnan(mean) ? std::string() : fmt::format("{:.6g}", mean));
    }
  }
  return table;
}

}  // namespace triscope
