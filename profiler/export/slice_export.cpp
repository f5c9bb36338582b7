#include "profiler/export/slice_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "profiler/export/pixel_text.hpp"
#include "profiler/export/text_table.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kSmallestPicture = 512;
constexpr double kDecades = 6;  // a logarithmic picture shows this many below the largest p

/// p of the slice minus p of `options.minus`.
Heatmap difference(const Slice& slice, const SliceExport& options) {
  return difference_of(heatmap_of(slice), heatmap_of(*options.minus));
}

void write_picture(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  const SlicePicture picture = slice_picture(file, slice, options);
  AtomicFile out(file);
  out.write(std::as_bytes(std::span(picture.png)));
  out.commit();
}

/// Seven digits: what a slice, kept in fp32, holds.
void write_csv(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  if (options.minus) {
    throw Error(fmt::format("'{}' cannot be written", file.string()), "a table holds logits, and a difference has none",
                "choose a file name that ends in .png or .npy, or show one map", ExitCode::usage);
  }
  AtomicFile out(file);
  std::string text = options.labels.empty() ? "j,k,logit,p\n" : "j,k,logit,p,token_j,token_k\n";
  for (std::int64_t k = 0; k < slice.count2; ++k) {
    for (std::int64_t j = 0; j < slice.count1; ++j) {
      const double log_p = slice.log_p[static_cast<std::size_t>(k * slice.count1 + j)];
      const auto p1 = static_cast<std::size_t>(slice.first1 + j), p2 = static_cast<std::size_t>(slice.first2 + k);
      text += fmt::format("{},{},{:.7g},{:.7g}", p1, p2, log_p + slice.lse, std::exp(log_p));
      if (!options.labels.empty())
        text += fmt::format(",{},{}", escape_text(options.labels[p1], TableFormat::csv),
                            escape_text(options.labels[p2], TableFormat::csv));
      text += '\n';
    }
    out.write(std::as_bytes(std::span(text)));
    text.clear();
  }
  out.commit();
}

void write_array(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  if (options.minus) {
    const Heatmap map = difference(slice, options);
    return write_npy(file, {"difference", {map.height, map.width}, map.cells});
  }
  HostTensor tensor{"slice", {slice.count2, slice.count1}, slice.log_p};
  for (float& x : tensor.values)
    x = static_cast<float>(options.logits ? x + slice.lse : std::exp(static_cast<double>(x)));
  write_npy(file, tensor);
}

/// The cells of a slice, and what they are.
struct CellPicture {
  RgbImage image;
  HeatmapStyle style;                   // with its range
  std::int64_t first1 = 0, first2 = 0;  // positions of the first cells; below 0 what lies before the sequence
  std::int64_t count1 = 0, count2 = 0;
};

CellPicture cells_of(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  Heatmap map = options.minus ? difference(slice, options) : heatmap_of(slice);
  const auto masked1 = static_cast<double>(std::max<std::int64_t>(0, options.frame1 - map.width)),
             masked2 = static_cast<double>(std::max<std::int64_t>(0, options.frame2 - map.height));
  HeatmapPart part = options.part.value_or(
      HeatmapPart{0, 0, masked1 + static_cast<double>(map.width), masked2 + static_cast<double>(map.height)});
  part = {std::floor(part.left), std::floor(part.top), std::ceil(part.right), std::ceil(part.bottom)};
  const auto cells1 = static_cast<std::int64_t>(part.right - part.left),
             cells2 = static_cast<std::int64_t>(part.bottom - part.top);
  if (cells1 > kMostSliceCells / cells2) {
    throw Error(fmt::format("'{}' cannot be written", file.string()),
                fmt::format("a picture of {} x {} cells is too large", cells1, cells2),
                "choose smaller windows, or a file name that ends in .csv or .npy", ExitCode::usage);
  }
  const std::int64_t zoom = std::max<std::int64_t>(1, kSmallestPicture / std::max(cells1, cells2));
  const int width = static_cast<int>(cells1 * zoom), height = static_cast<int>(cells2 * zoom);
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const HeatmapPyramid pyramid(std::move(map), options.minus ? Pooling::farthest : Pooling::largest);
  const HeatmapStyle style = options.range_given ? options.style : picture_style(options.style, slice.largest_p);
  paint_heatmap(pyramid, {part.left - masked1, part.top - masked2, part.right - masked1, part.bottom - masked2}, style,
                width, height, pixels.data(), width);
  CellPicture picture{RgbImage(width, height, {}),
                      style,
                      slice.first1 + static_cast<std::int64_t>(part.left - masked1),
                      slice.first2 + static_cast<std::int64_t>(part.top - masked2),
                      cells1,
                      cells2};
  std::size_t byte = 0;
  for (const std::uint32_t pixel : pixels) {
    for (const int shift : {0, 8, 16}) picture.image.rgb[byte++] = static_cast<std::uint8_t>(pixel >> shift & 255);
  }
  return picture;
}

