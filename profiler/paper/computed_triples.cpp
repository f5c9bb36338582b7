#include "profiler/paper/computed_triples.hpp"

#include <fmt/format.h>

#include <utility>

namespace triscope {

bool has_counted_tiles(const ResultRow& row) {
  return row.kernel == "cuda.hopper" && row.card.kind == KernelKind::simplicial;
}

ComputedTriples computed_triples(const ResultRow& row, std::span<const TileUse> uses) {
  const auto unknown = [](std::string why) { return ComputedTriples{std::nullopt, std::move(why)}; };
  if (!has_counted_tiles(row)) return unknown("only those of cuda.hopper are counted");
  if (uses.empty()) return unknown("this build counts none for it");
  const TileUse* found = nullptr;
  for (const TileUse& use : uses) {
    if (use.kernel != row.kernel || use.pass != row.pass || use.instance != row.instance) continue;
    if (found != nullptr) return unknown("its launch has several kernels, each with tiles of its own");
    found = &use;
  }
  if (found == nullptr) return unknown(fmt::format("this build does not run it by the instance {}", row.instance));
  if (found->useful <= 0) return unknown("nothing lies inside its windows");
  return {found->computed / found->useful, {}};
}

}  // namespace triscope
