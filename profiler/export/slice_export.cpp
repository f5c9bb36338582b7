#include "profiler/export/slice_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "kernels/tensors/tensor_file.hpp"
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
  paint_heatmap(pyramid, {part.left - masked1, part.top - masked2, part.right - masked1, part.bottom - masked2},
                options.range_given ? options.style : picture_style(options.style, slice.largest_p), width, height,
                pixels.data(), width);
  std::vector<std::uint8_t> rgb;
  rgb.reserve(pixels.size() * 3);
  for (std::uint32_t pixel : pixels) {
    for (int shift : {0, 8, 16}) rgb.push_back(static_cast<std::uint8_t>(pixel >> shift & 255));
  }
  return {width, height, encode_png(width, height, rgb.data())};
}

void write_slice(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  const FileKind kind = slice_format(file);
  if (kind == FileKind::picture) return write_picture(file, slice, options);
  if (kind == FileKind::csv) return write_csv(file, slice, options);
  write_array(file, slice, options);
}

}  // namespace triscope
