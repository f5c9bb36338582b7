#include "views/model/attention/mean_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/figure_words.hpp"

namespace triscope {
namespace {

std::string queries_text(std::int64_t count) {
  return count == 1 ? "1 query that sees it" : format_count(count) + " queries that see it";
}

/// What a mean has a p of: "pair", or the key alone.
const char* place_word(const MeanMaps& maps) { return has_one_key(maps.problem) ? "key" : "pair"; }

/// "16,384 pairs of 8 heads".
std::string pairs_text(const MeanMaps& maps) {
  return fmt::format("{} of {}", counted(maps.width * maps.height, place_word(maps)), counted(maps.heads, "head"));
}

/// "j 301 back, k 13 back".
std::string place_text(const Problem& problem, std::int64_t back1, std::int64_t back2) {
  const std::string j = fmt::format("j {} back", format_count(back1));
  return has_one_key(problem) ? j : fmt::format("{}, k {} back", j, format_count(back2));
}

/// "a, b and c".
std::string listed_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t n = 0; n < words.size(); ++n)
    text += (n == 0 ? "" : n + 1 == words.size() ? " and " : ", ") + words[n];
  return text;
}
/// "head 2", "heads 0, 3 to 5 and 9".
std::string heads_text(std::vector<std::int64_t> heads) {
  constexpr std::size_t kLeastRange = 3;
  std::ranges::sort(heads);
  std::vector<std::string> words;
  for (std::size_t first = 0, end = 0; first < heads.size(); first = end) {
    for (end = first + 1; end < heads.size() && heads[end] == heads[end - 1] + 1;) ++end;
    if (end - first >= kLeastRange) {
      words.push_back(fmt::format("{} to {}", heads[first], heads[end - 1]));
    } else {
      for (std::size_t n = first; n < end; ++n) words.push_back(fmt::format("{}", heads[n]));
    }
  }
  return (heads.size() == 1 ? "head " : "heads ") + listed_words(words);
}

