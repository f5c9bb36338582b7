#include "views/model/attention/triple_hits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "kernels/inspect/slice_rules.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {

std::optional<TripleSearchRequest> wanted_search(const AttentionUi& ui, const AttentionData& data) {
  const std::optional<SliceRequest> slice = wanted_slice(ui, data, 0);
  if (!slice) return std::nullopt;
  TripleSearchRequest request{
      slice->source, slice->query, {kListedTriples, std::nullopt, std::nullopt, ui.search.all_queries}};
  request.query.head = request.query.query = 0;
  if (ui.search.by == TripleSearchBy::token) request.search.token = ui.search.token;
  if (ui.search.by == TripleSearchBy::distances) {
    request.search.back = ui.search.back;
    if (has_one_key(slice->query.problem)) (*request.search.back)[1] = 0;
  } else if (!has_one_key(slice->query.problem)) {
    request.search.apart = ui.search.apart;
    request.search.away = ui.search.away;
  }
  return request;
}

std::string search_title(const TripleSearch& search, bool one_key) {
  if (search.back && one_key)
    return fmt::format("Largest p with a key {} tokens back", format_count((*search.back)[0]));
  if (search.back)
    return fmt::format("Largest p with keys {} and {} tokens back", format_count((*search.back)[0]),
                       format_count((*search.back)[1]));
  std::string title = search.token ? fmt::format("Largest p with token {} as a key", format_count(*search.token))
                                   : "Largest p of all queries and heads";
  if (search.apart > 0) title += fmt::format(", keys at least {} apart", format_count(search.apart));
  if (search.away > 0)
    title += fmt::format("{} at least {} back", search.apart > 0 ? " and" : ", keys", format_count(search.away));
  return title;
}

std::string progress_text(const TripleSearchData& search) {
  if (search.total == 0) return {};
  return fmt::format("{} of {} slices", format_count(search.done), format_count(search.total));
}

void frame_cell(AttentionUi& ui, std::int64_t query, const AttentionCell& cell, FramedKeeps usual) {
  const FramedKeeps keeps = ui.framed_keeps == FramedKeeps::as_framed ? usual : ui.framed_keeps;
  ui.pinned = cell;
  ui.pinned_back.reset();
  if (keeps == FramedKeeps::distances) ui.pinned_back = FramedDistances{{query - cell.j, query - cell.k}, query};
}

void choose_framed_keeps(AttentionUi& ui, const AttentionData& data, FramedKeeps keeps) {
  if (ui.pinned && !exists(*ui.pinned) && keeps != FramedKeeps::distances) return;
  ui.framed_keeps = keeps;
  const AttentionSideData& side = data.sides[0];
  if (ui.pinned) frame_cell(ui, side.slice ? side.slice_of.query.query : ui.query, *ui.pinned);
}

namespace {

/// Frames a pair of a query and a head in the map, and brings it into view.
void frame_pair(AttentionUi& ui, const AttentionData& data, std::int64_t head, std::int64_t query, AttentionCell cell,
                FramedKeeps usual = FramedKeeps::positions) {
  ui.playing = false;
  if (ui.show == AttentionShow::grid) ui.show = AttentionShow::one;
  ui.head = head;
  ui.query = query;
  frame_cell(ui, query, cell, usual);
  const std::optional<SliceRequest> slice = wanted_slice(ui, data, 0);
  if (!ui.part || !slice) return;
  const AttentionFrame frame = frame_of(*slice, *data.sides[0].source);
  const auto x = static_cast<double>(cell.j - frame.first1), y = static_cast<double>(cell.k - frame.first2);
  const HeatmapPart& part = *ui.part;
  if (x < part.left || x + 1 > part.right || y < part.top || y + 1 > part.bottom) ui.part.reset();
}

}  // namespace

void go_to(AttentionUi& ui, const AttentionData& data, const FoundTriple& hit) {
  frame_pair(ui, data, hit.head, hit.query, {hit.triple.j, hit.triple.k});
}

