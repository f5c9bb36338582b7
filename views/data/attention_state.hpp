// What the user has set in the attention panel, and what was computed for it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/inspect/triple_search.hpp"
#include "profiler/export/head_means.hpp"
#include "profiler/export/heatmap.hpp"
#include "profiler/protocol/inspect_jobs.hpp"

namespace triscope {

struct MeanMaps;  // kernels/inspect/mean_maps.hpp

/// One of the two things that are compared.
struct AttentionSide {
  AttentionSource source;
  Form form = Form::trilinear;  ///< or dot_product
  Arithmetic arithmetic = Arithmetic::exact;
  std::int64_t other_head = -1;  ///< side B only: this head instead of the common one; -1 = the same
};

enum class AttentionShow { one, side_by_side, difference, grid };
enum class AttentionColumn { tensors, map, figures };

/// A cell of the map by its keys' positions.
struct AttentionCell {
  std::int64_t j = 0, k = 0;
  bool operator==(const AttentionCell&) const = default;
};
/// Both keys are tokens: a window may reach before the first one.
inline bool exists(const AttentionCell& cell) { return cell.j >= 0 && cell.k >= 0; }

/// What a framed pair keeps when another query is shown. `as_framed`: its distances where it was framed in the mean,
/// else its positions.
enum class FramedKeeps { as_framed, positions, distances };

/// A pair that keeps its distances: it goes with the query.
struct FramedDistances {
  std::array<std::int64_t, 2> back{};
  std::int64_t query = 0;  ///< from which they are counted now
  AttentionCell cell() const { return {query - back[0], query - back[1]}; }
};
/// Windows that were shown before wider ones.
struct FormerWindows {
  std::int64_t window1 = 0, window2 = 0;
  bool operator==(const FormerWindows&) const = default;
};
/// A head at a query.
struct HeadQuery {
  std::int64_t head = 0, query = 0;
  bool operator==(const HeadQuery&) const = default;
};

/// The dialog that chooses tensors.
struct SourceDraft {
  bool open = false;
  bool submitted = false;  ///< `source`, a file, is being tried
  int side = 0;
  AttentionSource source;
  std::string numbers, c;  ///< as typed
  std::string problem;     ///< of what was typed
};

/// What the search over all queries and heads is set to.
enum class TripleSearchBy { largest, token, distances };
struct TripleSearchUi {
  bool open = false;  ///< the column of figures shows it
  TripleSearchBy by = TripleSearchBy::largest;
  std::int64_t token = 0;                  ///< for `token`
  std::array<std::int64_t, 2> back{1, 1};  ///< for `distances`
  std::int64_t apart = 0, away = 0;        ///< of keys at least, but for `distances`: from each other, from the query
  bool all_queries = false;                ///< also those that do not count
  bool back_proposed = false;              ///< `back` is that of the pair that was shown, not typed
};

/// Rows and columns of the grid, as typed; empty: chosen for the tensors.
struct AttentionGridUi {
  std::string queries, heads;
};

struct AttentionUi {
  std::array<AttentionSide, 2> sides{AttentionSide{}, AttentionSide{.arithmetic = Arithmetic::bf16_kernel}};
  AttentionShow show = AttentionShow::one;
  bool flipped = false;  ///< in this frame, B stands where A is
  std::int64_t batch = 0, head = 0, query = 1000;
  Mask mask = Mask::causal;
  std::int64_t window1 = 512, window2 = 32;
  std::optional<double> scale;
  double k2_bias = 0, v2_bias = 0;
  bool playing = false;
  std::int64_t held_step = 0;  ///< queries to walk on by, while an arrow key is held
  std::string device = "cpu";  ///< where slices are made: "cpu", or a GPU's index
  bool device_chosen = false;  ///< by the user; else the first GPU, if there is one
  std::string kernel;          ///< whose own output row is compared with the exact one; empty: none