/// "71 have their largest p at -58, -13; 60 at -301, -13", of the listed peaks.
std::string peaks_with_queries(const MeanMaps& maps, const std::vector<MeanPeak>& listed) {
  std::vector<std::string> words;
  for (const MeanPeak& peak : listed) {
    const std::int64_t count = maps.strongest_at(peak.head, peak.back1, peak.back2);
    words.push_back(fmt::format("{}{} at {}", count == 0 ? "none" : format_count(count),
                                !words.empty() ? ""
                                : count < 2    ? " has its largest p"
                                               : " have their largest p",
                                distances_text(maps.problem, peak.back1, peak.back2)));
    if (words.size() == 1) words.back() += " from the query";  // axes may name positions
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

const MeanMaps* shown_means(const AttentionUi& ui, const AttentionData& data) {
  if (!data.means.answer || !data.overview.answer) return nullptr;
  const std::optional<OverviewRequest> overview = wanted_overview(ui, data);
  if (!overview || data.means.of.source != overview->source || data.means.of.query != overview->query) return nullptr;
  return data.means.answer.get();
}

bool awaits_means(const AttentionUi& ui, const AttentionData& data) {
  if (ui.mask == Mask::full || !data.means.problem.empty() || data.means.stopped ||
      data.sides[0].asked != ui.sides[0].source)
    return false;
  if (is_walking(ui) || data.means.pending) return true;
  const std::optional<OverviewRequest> overview = wanted_overview(ui, data);
  if (!overview || !data.overview.problem.empty()) return false;
  return data.overview.of != *overview || wanted_means(ui, data).has_value();
}

std::string averaged_text(const MeanMaps& maps, std::int64_t head) {
  const std::vector<std::int64_t>& queries = maps.queries.at(static_cast<std::size_t>(head));
  if (queries.empty()) return "no query has a distribution";
  return "mean over " + query_range_text(queries.front(), queries.back(), maps.step);
}

std::string distances_text(const Problem& problem, std::int64_t back1, std::int64_t back2) {
  return has_one_key(problem) ? fmt::format("{}", -back1) : fmt::format("{}, {}", -back1, -back2);
}

std::vector<MeanPeak> listed_peaks(const MeanMaps& maps, std::int64_t head) {
  constexpr std::size_t kMost = 3;
  std::vector<MeanPeak> listed = maps.peaks.at(static_cast<std::size_t>(head));
  if (listed.size() > kMost) listed.resize(kMost);
  const auto doubtful = [&](const MeanPeak& peak) { return peak_doubt(maps, peak) != PeakDoubt::none; };
  if (!listed.empty() && std::ranges::all_of(listed, doubtful)) listed.resize(1);
  const double least = listed.empty() ? 0 : listed.front().p / 2;
  std::erase_if(listed, [&](const MeanPeak& peak) { return peak.p < least; });
  return listed;
}

const char* peak_rank(const std::vector<MeanPeak>& listed, std::size_t n) {
  return n < tied_peaks(listed) ? "tied" : "also";
}

Heatmap mean_heatmap(const MeanMaps& maps, std::int64_t head) {
  Heatmap map{maps.width, maps.height, {}};
  const auto first = maps.p.begin() + head * maps.width * maps.height;
  for (auto p = first; p != first + maps.width * maps.height; ++p)
    map.cells.push_back(std::isnan(*p) ? -std::numeric_limits<float>::infinity() : std::log(*p));
  return map;
}

HeatmapStyle mean_style(const MeanMaps& maps, std::int64_t head, ColourMap map) {
  const auto [least, most] = maps.range.at(static_cast<std::size_t>(head));
  return {HeatmapStyle::Scale::logarithmic, automatic_low(static_cast<double>(least), static_cast<double>(most)),
          static_cast<double>(most), map};
}

std::string mean_title(const MeanMaps& maps, std::int64_t head) {
  const std::vector<std::int64_t>& queries = maps.queries.at(static_cast<std::size_t>(head));
  const std::string title = fmt::format("Mean {} of head {}", has_one_key(maps.problem) ? "p(j)" : "p(j, k)", head);
  return queries.empty() ? title : title + ", " + query_range_text(queries.front(), queries.back(), maps.step);
}

std::string mean_axis_name(const MeanMaps& maps, int key) {
  const bool one_key = has_one_key(maps.problem);
  if (key == 2) return one_key ? "" : "k: second key, tokens from the query";
  return one_key ? "j: key, tokens from the query" : "j: first key, tokens from the query";
}

std::string mean_caption(const AttentionUi& ui, const AttentionSideData& side) {
  std::string text = fmt::format("{}. p at each {} is the mean over the queries that see it; colours follow log p.",
                                 picture_caption(side.slice_of, *side.source),
                                 has_one_key(side.slice_of.query.problem) ? "distance" : "pair of distances");
  const std::string origin = windows_origin_sentence(ui);
  return origin.empty() ? text : text + " " + origin;
}

std::string averaged_sentence(const MeanMaps& maps, std::int64_t head) {
  std::string text = averaged_text(maps, head) + ".";
  text.front() = 'M';
  return maps.queries.at(static_cast<std::size_t>(head)).empty() ? "No query has a distribution." : text;
}

std::string strongest_sentence(const MeanMaps& maps, std::int64_t head) {
  const std::vector<MeanPeak>& peaks = maps.peaks.at(static_cast<std::size_t>(head));
  const auto all = std::ssize(maps.queries.at(static_cast<std::size_t>(head)));
  std::int64_t at_peaks = 0;
  for (const MeanPeak& peak : peaks) at_peaks += maps.strongest_at(head, peak.back1, peak.back2);
  return fmt::format(
      "A single query may look elsewhere than the mean: of {} queries {} have their largest p at one of "
      "these peaks, {} at another {}.",
      format_count(all), format_count(at_peaks), format_count(all - at_peaks), place_word(maps));
}

std::string strongest_sentence(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2) {
  const auto all = std::ssize(maps.queries.at(static_cast<std::size_t>(head)));
  const std::vector<MeanPeak> listed = listed_peaks(maps, head);
  if (listed.empty() || all == 0) return {};
  const std::string text = fmt::format("Of {} queries of head {}, {}: the peak{} of their mean.", format_count(all),
                                       head, peaks_with_queries(maps, listed), listed.size() == 1 ? "" : "s");
  const bool told =
      std::ranges::any_of(listed, [&](const MeanPeak& peak) { return peak.back1 == back1 && peak.back2 == back2; });
  if (told) return text;
  const std::int64_t there = maps.strongest_at(head, back1, back2);
  return fmt::format("{} At {}, where this query has its own: {}.", text, distances_text(maps.problem, back1, back2),
                     there == 0 ? "none of these" : format_count(there));
}

std::string framing_sentence(std::int64_t query, const std::vector<MeanPeak>& peaks) {
  const bool sees_all =
      std::ranges::all_of(peaks, [&](const MeanPeak& peak) { return std::max(peak.back1, peak.back2) <= query; });
  return fmt::format("A click on a peak frames it in the map of query {}{}.", format_count(query),
                     sees_all ? "" : ", or of the first averaged query that sees it");
}

std::string framed_sentence(const MeanPeak& peak, const AttentionSideData& side) {
  const std::int64_t query = side.slice_of.query.query;
  const std::string pair = distances_text(side.slice_of.query.problem, peak.back1, peak.back2);
  const std::optional<double> log_p =
      side.slice ? log_p_at(*side.slice, cell_in(side, {query - peak.back1, query - peak.back2})) : std::nullopt;
  const std::string here =
      log_p ? fmt::format("p is {} at the shown query {}", significant_text(std::exp(*log_p), 2), format_count(query))
            : fmt::format("the shown query {} does not see it", format_count(query));
  if (peak.best_query < 0) return fmt::format("{}: {}.", pair, here);
  if (peak.best_query == query) return fmt::format("{}: {}, where it is largest.", pair, here);
  return fmt::format("{}: {}, and largest at query {}: {}.", pair, here, format_count(peak.best_query),
                     significant_text(peak.best_p, 2));
}

std::string best_query_text(const MeanPeak& peak) {
  if (peak.best_query < 0) return {};
  return fmt::format("Largest at query {}: p {}.\n", format_count(peak.best_query), significant_text(peak.best_p, 3));
}

std::string doubt_text(const MeanMaps& maps, const MeanPeak& peak) {
  const std::int64_t count = maps.strongest_at(peak.head, peak.back1, peak.back2);
  const std::string rests = fmt::format("{} of the {} {} largest p here.", format_count(count),
                                        queries_text(peak.queries), count == 1 ? "has its" : "have their");
  const PeakDoubt doubt = peak_doubt(maps, peak);
  if (doubt == PeakDoubt::nearly_even)
    return fmt::format(
        "{}\nGrey: nearly even. The largest of many {}s may have less than {:g} times even weights by "
        "chance.\n",
        rests, place_word(maps), kNearlyEven);
  const std::int64_t needed = fewest_queries(maps, peak);
  const std::string fewest = format_count(needed);
  const std::string pairs = pairs_text(maps);
  if (doubt == PeakDoubt::few_queries)
    return fmt::format("{}\nGrey: of one or few queries. Fewer than {} may meet at one of {} by chance.\n", rests,
                       fewest, pairs);
  if (count < needed)
    return fmt::format(
        "{}\nMany look here, most of them more to another {}: without the {} largest p the mean is still "
        "{:g} times even weights or more.\n",
        rests, place_word(maps), format_count(needed - 1), kNearlyEven);
  return fmt::format(
      "{}\nThat is more than chance: {} or more would meet at one of {} in less than 5 % of such "
      "tables.\n",
      rests, fewest, pairs);
}

namespace {

std::vector<std::int64_t> heads_with(const MeanMaps& maps, const std::vector<MeanPeak>& peaks, PeakDoubt doubt) {
  std::vector<std::int64_t> heads;
  for (const MeanPeak& peak : peaks) {
    if (peak_doubt(maps, peak) == doubt) heads.push_back(peak.head);
  }
  return heads;
}

}  // namespace

std::string looks_sentence(const MeanMaps& maps, const std::vector<MeanPeak>& peaks) {
  const std::vector<std::int64_t> heads = heads_with(maps, peaks, PeakDoubt::none);
  std::string who = heads.empty() ? "no head" : heads_text(heads);
  who.front() = who.front() == 'n' ? 'N' : 'H';
  return fmt::format("{} {} at one {} over many queries.", who, heads.size() > 1 ? "look" : "looks",
                     has_one_key(maps.problem) ? "distance" : "pair of distances");
}

std::string grey_sentence(const MeanMaps& maps, const std::vector<MeanPeak>& peaks) {
  const std::vector<std::int64_t> even = heads_with(maps, peaks, PeakDoubt::nearly_even),
                                  few = heads_with(maps, peaks, PeakDoubt::few_queries);
  std::string text;
  if (!even.empty())
    text = fmt::format("{}, nearly even, less than {:g} times even weights", heads_text(even), kNearlyEven);
  if (!few.empty())
    text += fmt::format("{}{}, of one or few queries, no more than chance brings to one of {}",
                        text.empty() ? "" : "; ", heads_text(few), pairs_text(maps));
  return text.empty() ? text : "Grey: " + text + ".";
}

std::string lift_text(const MeanPeak& peak) {
  const double lift = peak.p / peak.even;
  if (lift >= 1e6) return significant_text(lift * 1e-6, 3) + "M×";
  if (lift >= 1e4) return significant_text(lift * 1e-3, 3) + "k×";
  return (lift >= 100 ? format_count(std::llround(lift)) : significant_text(lift, 2)) + "×";
}

std::string mean_cell_text(const MeanMaps& maps, const MeanPeak& peak) {
  return fmt::format("{}: p {} on average over the {}; even weights would give {} ({})",
                     place_text(maps.problem, peak.back1, peak.back2), significant_text(peak.p, 3),
                     queries_text(peak.queries), significant_text(peak.even, 2), lift_text(peak));
}

std::string mean_cell_text(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2) {
  const std::int64_t seen = maps.seen_by(head, back1, back2);
  const std::string place = place_text(maps.problem, back1, back2) + ": ";
  if (seen == 0) return place + "no query that is averaged sees it";
  return place + fmt::format("p {} on average over the {}", significant_text(maps.at(head, back1, back2), 3),
                             queries_text(seen));
}

std::int64_t keys_apart(const MeanPeak& peak) { return std::abs(peak.back1 - peak.back2); }

TextTable peaks_text(const MeanMaps& maps) {
  TextTable table;
  const bool one_key = has_one_key(maps.problem);
  for (const std::string_view name :
       {"head", "peak", "j", "k", "apart", "mean p", "even p", "queries that see it", "queries"}) {
    if (!one_key || (name != "k" && name != "apart")) table.add_column(std::string(name), true);
  }
  for (const std::vector<MeanPeak>& peaks : maps.peaks) {
    for (const MeanPeak& peak : peaks) {
      std::vector<std::string>& line = table.rows.emplace_back();
      std::vector<std::int64_t> numbers{peak.head, &peak - peaks.data() + 1, -peak.back1};
      if (!one_key) numbers.insert(numbers.end(), {-peak.back2, keys_apart(peak)});
      for (const std::int64_t number : numbers) line.push_back(fmt::format("{}", number));
      for (const double p : {peak.p, peak.even}) line.push_back(fmt::format("{:.6g}", p));
      for (const std::int64_t number : {peak.queries, maps.strongest_at(peak.head, peak.back1, peak.back2)})
        line.push_back(fmt::format("{}", number));
    }
  }
  return table;
}

}  // namespace triscope
