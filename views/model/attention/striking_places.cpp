#include "views/model/attention/striking_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "kernels/inspect/counted_queries.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/figure_words.hpp"

namespace triscope {

std::vector<AttentionPlace> striking_places(const Overview& overview, OverviewFigure figure, std::size_t most,
                                            std::int64_t first_query,
                                            const std::function<double(std::int64_t query)>& even) {
  const std::vector<float>& values = values_of(overview, figure);
  const auto merit = [&](std::int64_t query, float value) {
    const auto given = static_cast<double>(value);
    return even ? std::abs(given - even(query)) : given * static_cast<double>(sign_of(figure));
  };
  std::vector<AttentionPlace> places;
  if (values.size() < static_cast<std::size_t>(overview.heads * overview.columns)) return places;
  for (std::int64_t head = 0; head < overview.heads; ++head) {
    std::optional<AttentionPlace> best;
    double most_merit = 0;
    for (std::int64_t column = 0; column < overview.columns; ++column) {
      const float value = values[static_cast<std::size_t>(head * overview.columns + column)];
      const std::int64_t query = column * overview.step;
      if (query < first_query || std::isnan(value) || (best && merit(query, value) <= most_merit)) continue;
      best = {head, query, value};
      most_merit = merit(query, value);
    }
    if (best) places.push_back(*best);
  }
  std::ranges::stable_sort(places, std::greater(),
                           [&](const AttentionPlace& place) { return merit(place.query, place.value); });
  places.resize(std::min(places.size(), most));
  return places;
}

std::vector<HeadMeans> ordered_heads(AttentionUi& ui, std::vector<HeadMeans> heads) {
  if (ui.head_order.size() != heads.size()) {
    ui.head_order.clear();
    ui.heads_sorted_by.reset();
    return heads;
  }
  std::vector<HeadMeans> ordered;
  for (const std::int64_t head : ui.head_order) ordered.push_back(heads.at(static_cast<std::size_t>(head)));
  return ordered;
}

void sort_heads_of(AttentionUi& ui, std::vector<HeadMeans> heads, std::optional<OverviewFigure> figure) {
  std::ranges::sort(heads, {}, &HeadMeans::head);
  if (figure) sort_heads(heads, *figure);
  ui.heads_sorted_by = figure;
  ui.head_order.clear();
  for (const HeadMeans& head : heads) ui.head_order.push_back(head.head);
}

std::string head_sentence(const HeadMeans& head) {
  const auto figure = [&](const char* name, OverviewFigure which) {
    return fmt::format("\n{} {}, even weights {}", name, figure_text(which, head.of(which)),
                       figure_text(which, head.even_of(which)));
  };
  if (std::isnan(head.of(OverviewFigure::entropy)))
    return fmt::format("Show head {}. It has no distribution.", head.head);
  return fmt::format("Show head {}. Means over queries:", head.head) + figure("entropy", OverviewFigure::entropy) +
         figure("largest p", OverviewFigure::largest_p) + figure("distance to j", OverviewFigure::distance1) +
         figure("distance to k", OverviewFigure::distance2);
}

std::string from_even_text(const HeadMeans& head, OverviewFigure figure) {
  const double far = head.of(figure) - head.even_of(figure);
  if (std::isnan(far)) return "–";
  const std::string text = std::abs(far) < 99.95 ? fmt::format("{:+.1f}", far) : fmt::format("{:+.0f}", far);
  return text == "+0.0" || text == "-0.0" ? "0.0" : text;
}

}  // namespace triscope