  HeatmapStyle::Scale colour_scale = HeatmapStyle::Scale::logarithmic;
  ColourMap map = ColourMap::viridis;
  bool mean_pooling = false;                      ///< rather than the largest
  bool mean_of_queries = false;                   ///< the column of figures shows the mean over queries, by distance
  bool absolute_axes = false;                     ///< positions rather than tokens before the query
  bool windows_typed = false;                     ///< else they are a preset
  bool check_wider = false;                       ///< means at wider windows are made as well
  std::optional<FormerWindows> before_wider;      ///< while wider windows are shown that nobody typed
  bool print_mean = false;                        ///< in this frame it stands in the middle, for a picture of it
  std::optional<double> range_low, range_high;    ///< log p; unset: from the slice
  std::optional<HeatmapPart> part;                ///< zoomed in; unset: the whole window
  AttentionColumn column = AttentionColumn::map;  ///< the one that a window too narrow for three shows
  std::optional<AttentionCell> pinned;
  std::optional<FramedDistances> pinned_back;         ///< `pinned` is this pair, and may lie before the first token
  FramedKeeps framed_keeps = FramedKeeps::as_framed;  ///< as the user chose, of every pair that is framed
  float strip_wheel = 0;                              ///< turned over it since the last whole query
  std::optional<std::int64_t> strip_held;             ///< the query when the strip of tokens was taken hold of
  std::optional<HeadQuery> strongest_awaited;         ///< once its slice is there, its strongest pair is framed
  std::optional<AttentionCell> hovered,
      hovered_now;  ///< under the pointer in the last frame; being collected in this one
  std::optional<std::array<float, 2>> resting_pointer;  ///< since a popup closed: it points at nothing until it moves
  OverviewFigure figure = OverviewFigure::entropy;
  std::optional<OverviewFigure> heads_sorted_by;  ///< by which the user sorted the heads; unset: by number
  std::vector<std::int64_t> head_order;           ///< as they were sorted then
  TripleSearchUi search;
  AttentionGridUi grid;
  SourceDraft draft;
  std::int64_t openings = 0;  ///< of sources, so far
};

/// A source as it was opened, or why it was not.
struct OpenedSource {
  std::optional<AttentionSource> asked;
  std::shared_ptr<const SourceReply> source;  ///< of `asked`; null while it is opened
  std::string problem;                        ///< why there is no source; on a side also: no slice
};

/// What the worker answered for one side; the last good answer stays until the next arrives.
struct AttentionSideData : OpenedSource {
  std::shared_ptr<const Slice> slice;
  SliceRequest slice_of;     ///< what `slice` or `problem` answers
  std::string slice_device;  ///< where; "cpu", or a GPU's index
  std::optional<SliceRequest> pending;
};

/// What takes longer than a slice: the last answer stays until the next arrives.
template <typename Request, typename Answer>
struct Survey {
  std::shared_ptr<const Answer> answer;
  Request of;                   ///< what `answer` or `problem` answers
  std::string device, problem;  ///< where; why there is no answer
  std::optional<Request> pending;
};

/// Means over queries, a slice of each: they may take long, say how far they are and can be stopped.
struct MeansSurvey : Survey<OverviewRequest, MeanMaps> {
  std::int64_t done = 0, total = 0;    ///< slices of what is pending; no total: that is not known yet
  std::optional<double> seconds_left;  ///< likewise
  bool stopped = false;                ///< what `of` asks for, which has no answer
};

struct TripleSearchRequest {
  AttentionSource source;
  SliceQuery query;  ///< head and query are 0: all are searched
  TripleSearch search;
  bool operator==(const TripleSearchRequest&) const = default;
};
struct TripleSearchData {
  std::optional<TripleSearchRequest> of;  ///< what was asked last
  std::vector<FoundTriple> found;         ///< the strongest so far
  std::int64_t done = 0, total = 0;       ///< slices; no total: not known yet
  bool running = false, stopped = false;
  std::string problem;  ///< why there is no answer
};

/// The film that is made, or was made last.
struct FilmState {
  bool running = false;
  std::int64_t pictures = 0, written = 0;  ///< asked for, and there
  std::int64_t done = 0, total = 0;        ///< slices; no total: none yet
  std::optional<double> seconds_left;
};

/// Slices of some heads at some queries.
struct AttentionGridRequest {
  AttentionSource source;
  SliceQuery query;                          ///< head and query are 0: those below are meant
  std::vector<std::int64_t> queries, heads;  ///< rows and columns
  bool operator==(const AttentionGridRequest&) const = default;
};
struct AttentionGridData {
  std::optional<AttentionGridRequest> of;  ///< what `cells` answer, as far as they are there
  std::map<std::pair<std::int64_t, std::int64_t>, std::shared_ptr<const Slice>> cells;  ///< by query and head
  std::string problem;                                                                  ///< why there are no more
  bool pending = false;
};

struct AttentionData {
  std::array<AttentionSideData, 2> sides;
  OpenedSource draft;  ///< what the dialog tries before it is chosen: a bad file takes nothing from the screen
  Survey<OverviewRequest, Overview> overview;
  Survey<SheetRequest, HeadSheet> sheet;
  MeansSurvey means;  ///< of all heads
  MeansSurvey wider;  ///< the same at wider windows
  Survey<KernelRowRequest, KernelRow> kernel_row;
  TripleSearchData search;
  FilmState film;
  AttentionGridData grid;
};

}  // namespace triscope
