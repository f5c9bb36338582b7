#include "profiler/slice_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/atomic_file.hpp"
#include "kernels/error.hpp"
#include "kernels/slice_rules.hpp"
#include "kernels/tensor_file.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kSmallestPicture = 512;
constexpr double kDecades = 6;  // a logarithmic picture shows this many below the largest p

std::string quoted(const std::string& label) {
  std::string text = "\"";
  for (char c : label) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

void write_picture(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  const std::int64_t frame1 = std::max(options.frame1, slice.count1), frame2 = std::max(options.frame2, slice.count2);
  if (frame1 > kMostSliceCells / frame2) {
    throw Error(fmt::format("'{}' cannot be written", file.string()),
                fmt::format("a picture of {} x {} cells is too large", frame1, frame2),
                "choose smaller windows, or end it with .csv or .npy", ExitCode::usage);
  }
  const HeatmapPyramid pyramid(heatmap_of(slice), Pooling::largest);
  const std::int64_t zoom = std::max<std::int64_t>(1, kSmallestPicture / std::max(frame1, frame2));
  const int width = static_cast<int>(frame1 * zoom), height = static_cast<int>(frame2 * zoom);
  HeatmapStyle style = options.style;
  style.high = std::log(slice.largest_p);
  style.low = style.high - kDecades * std::log(10.0);
  if (style.scale == HeatmapStyle::Scale::probability) style.low = -1e9;  // p = 0
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const HeatmapPart part{static_cast<double>(slice.count1 - frame1), static_cast<double>(slice.count2 - frame2),
                         static_cast<double>(slice.count1), static_cast<double>(slice.count2)};
  paint_heatmap(pyramid, part, style, width, height, pixels.data(), width);
  std::vector<std::uint8_t> rgb;
  rgb.reserve(pixels.size() * 3);
  for (std::uint32_t pixel : pixels) {
    for (int shift : {0, 8, 16}) rgb.push_back(static_cast<std::uint8_t>(pixel >> shift & 255));
  }
  const std::vector<std::uint8_t> png = encode_png(width, height, rgb.data());
  AtomicFile out(file);
  out.write(std::as_bytes(std::span(png)));
  out.commit();
}

/// Seven digits: what a slice, kept in fp32, holds.
void write_csv(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  AtomicFile out(file);
  std::string text = options.labels.empty() ? "j,k,logit,p\n" : "j,k,logit,p,token_j,token_k\n";
  for (std::int64_t k = 0; k < slice.count2; ++k) {
    for (std::int64_t j = 0; j < slice.count1; ++j) {
      const double log_p = slice.log_p[static_cast<std::size_t>(k * slice.count1 + j)];
      const auto p1 = static_cast<std::size_t>(slice.first1 + j), p2 = static_cast<std::size_t>(slice.first2 + k);
      text += fmt::format("{},{},{:.7g},{:.7g}", p1, p2, log_p + slice.lse, std::exp(log_p));
      if (!options.labels.empty())
        text += fmt::format(",{},{}", quoted(options.labels[p1]), quoted(options.labels[p2]));
      text += '\n';
    }
    out.write(std::as_bytes(std::span(text)));
    text.clear();
  }
  out.commit();
}

void write_array(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  HostTensor tensor{"slice", {slice.count2, slice.count1}, slice.log_p};
  for (float& x : tensor.values)
    x = static_cast<float>(options.logits ? x + slice.lse : std::exp(static_cast<double>(x)));
  write_npy(file, tensor);
}

}  // namespace

SliceFormat slice_format(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".png") return SliceFormat::png;
  if (ending == ".csv") return SliceFormat::csv;
  if (ending == ".npy") return SliceFormat::npy;
  throw Error(fmt::format("'{}' cannot be written", file.string()), "its ending names no format",
              "end it with .png, .csv or .npy", ExitCode::usage);
}

void write_slice(const std::filesystem::path& file, const Slice& slice, const SliceExport& options) {
  switch (slice_format(file)) {
    case SliceFormat::png:
      return write_picture(file, slice, options);
    case SliceFormat::csv:
      return write_csv(file, slice, options);
    case SliceFormat::npy:
      return write_array(file, slice, options);
  }
}

}  // namespace triscope
