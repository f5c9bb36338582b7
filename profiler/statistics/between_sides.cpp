#include "profiler/statistics/between_sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/third_party.hpp"
#include "profiler/statistics/quantile.hpp"

namespace triscope {

std::string cycle_ratio_text(const Comparison& comparison) {
  return comparison.cycle_ratio ? fmt::format("{:.3f}", *comparison.cycle_ratio) : "";
}

bool is_unchanged(const ResultRow& a, const ResultRow& b) {
  if (a.kernel != b.kernel || a.pass != b.pass || a.instance != b.instance) return false;
  // The instance of a library is its version; the hash is of our call of it.
  if (find_third_party_part(a.kernel) != nullptr) return !a.instance.empty();
  return !a.source_hash.empty() && a.source_hash == b.source_hash;
}

void UnchangedKernels::add(const ResultRow& row, const Comparison& comparison) {
  if (!(comparison.ratio > 0)) return;
  const bool ours = !is_baseline(row.card.kind) && find_third_party_part(row.kernel) == nullptr;
  labels.insert(ours  // its other pass may have changed
                    ? fmt::format("{} {}", row.card.label, to_string(row.pass))
                    : row.card.label);
  times.push_back(comparison.ratio);
  if (comparison.cycle_ratio) cycles.push_back(*comparison.cycle_ratio);
}

std::string unchanged_text(const UnchangedKernels& kernels) {
  if (kernels.times.empty()) return {};
  const auto range = [](const std::vector<double>& ratios) {
    if (ratios.size() == 1) return fmt::format("{:.3f}", ratios.front());
    const auto [low, high] = std::ranges::minmax(ratios);
    return fmt::format("{:.3f} to {:.3f}, median {:.3f}", low, high, median(ratios));
  };
  const std::size_t count = kernels.times.size();
  return fmt::format("{} unchanged measurement{} ({}): time A / B {}{}.", count, count == 1 ? "" : "s",
                     fmt::join(kernels.labels, ", "), range(kernels.times),
                     kernels.cycles.empty() ? "" : fmt::format("; in cycles {}", range(kernels.cycles)));
}

void Unjudged::add(const Comparison& comparison) {
  if (comparison.verdict != Verdict::not_comparable || !(comparison.ratio > 0)) return;
  reasons.insert(comparison.explanation.substr(0, comparison.explanation.find(':')));
  ++(comparison.ratio > 1 ? longer : shorter);
  if (comparison.cycle_ratio) ++(*comparison.cycle_ratio > 1 ? longer_cycles : shorter_cycles);
}

std::string unjudged_text(const Unjudged& unjudged, std::string_view heading) {
  if (unjudged.longer + unjudged.shorter == 0) return {};
  const bool cycles = unjudged.longer_cycles + unjudged.shorter_cycles > 0;
  return fmt::format("{}: {}. By time A takes longer in {} and shorter in {}{}.", heading,
                     fmt::join(unjudged.reasons, "; "), unjudged.longer, unjudged.shorter,
                     cycles ? fmt::format(", in cycles longer in {} and shorter in {}", unjudged.longer_cycles,
                                          unjudged.shorter_cycles)
                            : "");
}

}  // namespace triscope
