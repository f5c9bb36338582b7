// Figures of every query and small pictures of every head: the logits pass by and only sums stay.
#include <cmath>
#include <limits>

#include "kernels/base/stopwatch.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "kernels/inspect/cpu/slice_stream.hpp"
#include "kernels/inspect/slice_figures.hpp"

namespace triscope {
namespace {

using cpu::SliceFolded;
using cpu::SliceInstructions;
using cpu::SliceKeys;

double multiplications(const Problem& problem, std::int64_t columns) {
  return static_cast<double>(problem.window1 * problem.window2) * static_cast<double>(problem.head_dim) *
         static_cast<double>(problem.q_heads) * static_cast<double>(columns);
}

/// One head's picture of a sheet.
struct Tile {
  SliceRange frame1, frame2;
  std::int64_t width = 0, height = 0;
  float* cells = nullptr;  // [height][width]

  void pool(std::int64_t k, const double* row, SliceRange range1) const {
    const std::int64_t y = (k - frame2.first) * height / frame2.count;
    for (std::int64_t j = 0; j < range1.count; ++j) {
      float& cell = cells[y * width + (range1.first + j - frame1.first) * width / frame1.count];
      if (const float value = kept(row[j]); std::isfinite(value) && value > cell) cell = value;
    }
  }
};

}  // namespace

Overview make_overview(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t step) {
  const Stopwatch watch;
  const SliceQuery query = checked_overview(tensors, asked, step);
  Overview overview = empty_overview(tensors, step);
  const SliceInstructions& instructions = cpu::slice_instructions();
#pragma omp parallel if (multiplications(query.problem, overview.columns) > cpu::kWorthThreads)
  {
    std::vector<double> scratch;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t item = 0; item < overview.columns * tensors.kv_heads; ++item) {
      SliceQuery own = query;
      const std::int64_t column = item / tensors.kv_heads, kv_head = item % tensors.kv_heads;
      own.query = column * step;
      const SliceKeys keys(tensors, own, kv_head);
      for (std::int64_t head = kv_head * tensors.group(); head < (kv_head + 1) * tensors.group(); ++head) {
        const SliceFolded folded(tensors, own, head);
        const auto nothing = [](std::int64_t, const double*, double) {};
        const SliceSums sums = cpu::stream(instructions, keys, folded, own.query, scratch, nothing);
        set_cell(overview, head, column, sums.result(sink_of(tensors, head)));
      }
    }
  }
  overview.elapsed_ns = watch.elapsed_ns();
  return overview;
}

HeadSheet make_sheet(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t width,
                     std::int64_t height) {
  const Stopwatch watch;
  const SliceQuery query = checked_slice(tensors, asked);
  HeadSheet sheet = empty_sheet(tensors, query, width, height);
  const std::int64_t cells = sheet.width * sheet.height;
  const SliceInstructions& instructions = cpu::slice_instructions();
#pragma omp parallel
  {
    std::vector<double> scratch;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t head = 0; head < sheet.heads; ++head) {
      SliceQuery own = query;
      own.head = head;
      const SliceKeys keys(tensors, own, head / tensors.group());
      const SliceFolded folded(tensors, own, head);
      const Tile tile{slice_frame(own.problem, 1, own.query), slice_frame(own.problem, 2, own.query), sheet.width,
                      sheet.height, sheet.log_p.data() + head * cells};
      const auto pool = [&](std::int64_t k, const double* row, double) {
        tile.pool(folded.range.first + k, row, keys.range);
      };
      const double lse =
          cpu::stream(instructions, keys, folded, own.query, scratch, pool).result(sink_of(tensors, head)).lse;
      for (std::int64_t cell = 0; cell < cells; ++cell) tile.cells[cell] = kept(tile.cells[cell] - lse);
    }
  }
  sheet.elapsed_ns = watch.elapsed_ns();
  return sheet;
}

}  // namespace triscope
