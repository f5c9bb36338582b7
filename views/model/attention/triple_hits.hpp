// The search for triples over all queries and heads: what the panel asks for, and where a hit leads.
#pragma once

#include <optional>
#include <string>

#include "kernels/inspect/mean_maps.hpp"
#include "profiler/export/text_table.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// Triples that a search of the panel lists.
inline constexpr std::int64_t kListedTriples = 50;

/// As the panel is set; nullopt while no source is open.
std::optional<TripleSearchRequest> wanted_search(const AttentionUi& ui, const AttentionData& data);
/// What was searched for, as a sentence: "The largest p of all queries and heads".
std::string search_title(const TripleSearch& search, bool one_key = false);
/// "1,200 of 4,096 slices"; empty while their number is not known.
std::string progress_text(const TripleSearchData& search);
/// Frames a pair of a query's map. `usual`: what it keeps where the user chose nothing.
void frame_cell(AttentionUi& ui, std::int64_t query, const AttentionCell& cell,
                FramedKeeps usual = FramedKeeps::positions);
/// The user's choice: of the pair that is framed, and of every one after it. Positions are refused to a pair before the
/// first token, which has none.
void choose_framed_keeps(AttentionUi& ui, const AttentionData& data, FramedKeeps keeps);
/// Shows the slice of a hit, with its cell pinned; a zoom that leaves the cell out is given up.
void go_to(AttentionUi& ui, const AttentionData& data, const FoundTriple& hit);
/// Shows a head at a query with the figures of that query; `frame_awaited` frames its strongest pair.
void go_to_strongest(AttentionUi& ui, const HeadQuery& place);
/// Once the slice is there that `go_to_strongest` asked for; not where the user has gone elsewhere since.
void frame_awaited(AttentionUi& ui, const AttentionData& data);
/// Shows the head of a peak, and frames the peak's pair of distances in the map of the shown query; of the first query
/// that sees the pair where this one does not.
void frame_peak(AttentionUi& ui, const AttentionData& data, const MeanMaps& maps, const MeanPeak& peak);
/// The same at `query`.
void frame_peak(AttentionUi& ui, const AttentionData& data, const MeanPeak& peak, std::int64_t query);
/// The framed pair lies at the distances of the peak.
bool is_framed(const AttentionUi& ui, const MeanPeak& peak);
/// The hit whose slice and cell are shown; -1: none.
std::ptrdiff_t shown_hit(const AttentionUi& ui, const TripleSearchData& search);
/// "Keys 3 tokens apart": how far the two keys lie from each other.
std::string apart_text(std::int64_t j, std::int64_t k);
/// One row for each hit.
TextTable hits_text(const TripleSearchData& search, const SourceReply& source);

}  // namespace triscope
