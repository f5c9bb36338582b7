#include "profiler/paper/computed_triples.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace triscope {

bool has_counted_tiles(const ResultRow& row) {
  return row.card.kind == KernelKind::simplicial && row.timing_source != TimingSource::cpu_clock;
}

ComputedTriples computed_triples(const ResultRow& row, std::span<const TileUse> uses) {
  const auto unknown = [](std::string why) { return ComputedTriples{std::nullopt, std::move(why)}; };
  if (row.card.kind != KernelKind::simplicial) return unknown("the tiles of other people's libraries are not counted");
  if (!has_counted_tiles(row)) return unknown("tiles are counted of kernels for GPUs only");
  if (uses.empty()) return unknown("this build has no GPU kernel that runs it");
  const TileUse* found = nullptr;
  bool kernel = false;
  for (const TileUse& use : uses) {
    if (use.kernel != row.kernel || use.pass != row.pass) continue;
    kernel = true;
    if (use.instance != row.instance) continue;
    if (found != nullptr) return unknown("its launch has several kernels, each with tiles of its own");
    found = &use;
  }
  if (!kernel) return unknown(fmt::format("the tiles of {} are not counted", row.kernel));
  if (found == nullptr) return unknown(fmt::format("this build does not run it by the instance {}", row.instance));
  if (found->useful <= 0) return unknown("nothing lies inside its windows");
  return {found->computed / found->useful, {}};
}

std::vector<Problem> problems_with_tiles(std::span<const ResultRow> rows) {
  ProblemList problems;
  for (const ResultRow& row : rows) {
    if (has_counted_tiles(row)) problems.add(row.problem);
  }
  return problems.list();
}

std::unordered_map<std::int64_t, double> computed_by_measurement(std::span<const ResultRow> rows,
                                                                 const WorkIndex& table) {
  std::unordered_map<std::int64_t, double> known;
  for (const ResultRow& row : rows) {
    const CountedProblem* counted = has_counted_tiles(row) ? table.find(row.problem) : nullptr;
    if (counted == nullptr) continue;
    if (const ComputedTriples one = computed_triples(row, counted->uses); one.per_useful)
      known.emplace(row.measurement, *one.per_useful);
  }
  return known;
}

}  // namespace triscope