void go_to_strongest(AttentionUi& ui, const HeadQuery& place) {
  ui.playing = false;
  if (ui.show == AttentionShow::grid) ui.show = AttentionShow::one;
  ui.head = place.head;
  ui.query = place.query;
  ui.pinned.reset();
  ui.search.open = ui.mean_of_queries = false;
  ui.strongest_awaited = place;
}

void frame_awaited(AttentionUi& ui, const AttentionData& data) {
  if (!ui.strongest_awaited) return;
  const AttentionSideData& side = data.sides[0];
  const HeadQuery place = *ui.strongest_awaited, now{ui.head, ui.query};
  if (place == now && (!side.slice || wanted_slice(ui, data, 0) != side.slice_of)) return;
  ui.strongest_awaited.reset();
  if (place != now || ui.pinned || side.slice->top.empty()) return;
  const Triple& strongest = side.slice->top.front();
  frame_pair(ui, data, place.head, place.query, {strongest.j, strongest.k});
}

void frame_peak(AttentionUi& ui, const AttentionData& data, const MeanPeak& peak, std::int64_t query) {
  frame_pair(ui, data, peak.head, query, {query - peak.back1, query - peak.back2}, FramedKeeps::distances);
}

void frame_peak(AttentionUi& ui, const AttentionData& data, const MeanMaps& maps, const MeanPeak& peak) {
  const std::vector<std::int64_t>& queries = maps.queries.at(static_cast<std::size_t>(peak.head));
  const std::int64_t farthest = std::max(peak.back1, peak.back2);
  std::int64_t query = ui.query;
  if (query < farthest) {
    const auto sees = std::ranges::lower_bound(queries, farthest);
    if (sees == queries.end()) return;
    query = *sees;
  }
  frame_peak(ui, data, peak, query);
}

bool is_framed(const AttentionUi& ui, const MeanPeak& peak) {
  if (ui.head != peak.head || !ui.pinned) return false;
  const auto back =
      ui.pinned_back ? ui.pinned_back->back : std::array{ui.query - ui.pinned->j, ui.query - ui.pinned->k};
  return back == std::array{peak.back1, peak.back2};
}

std::ptrdiff_t shown_hit(const AttentionUi& ui, const TripleSearchData& search) {
  const auto found = std::ranges::find_if(search.found, [&](const FoundTriple& hit) {
    return hit.head == ui.head && hit.query == ui.query && ui.pinned == AttentionCell{hit.triple.j, hit.triple.k};
  });
  return found == search.found.end() ? -1 : found - search.found.begin();
}

std::string apart_text(std::int64_t j, std::int64_t k) {
  if (j == k) return "Both keys are one token";
  return fmt::format("Keys {} apart", counted(std::abs(j - k), "token"));
}

TextTable hits_text(const TripleSearchData& search, const SourceReply& source) {
  TextTable table;
  const bool words = !source.labels.empty(), one_key = search.of && has_one_key(search.of->query.problem);
  for (const std::string_view name : {"head", "query", "j", "k", "apart", "logit", "p"}) {
    if (!one_key || (name != "k" && name != "apart")) table.add_column(std::string(name), true);
  }
  for (const char* name : {"token_query", "token_j", "token_k"}) {
    if (words && !(one_key && name == std::string_view("token_k"))) table.add_column(name, false);
  }
  for (const FoundTriple& hit : search.found) {
    std::vector<std::string>& line = table.rows.emplace_back();
    std::vector<std::int64_t> numbers{hit.head, hit.query, hit.triple.j};
    if (!one_key) numbers.insert(numbers.end(), {hit.triple.k, std::abs(hit.triple.j - hit.triple.k)});
    for (const std::int64_t number : numbers) line.push_back(fmt::format("{}", number));
    line.push_back(fmt::format("{:.10g}", hit.triple.logit));
    line.push_back(fmt::format("{:.10g}", hit.triple.p));
    std::vector<std::int64_t> positions{hit.query, hit.triple.j};
    if (!one_key) positions.push_back(hit.triple.k);
    for (const std::int64_t position : positions) {
      if (words) line.push_back(source.labels.at(static_cast<std::size_t>(position)));
    }
  }
  return table;
}

}  // namespace triscope
