#include "kernels/attention/tile_use.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace triscope {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;  // [first, end)

/// How many numbers are in any of `ranges`.
std::int64_t covered(std::vector<Range> ranges) {
  std::ranges::sort(ranges);
  std::int64_t count = 0, end = std::numeric_limits<std::int64_t>::min();
  for (const auto& [first, last] : ranges) {
    count += std::max<std::int64_t>(0, last - std::max(first, end));
    end = std::max(end, last);
  }
  return count;
}

}  // namespace

void QueryTiles::add(std::int64_t fold, std::int64_t first, std::int64_t keys, std::int64_t tile_keys) {
  if (!blocks.empty()) {
    TileBlock& last = blocks.back();
    const bool follows = fold == last.fold + last.folds && keys == last.keys && tile_keys == last.tile_keys;
    const std::int64_t step = first - last.first_at(last.folds - 1);
    if (follows && (last.folds == 1 ? step == 0 || step == 1 : step == last.slant)) {
      last.slant = step;
      ++last.folds;
      return;
    }
  }
  blocks.push_back({fold, 1, first, keys, tile_keys, 0});
}

double computed_pairs(const QueryTiles& tiles) {
  double sum = 0;
  for (const TileBlock& block : tiles.blocks) sum += static_cast<double>(block.folds) * static_cast<double>(block.keys);
  return sum;
}

double useful_pairs(const QueryTiles& tiles, const Problem& problem, std::int64_t query) {
  const std::int64_t window1 = std::min(problem.window1, query + 1), window2 = std::min(problem.window2, query + 1);
  const std::int64_t folded = tiles.folds_axis1 ? window1 : window2, other = tiles.folds_axis1 ? window2 : window1;
  std::vector<std::vector<Range>> of_fold(static_cast<std::size_t>(folded));
  for (const TileBlock& block : tiles.blocks) {
    for (std::int64_t n = 0; n < block.folds; ++n) {
      const std::int64_t fold = block.fold + n - (query - folded + 1), first = block.first_at(n);
      if (fold < 0 || fold >= folded) continue;
      of_fold[static_cast<std::size_t>(fold)].emplace_back(std::max(first, query - other + 1),
                                                           std::min(first + block.keys, query + 1));
    }
  }
  double sum = 0;
  for (std::vector<Range>& ranges : of_fold) sum += static_cast<double>(covered(std::move(ranges)));
  return sum;
}

}  // namespace triscope
