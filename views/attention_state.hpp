// What the user has set in the attention panel, and what was computed for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "profiler/heatmap.hpp"
#include "profiler/inspect_jobs.hpp"

namespace triscope {

/// One of the two things that are compared.
struct AttentionSide {
  AttentionSource source;
  Form form = Form::trilinear;  ///< or dot_product
  Arithmetic arithmetic = Arithmetic::exact;
  std::int64_t other_head = -1;  ///< side B only: this head instead of the common one; -1 = the same
};

enum class AttentionShow { one, side_by_side, difference };
enum class OverviewFigure { entropy, largest_p, sink_p, distance1, distance2 };

/// A cell of the map by its keys' positions.
struct AttentionCell {
  std::int64_t j = 0, k = 0;
  bool operator==(const AttentionCell&) const = default;
};

/// The dialog that chooses tensors.
struct SourceDraft {
  bool open = false;
  bool submitted = false;  ///< a file is being opened
  int side = 0;
  AttentionSource source;
  std::string numbers, c;  ///< as typed
  std::string problem;     ///< of what was typed
};

struct AttentionUi {
  bool open = false;  ///< the window shows the attention panel rather than the measurements
  std::array<AttentionSide, 2> sides{AttentionSide{}, AttentionSide{.arithmetic = Arithmetic::bf16_kernel}};
  AttentionShow show = AttentionShow::one;
  bool flipped = false;  ///< in this frame, B stands where A is
  std::int64_t batch = 0, head = 0, query = 1000;
  Mask mask = Mask::causal;
  std::int64_t window1 = 512, window2 = 32;
  std::optional<double> scale;
  double k2_bias = 0, v2_bias = 0;
  bool playing = false;
  std::string device = "cpu";  ///< where slices are made: "cpu", or a GPU's index
  bool device_chosen = false;  ///< by the user; else the first GPU, if there is one
  std::string kernel;          ///< whose own output row is compared with the exact one; empty: none

  HeatmapStyle::Scale colour_scale = HeatmapStyle::Scale::logarithmic;
  ColourMap map = ColourMap::viridis;
  bool mean_pooling = false;                    ///< rather than the largest
  bool absolute_axes = false;                   ///< positions rather than tokens before the query
  std::optional<double> range_low, range_high;  ///< log p; unset: from the slice
  std::optional<HeatmapPart> part;              ///< zoomed in; unset: the whole window
  std::optional<AttentionCell> pinned;
  std::optional<AttentionCell> hovered,
      hovered_now;  ///< under the pointer in the last frame; being collected in this one
  OverviewFigure figure = OverviewFigure::entropy;
  SourceDraft draft;
  std::int64_t openings = 0;  ///< of sources, so far
};

/// What the worker answered for one side; the last good answer stays until the next arrives.
struct AttentionSideData {
  std::optional<AttentionSource> asked;
  std::shared_ptr<const SourceReply> source;  ///< of `asked`; null while it is opened
  std::shared_ptr<const Slice> slice;
  SliceRequest slice_of;     ///< what `slice` or `problem` answers
  std::string slice_device;  ///< where; "cpu", or a GPU's index
  std::optional<SliceRequest> pending;
  std::string problem;  ///< why there is no source or slice
};

struct AttentionData {
  std::array<AttentionSideData, 2> sides;
  std::shared_ptr<const Overview> overview;
  OverviewRequest overview_of;  ///< what `overview` or `overview_problem` answers
  std::string overview_device, overview_problem;
  std::optional<OverviewRequest> overview_pending;
  std::shared_ptr<const HeadSheet> sheet;
  SheetRequest sheet_of;  ///< what `sheet` or `sheet_problem` answers
  std::string sheet_device, sheet_problem;
  std::optional<SheetRequest> sheet_pending;
  std::shared_ptr<const KernelRow> kernel_row;
  KernelRowRequest kernel_row_of;
  std::optional<KernelRowRequest> kernel_row_pending;
  std::string kernel_problem;  ///< why `kernel_row_of` has no row
};

}  // namespace triscope
