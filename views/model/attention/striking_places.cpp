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

std::string means_title(const Overview& overview, const Problem& problem, std::int64_t tokens) {
  const std::int64_t step = overview.step, first = (counted_queries(problem, tokens).first + step - 1) / step * step;
  const std::string queries =
      fmt::format("Heads, queries {} to {}", format_count(first), format_count((overview.columns - 1) * step));
  return step > 1 ? fmt::format("{}/{}", queries, step) : queries;
}

}  // namespace triscope