constexpr Rgb kPaper{0xff, 0xff, 0xff}, kInk{0x20, 0x24, 0x2a};
constexpr int kGap = 8, kBar = 16;  // pixels between parts of the frame; width of the scale of colours

/// "1234"; empty for what lies before the sequence.
std::string position_text(std::int64_t position) { return position < 0 ? std::string() : std::to_string(position); }

/// p, or the difference, at an end of the colours.
std::string end_text(const HeatmapStyle& style, double end) {
  return fmt::format("{:.2g}", style.scale == HeatmapStyle::Scale::plain ? end : std::exp(end));
}

/// The colours from the strongest above to the weakest, with both ends.
void draw_scale(RgbImage& image, const HeatmapStyle& style, int x, int y, int height) {
  for (int row = 0; row < height; ++row) {
    const float t = 1 - static_cast<float>(row) / static_cast<float>(std::max(1, height - 1));
    for (int column = 0; column < kBar; ++column) image.dot(x + column, y + row, colour_at(style.map, t));
  }
  const int text = x + kBar + kGap / 2;
  draw_text(image, text, y, end_text(style, style.high), kInk);
  draw_text(image, text, y + height - kTextHeight, end_text(style, style.low), kInk);
  const char* name = style.scale == HeatmapStyle::Scale::plain ? "a-b" : "p";
  draw_text(image, text, y + (height - kTextHeight) / 2, name, kInk);
}

RgbImage framed(const CellPicture& cells, const std::string& title) {
  const RgbImage& inner = cells.image;
  const std::string first_j = position_text(cells.first1), last_j = position_text(cells.first1 + cells.count1 - 1),
                    first_k = position_text(cells.first2), last_k = position_text(cells.first2 + cells.count2 - 1);
  // Room for the longest of any query, so that all pictures of a film have one size.
  const int positions = 7 * kTextAdvance, left = positions + 2 * kGap, top = kTextHeight + 2 * kGap;
  const int right = kGap + kBar + kGap / 2 + 7 * kTextAdvance + kGap;
  RgbImage image(left + inner.width + right, top + std::max(inner.height, 4 * kTextHeight) + 3 * kGap + kTextHeight,
                 kPaper);
  for (int y = 0; y < inner.height; ++y) {
    for (int x = 0; x < inner.width; ++x) image.dot(left + x, top + y, inner.at(x, y));
  }
  draw_text(image, kGap, kGap, title, kInk);
  const auto before = [&](const std::string& text, int y) {
    draw_text(image, left - kGap - text_width(text), y, text, kInk);
  };
  before(first_k, top);
  before("k", top + (inner.height - kTextHeight) / 2);
  before(last_k, top + std::max(inner.height, 4 * kTextHeight) - kTextHeight);
  const int below = top + std::max(inner.height, 4 * kTextHeight) + kGap;
  draw_text(image, left, below, first_j, kInk);
  const int ends = text_width(first_j) + text_width(last_j) + kTextAdvance;
  if (ends <= inner.width) draw_text(image, left + inner.width - text_width(last_j), below, last_j, kInk);
  if (ends + 2 * kTextAdvance <= inner.width) draw_text(image, left + inner.width / 2, below, "j", kInk);
  draw_scale(image, cells.style, left + inner.width + kGap, top, std::max(inner.height, 4 * kTextHeight));
  return image;
}

}  // namespace

FileKind slice_format(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".png") return FileKind::picture;
  if (ending == ".csv") return FileKind::csv;
  if (ending == ".npy") return FileKind::array;
  throw Error(fmt::format("'{}' cannot be written", file.string()), "its ending is not that of a known format",
              "choose a file name that ends in .png, .csv or .npy", ExitCode::usage);
}

HeatmapStyle picture_style(HeatmapStyle style, double largest_p) {
  style.high = std::log(std::max(largest_p, 1e-300));  // a large sink leaves no p that a double holds
  style.low = style.high - kDecades * std::log(10.0);
  if (style.scale == HeatmapStyle::Scale::probability) style.low = -1e9;  // p = 0
  return style;
}

SlicePicture slice_picture(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  const CellPicture cells = cells_of(file, slice, options);
  return {cells.image.width, cells.image.height,
          encode_png(cells.image.width, cells.image.height, cells.image.rgb.data())};
}

SlicePicture framed_picture(const std::filesystem::path& file, const Slice& slice, const SliceExport& options,
                            const std::string& title) {
  const RgbImage image = framed(cells_of(file, slice, options), title);
  return {image.width, image.height, encode_png(image.width, image.height, image.rgb.data())};
}

void write_slice(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  const FileKind kind = slice_format(file);
  if (kind == FileKind::picture) return write_picture(file, slice, options);
  if (kind == FileKind::csv) return write_csv(file, slice, options);
  write_array(file, slice, options);
}

}  // namespace triscope
