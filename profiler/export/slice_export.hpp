// A slice as a file: picture, table or array.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/files/output_file.hpp"
#include "kernels/inspect/slice.hpp"
#include "profiler/export/heatmap.hpp"

namespace triscope {

/// What a slice becomes by the file's ending: a picture, a CSV table or an array. Throws `Error` (usage) for another
/// one.
FileKind slice_format(const std::filesystem::path& file);

struct SliceExport {
  bool logits = false;                  ///< rather than p
  std::shared_ptr<const Slice> minus;   ///< PNG and npy: p of it is subtracted, the last keys over one another
  HeatmapStyle style;                   ///< PNG
  bool range_given = false;             ///< PNG: else `low` and `high` of the style are set from the slice
  std::int64_t frame1 = 0, frame2 = 0;  ///< PNG: windows, so that what the mask cuts off is hatched
  std::optional<HeatmapPart> part;      ///< PNG: of the frame, made up to whole cells; unset: all of it
  std::vector<std::string> labels;      ///< CSV: token of every position, or empty
};

/// `style` with the range of a picture whose largest p this is: six decades below it, or from 0 where colours follow p.
HeatmapStyle picture_style(HeatmapStyle style, double largest_p);

/// The picture that `write_slice` writes.
struct SlicePicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> png;
};
/// `file` is what a message names. Throws `Error` (usage) for more than `kMostSliceCells` cells.
SlicePicture slice_picture(const std::filesystem::path& file, const Slice& slice, const SliceExport& options);

/// The same with a frame that says what it shows: `title` above (small letters and digits, "query 7, head 1"), the axes
/// with the positions at their ends, and the scale of the colours.
SlicePicture framed_picture(const std::filesystem::path& file, const Slice& slice, const SliceExport& options,
                            const std::string& title);

/// PNG: k down, the query's own position last, j across; one cell is a square of whole pixels, the picture at least 512
/// pixels on its longer side. CSV: a line for every pair, j, k, logit, p[, tokens]. npy: float32 [keys 2][keys 1] of p
/// or logits. Throws `Error`: (usage) for a picture of more than `kMostSliceCells` cells and for the table of a
/// difference, (environment) when the file cannot be written.
void write_slice(const std::filesystem::path& file, const Slice& slice, const SliceExport& options);

}  // namespace triscope
