// What stands beside the mean over queries in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/inspect/mean_maps.hpp"
#include "kernels/inspect/peak_doubt.hpp"
#include "profiler/export/heatmap.hpp"
#include "profiler/export/text_table.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// The means of what is shown; null until they are there.
const MeanMaps* shown_means(const AttentionUi& ui, const AttentionData& data);
/// They are not, and will be.
bool awaits_means(const AttentionUi& ui, const AttentionData& data);
/// "mean over queries 256 to 511": every n-th where it is so.
std::string averaged_text(const MeanMaps& maps, std::int64_t head);
/// "j 301 back, k 13 back: p 0.0807 on average over the 211 queries that see it, 1,150 times even weights (0.000070)".
std::string mean_cell_text(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2);
std::string mean_cell_text(const MeanMaps& maps, const MeanPeak& peak);
/// "58, 13", from the query: "-58, -13"; of one key "-58".
std::string distances_text(const Problem& problem, std::int64_t back1, std::int64_t back2);
/// Peaks of a head that are told beside its largest: those of at least half of it, three in all; none where none of
/// them counts.
std::vector<MeanPeak> listed_peaks(const MeanMaps& maps, std::int64_t head);
/// What a listed peak but the first is beside it: "tied" or "also".
const char* peak_rank(const std::vector<MeanPeak>& listed, std::size_t n);
/// The mean of a head as a map of log p; masked where no query sees the pair.
Heatmap mean_heatmap(const MeanMaps& maps, std::int64_t head);
/// Its colours: those of log p, from the smallest p or six decades below the largest.
HeatmapStyle mean_style(const MeanMaps& maps, std::int64_t head, ColourMap map);
/// "Mean p(j, k) of head 2, queries 256 to 511": over a picture of it.
std::string mean_title(const MeanMaps& maps, std::int64_t head);
/// "j: first key, tokens from the query", of the key 1 or 2; of a dot product 1 is its only one, and 2 has no name.
std::string mean_axis_name(const MeanMaps& maps, int key);
/// What stands below one: of which tensors and windows it is.
std::string mean_caption(const AttentionUi& ui, const AttentionSideData& side);
/// "Mean over queries 256 to 511, every 12th."
std::string averaged_sentence(const MeanMaps& maps, std::int64_t head);
/// How the largest p of single queries lies beside the peaks of the mean: where it is for how many of them.
std::string strongest_sentence(const MeanMaps& maps, std::int64_t head);
/// The same from the strongest pair of one query, so far back.
std::string strongest_sentence(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2);
/// Where a click on one of these peaks frames it.
std::string framing_sentence(std::int64_t query, const std::vector<MeanPeak>& peaks);
/// "-301, -13: p is 0.039 at the shown query 511, and largest at query 307: 0.38.": of a peak that is framed.
std::string framed_sentence(const MeanPeak& peak, const AttentionSideData& side);
/// "Largest at query 307: p 0.379." with its line's end.
std::string best_query_text(const MeanPeak& peak);
/// On how many queries a peak rests, and why it counts or not, with its line's end.
std::string doubt_text(const MeanMaps& maps, const MeanPeak& peak);
/// "Heads 1 and 4 look at one pair of distances over many queries.": those of these peaks that count.
std::string looks_sentence(const MeanMaps& maps, const std::vector<MeanPeak>& peaks);
/// Which of these peaks are grey, and why; empty: all of them count.
std::string grey_sentence(const MeanMaps& maps, const std::vector<MeanPeak>& peaks);
/// How many tokens the two keys of a peak lie apart.
std::int64_t keys_apart(const MeanPeak& peak);
/// The peaks of each head, the largest first.
TextTable peaks_text(const MeanMaps& maps);
/// "1,150 x": how much more than even weights.
std::string lift_text(const MeanPeak& peak);

}  // namespace triscope
