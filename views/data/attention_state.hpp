// What the user has set in the attention panel, and what was computed for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "profiler/export/heatmap.hpp"
#include "profiler/protocol/inspect_jobs.hpp"

namespace triscope {

/// One of the two things that are compared.
struct AttentionSide {
  AttentionSource source;
  Form form = Form::trilinear;  ///< or dot_product
  Arithmetic arithmetic = Arithmetic::exact;
  std::int64_t other_head = -1;  ///< side B only: this head instead of the common one; -1 = the same
};

enum class AttentionShow { one, side_by_side, difference };
enum class AttentionColumn { tensors, map, figures };
enum class OverviewFigure { entropy, largest_p, sink_p, distance1, distance2 };

/// A cell of the map by its keys' positions.
struct AttentionCell {
  std::int64_t j = 0, k = 0;
  bool operator==(const AttentionCell&) const = default;
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
  bool absolute_axes = false;                     ///< positions rather than tokens before the query
  std::optional<double> range_low, range_high;    ///< log p; unset: from the slice
  std::optional<HeatmapPart> part;                ///< zoomed in; unset: the whole window
  AttentionColumn column = AttentionColumn::map;  ///< the one that a window too narrow for three shows
  std::optional<AttentionCell> pinned;
  std::optional<AttentionCell> hovered,
      hovered_now;  ///< under the pointer in the last frame; being collected in this one
  OverviewFigure figure = OverviewFigure::entropy;
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

struct AttentionData {
  std::array<AttentionSideData, 2> sides;
  OpenedSource draft;  ///< what the dialog tries before it is chosen: a bad file takes nothing from the screen
  Survey<OverviewRequest, Overview> overview;
  Survey<SheetRequest, HeadSheet> sheet;
  Survey<KernelRowRequest, KernelRow> kernel_row;
};

}  // namespace triscope
