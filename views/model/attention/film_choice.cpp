#include "views/model/attention/film_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "views/data/format.hpp"

namespace triscope {

FilmQueries proposed_film(const AttentionUi& ui, const AttentionData& data) {
  constexpr std::int64_t kProposed = 100;
  const SourceReply* source = data.sides[0].source.get();
  const std::int64_t last = ui.query + kProposed - 1;
  return {ui.query, source ? std::clamp(source->seq_len - 1, ui.query, last) : last};
}

std::string film_problem(const FilmQueries& queries, const AttentionData& data) {
  const SourceReply* source = data.sides[0].source.get();
  if (!source || !source->problem.empty()) return "No tensors are open.";
  if (queries.first < 0) return "Queries are counted from 0.";
  if (queries.step < 1) return "A step is at least 1.";
  if (queries.last < queries.first) return "The last query comes before the first.";
  if (queries.last >= source->seq_len)
    return fmt::format("The last query is {} at most.", format_count(source->seq_len - 1));
  if (queries.count() > kMostFilmPictures)
    return fmt::format("These are {} pictures, and at most {} are made: take steps of {}.",
                       format_count(queries.count()), format_count(kMostFilmPictures),
                       format_count((queries.last - queries.first) / kMostFilmPictures + 1));
  return {};
}

std::string progress_words(std::int64_t done, std::int64_t total, const std::optional<double>& seconds_left) {
  const std::int64_t share = total > 0 ? 100 * done / total : 0;
  return fmt::format("{} %{}", share, seconds_left ? fmt::format(", {} left", format_seconds(*seconds_left)) : "");
}

}  // namespace triscope
