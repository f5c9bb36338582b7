// What stands beside the maps and figures of attention in words: units, what no preference would give, where a key is,
// and what a picture is of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "views/data/attention_state.hpp"

namespace triscope {

class AttentionModel;

/// "2nd", "11th", "23rd".
std::string ordinal(std::int64_t number);
/// "queries 1,032 to 2,040, every 12th": the same words wherever figures of several queries stand.
std::string query_range_text(std::int64_t first, std::int64_t last, std::int64_t step);
/// Those of the overview that count.
std::string query_range_text(const Overview& overview, const Problem& problem, std::int64_t tokens);
/// "54.6 tokens", "3.21 nats": a figure of an overview with its unit.
std::string figure_text(OverviewFigure figure, double value);
/// "Mean tokens back, weighted by p. Even weights give 191.3, the mean over queries 256 to 511.": what the figure is,
/// and what it would be of a query that prefers no pair, over the queries of the overview that count.
std::string figure_meaning(OverviewFigure figure, const Overview& overview, const Problem& problem,
                           std::int64_t tokens);
/// "brown 1,005 (7 back)": a key of a query.
std::string key_text(const SourceReply& source, std::int64_t position, std::int64_t query);
/// "j = brown 1,005 (7 back), k = jumps 1,011 (1 back)"; without k where there is one key.
std::string keys_text(const SliceRequest& request, const SourceReply& source, const AttentionCell& cell);
/// "p(j, k)"; "p(j)" where there is one key.
std::string p_text(const SliceRequest& request);
/// "1,024 tokens, 8 heads of q, 1 of k, head size 64, v1 and v2": what was opened.
std::string shape_text(const SourceReply& source);
/// "j 3 back: before the first token, so query 2 has no such pair": of a pair that does not exist.
std::string missing_pair_text(const AttentionCell& cell, std::int64_t query);
/// "q.npy with k1, k2, v1, v2": a file and what else was read for it; of another source its title.
std::string source_line(const AttentionSource& source, const SourceReply* reply);
/// "layer7.npz, window 512 × 32, trilinear": what stands below a picture of a slice.
std::string picture_caption(const SliceRequest& slice, const SourceReply& source);
/// What the file of a side does not say, and every p depends on: that its windows are a preset, or were typed; empty:
/// neither.
std::string windows_origin_sentence(const AttentionUi& ui, std::size_t side = 0);
/// "attention_layer7_head2_query307": a picture's name without its ending.
std::string picture_name(const AttentionUi& ui);
/// "attention_layer7_head2_mean": of a picture of the mean over queries.
std::string mean_picture_name(const AttentionUi& ui);
/// "A: induction, bf16 kernel, query 307, head 2": over a map; `which` as of `AttentionModel::map`.
std::string map_title(const AttentionUi& ui, const std::array<AttentionSideData, 2>& sides, int which);
/// "brown 1,005 with jumps 1,011: p = 0.138, logit 4.62".
std::string pair_text(AttentionModel& model, const AttentionUi& ui, const AttentionData& data,
                      const AttentionCell& cell);
/// "Framed by distance, at query 511: ", or "Framed by position: ", and the pair that is framed; "Framed, but outside
/// this map: " of another query's.
std::string framed_text(AttentionModel& model, const AttentionUi& ui, const AttentionData& data);

/// What stands below a picture of what the panel shows, line by line: of what it is.
struct MapCaption {
  std::vector<std::string> lines;
  std::string framed;  ///< the pair that is framed; empty: none
};
MapCaption map_caption(AttentionModel& model, const AttentionUi& ui, const AttentionData& data);
/// The same with the title as one text, which stands beside a picture; empty while it shows nothing.
std::string map_caption_text(AttentionModel& model, const AttentionUi& ui, const AttentionData& data);

/// How far back a search by distance begins: where the pinned pair is, or else the strongest one of the shown slice.
std::array<std::int64_t, 2> shown_distances(const AttentionUi& ui, const AttentionSideData& side);

}  // namespace triscope
