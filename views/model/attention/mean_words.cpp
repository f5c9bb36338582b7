#include "views/model/attention/mean_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {
namespace {

std::string queries_text(std::int64_t count) {
  return count == 1 ? "1 query that sees it" : format_count(count) + " queries that see it";
}

/// "2nd", "11th", "23rd".
std::string ordinal(std::int64_t number) {
  const bool teens = number % 100 >= 11 && number % 100 <= 13;
  const char* ending = teens              ? "th"
                       : number % 10 == 1 ? "st"
                       : number % 10 == 2 ? "nd"
                       : number % 10 == 3 ? "rd"
                                          : "th";
  return format_count(number) + ending;
}

}  // namespace

const MeanMaps* shown_means(const AttentionUi& ui, const AttentionData& data) {
  if (!data.means.answer || !data.overview.answer) return nullptr;
  const std::optional<OverviewRequest> overview = wanted_overview(ui, data);
  if (!overview || data.means.of.source != overview->source || data.means.of.query != overview->query) return nullptr;
  return data.means.answer.get();
}

std::string averaged_text(const MeanMaps& maps, std::int64_t head) {
  const std::vector<std::int64_t>& queries = maps.queries.at(static_cast<std::size_t>(head));
  if (queries.empty()) return "no query has a distribution";
  const std::string text =
      fmt::format("mean over queries {} to {}", format_count(queries.front()), format_count(queries.back()));
  return maps.step > 1 ? fmt::format("{}, every {}", text, ordinal(maps.step)) : text;
}

std::string lift_text(const MeanPeak& peak) {
  const double lift = peak.p / peak.even;
  return (lift >= 100 ? format_count(std::llround(lift)) : significant_text(lift, 2)) + "×";
}

std::string mean_cell_text(const MeanPeak& peak) {
  return fmt::format("j {} back, k {} back: p {} on average over the {}; even weights would give {} ({})",
                     format_count(peak.back1), format_count(peak.back2), significant_text(peak.p, 3),
                     queries_text(peak.queries), significant_text(peak.even, 2), lift_text(peak));
}

std::string mean_cell_text(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2) {
  const std::int64_t seen = maps.seen_by(head, back1, back2);
  const std::string place = fmt::format("j {} back, k {} back: ", format_count(back1), format_count(back2));
  if (seen == 0) return place + "no query that is averaged sees it";
  return place + fmt::format("p {} on average over the {}", significant_text(maps.at(head, back1, back2), 3),
                             queries_text(seen));
}

}  // namespace triscope
