#include "kernels/cuda/hopper/tiles/portable_tiles.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A block of rows: the positions that it holds, and what its loops run over.
struct RowBlock {
  std::int64_t first, last;   ///< positions
  std::int64_t key, columns;  ///< of the long axis
  std::int64_t shifts;        ///< of the short axis
};
RowBlock row_block(const portable::Shape& shape, std::int64_t block, std::int64_t keys) {
  RowBlock rows{};
  rows.first = block * portable::kTileRows / shape.group;
  rows.last = (std::min((block + 1) * portable::kTileRows, shape.rows()) - 1) / shape.group;
  rows.key = std::max<std::int64_t>(0, rows.first - shape.long_window + 1);
  rows.columns = ceil_div(rows.last + 1 - rows.key, keys) * keys;
  rows.shifts = std::min<std::int64_t>(shape.short_window, rows.last + 1);
  return rows;
}

/// The shifts of tile `tile` of the rows that see the block of keys from `key` on, and how many tiles there are.
std::int64_t shifts_of(const portable::Shape& shape, std::int64_t key, std::int64_t tile) {
  const std::int64_t last_row = std::min(key * shape.group + (tile + 1) * kPortableKeyRows, shape.rows()) - 1;
  return std::min<std::int64_t>(last_row / shape.group + 1, shape.short_window);
}
std::int64_t row_tiles_of(const portable::Shape& shape, std::int64_t key) {
  const std::int64_t last_key = std::min<std::int64_t>(key + portable::kTileRows, shape.seq_len) - 1;
  const std::int64_t end = std::min<std::int64_t>(last_key + shape.long_window, shape.seq_len);
  return ceil_div((end - key) * shape.group, kPortableKeyRows);
}

QueryTiles empty_tiles(const Problem& problem) { return {.folds_axis1 = portable::roles_of(problem).axis1_is_short}; }

}  // namespace

double portable_row_triples(const Problem& problem, std::int64_t keys) {
  const portable::Shape shape = portable::make_shape(problem);
  double sum = 0;
  const auto add = [&](std::int64_t block, std::int64_t times) {
    const RowBlock rows = row_block(shape, block, keys);
    sum += static_cast<double>(times * rows.shifts * portable::kTileRows * rows.columns);
  };
  // Blocks that see whole windows and that no end of the rows cuts are alike, a period apart: then their rows begin at
  // the same head.
  const std::int64_t period = shape.group / std::gcd<std::int64_t>(shape.group, portable::kTileRows);
  const std::int64_t whole = shape.rows() / portable::kTileRows,
                     window = std::max(shape.long_window, shape.short_window);
  const std::int64_t inner = std::min(whole, ceil_div(window * shape.group, portable::kTileRows));
  for (std::int64_t block = 0; block < inner; ++block) add(block, 1);
  for (std::int64_t block = inner; block < std::min(whole, inner + period); ++block)
    add(block, ceil_div(whole - block, period));
  if (whole < shape.row_tiles()) add(whole, 1);
  return sum * static_cast<double>(shape.pairs());
}

QueryTiles portable_row_tiles(const Problem& problem, std::int64_t keys, std::int64_t i) {
  const portable::Shape shape = portable::make_shape(problem);
  const RowBlock rows = row_block(shape, i * shape.group / portable::kTileRows, keys);
  QueryTiles tiles = empty_tiles(problem);
  tiles.first_query = rows.first;
  tiles.last_query = rows.last;
  tiles.heads = std::min<std::int64_t>(shape.group, portable::kTileRows);
  tiles.rows = portable::kTileRows;
  for (std::int64_t t = rows.shifts - 1; t >= 0; --t) tiles.add(i - t, rows.key, rows.columns, keys);
  return tiles;
}

double portable_key_triples(const Problem& problem) {
  const portable::Shape shape = portable::make_shape(problem);
  double sum = 0;
  for (std::int64_t key = 0; key < shape.seq_len; key += portable::kTileRows) {
    const std::int64_t tiles = row_tiles_of(shape, key);
    std::int64_t steps = tiles * shape.short_window;
    if (key < shape.short_window) {  // rows before have fewer short keys
      steps = 0;
      for (std::int64_t tile = 0; tile < tiles; ++tile) steps += shifts_of(shape, key, tile);
    }
    sum += static_cast<double>(steps) * kPortableKeyRows * portable::kTileRows;
  }
  return sum * static_cast<double>(shape.pairs());
}

QueryTiles portable_key_tiles(const Problem& problem, std::int64_t i) {
  const portable::Shape shape = portable::make_shape(problem);
  QueryTiles tiles = empty_tiles(problem);
  tiles.heads = std::min<std::int64_t>(shape.group, kPortableKeyRows);
  tiles.first_query = i;
  tiles.last_query = std::min<std::int64_t>(shape.seq_len, i + ceil_div(kPortableKeyRows, shape.group)) - 1;
  tiles.rows = kPortableKeyRows;
  const std::int64_t reach = shape.long_window + portable::kTileRows + kPortableKeyRows;
  const std::int64_t low = std::max<std::int64_t>(0, i - reach) / portable::kTileRows * portable::kTileRows;
  for (std::int64_t key = low; key <= i; key += portable::kTileRows) {
    const std::int64_t tile = (i - key) * shape.group / kPortableKeyRows;  // of the query's first head
    if (tile >= row_tiles_of(shape, key)) continue;
    for (std::int64_t t = shifts_of(shape, key, tile) - 1; t >= 0; --t)
      tiles.add(i - t, key, portable::kTileRows, portable::kTileRows);
  }
  return tiles;
}

}  // namespace triscope
