// What the attention panel shows, worked out without Dear ImGui: requests, pyramids, ranges, figures, texts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/record/catalog.hpp"
#include "views/data/attention_state.hpp"
#include "views/data/pixel_texture.hpp"
#include "views/model/attention/attention_grid.hpp"

namespace triscope {

/// Keeps query, head, windows and cells inside what the open source has. A pair that was framed by its distances keeps
/// them from the query whose map is shown.
void keep_inside(AttentionUi& ui, const AttentionData& data);
/// Two maps are compared.
bool compares(const AttentionUi& ui);
/// Side A is set to dot-product attention: what is asked for next has one key.
bool asks_one_key(const AttentionUi& ui);
/// They are, or B stands in A's place in this frame.
bool uses_second(const AttentionUi& ui);
/// Gives side A another source or form. B follows where it was the same. A source is opened again wherever it is shown,
/// also when it is the one that was.
void choose_source(AttentionUi& ui, int side, AttentionSource source);
/// The same for a source that has been opened as it is.
void choose_opened(AttentionUi& ui, int side, const AttentionSource& source);
void choose_form(AttentionUi& ui, int side, Form form);

/// Side A is a file, whose windows nobody typed.
bool has_preset_windows(const AttentionUi& ui);

/// What the panel needs now, for side 0 or 1; nullopt while its source is not open.
std::optional<SliceRequest> wanted_slice(const AttentionUi& ui, const AttentionData& data, int side);
/// Coarse enough to take about a second, on two cores as on a GPU; nullopt also where a single query takes ten seconds.
std::optional<OverviewRequest> wanted_overview(const AttentionUi& ui, const AttentionData& data);
std::optional<SheetRequest> wanted_sheet(const AttentionUi& ui, const AttentionData& data);
/// Means over queries, as coarse as takes about a second; nothing before the overview is there, for a full mask and for
/// more cells than are averaged.
std::optional<OverviewRequest> wanted_means(const AttentionUi& ui, const AttentionData& data);
/// Between queries that are averaged, so that all heads at them take about a second.
std::int64_t averaging_step(const AttentionUi& ui, const Problem& problem, const SourceReply& source);
/// Nothing while queries go by: a kernel's row takes longer than a slice.
std::optional<KernelRowRequest> wanted_kernel_row(const AttentionUi& ui, const AttentionData& data);

/// Queries go by: play, or a held arrow key.
bool is_walking(const AttentionUi& ui);
/// While they do: goes on to the next query once the slices of this one are there. To be
/// called before these are drawn, so that the next ones are made meanwhile.
void walk_on(AttentionUi& ui, const AttentionData& data);

/// "CPU", "GPU 0".
std::string device_title(const std::string& device);
/// The first GPU of a machine, else "cpu".
std::string first_device(const Catalog& catalog);
/// Kernels whose rows of attention in this form can be compared on `device`.
std::vector<std::string> row_kernels(const Catalog& catalog, const std::string& device, Form form);

/// The frame of a slice's map: windows, or the keys of a full mask.
struct AttentionFrame {
  std::int64_t width = 1, height = 1;
  std::int64_t first1 = 0, first2 = 0;  ///< position of the first column and row; negative before token 0
};
AttentionFrame frame_of(const SliceRequest& request, const SourceReply& source);

/// Whether the maps of A and B, both there, can be compared cell by cell.
bool same_frames(const AttentionData& data);

/// Why a side shows nothing: its source or its slice was refused. Empty without a reason.
const std::string& refusal_of(const OpenedSource& side);

/// How two maps differ, by name.
struct AttentionError {
  double largest = 0;          ///< of |p_a - p_b|
  double total_variation = 0;  ///< half the sum of |p_a - p_b|
  double relative = 0;         ///< ||p_a - p_b|| / ||p_b||
};

/// A token of a Match3 source: what is true, and what the head says.
struct Match3Row {
  std::int64_t number = 0, matches = 0;
  double output = 0;
  bool told = false, right = true;
};
/// Empty until the overview of the source is there.
std::vector<Match3Row> match3_rows(const AttentionData& data);

/// Pyramids and figures of the shown slices, remade when a slice or setting changes; and the textures made of them.
class AttentionModel {
 public:
  /// 0 and 1: the sides; 2: their difference, the last one until A and B have both come to another query. Null when
  /// there is none. Covers the keys that are seen, at the end of the frame.
  const HeatmapPyramid* map(const AttentionUi& ui, const AttentionData& data, int which);
  /// The sides as the map shows them: a difference those that it was made of, else the latest.
  const std::array<AttentionSideData, 2>& shown(const AttentionUi& ui, const AttentionData& data);
  const AttentionError* error(const AttentionUi& ui, const AttentionData& data);
  /// Counts over [histogram_low, histogram_high] of log p on side A, or on B while that stands in A's place.
  const std::vector<std::int64_t>& histogram(const AttentionUi& ui, const AttentionData& data);
  double histogram_low = -14, histogram_high = 0;
  /// Colours of a map; those of the theme (hatch, NaN) are left to the caller. A logarithmic range that nobody set
  /// begins at the smallest p, at most six decades below the largest. Maps that are seen together have one range.
  HeatmapStyle style(const AttentionUi& ui, const AttentionData& data, int which);

  /// `match3_rows`, kept until the overview or the source is another one.
  const std::vector<Match3Row>& match3(const AttentionData& data);

  AttentionGrid grid;
  PixelTexture textures[6];    ///< side A, side B, overview, sheet, grid, mean over queries
  std::string painted[6];      ///< what each holds
  bool overview_gaps = false;  ///< some value of the overview that is painted is not a number

 private:
  struct Made {
    std::shared_ptr<const Slice> slice;
    bool mean = false;
    std::unique_ptr<HeatmapPyramid> pyramid;
  } made_[3];
  std::array<AttentionSideData, 2> pair_;  ///< what the difference was made of
  /// Smallest finite log p of a side.
  double smallest(const AttentionData& data, std::size_t side);

  std::shared_ptr<const Slice> binned_, compared_[2], measured_[2];
  double smallest_[2] = {};
  std::vector<std::int64_t> bins_;
  std::shared_ptr<const Overview> told_;
  std::optional<AttentionSource> told_of_;
  std::vector<Match3Row> rows_;
  AttentionError error_;
};

/// Where a range begins by itself, in log p. A logarithmic one at the smallest value, within six decades of the
/// largest, and a little below it when all are equal; a linear one as good as at p = 0.
double automatic_low(double smallest, double largest, HeatmapStyle::Scale scale = HeatmapStyle::Scale::logarithmic);
/// Colours that follow p from 0 on.
bool begins_at_zero(const HeatmapStyle& style);

/// `cell` as a slice has it: where there is one key, the pair of its j.
AttentionCell cell_in(const AttentionSideData& side, AttentionCell cell);

/// "brown 1,005" with labels, else "1,005".
std::string token_text(const SourceReply& source, std::int64_t position);
/// log p of a cell; nullopt outside the slice.
std::optional<double> log_p_at(const Slice& slice, AttentionCell cell);
/// The strongest triples of a side's slice as text.
TextTable triples_text(const AttentionSideData& side);
/// "-511" or "1,005", by the axes chosen.
std::string axis_text(const AttentionUi& ui, const SliceRequest& request, std::int64_t position);
std::string source_title(const AttentionSource& source);

}  // namespace triscope
