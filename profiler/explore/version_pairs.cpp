#include "profiler/explore/version_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

using Rows = std::vector<const ResultRow*>;

bool is_of(const ResultRow& row, const VersionChoice& choice, const std::string& hash) {
  return row.kernel == choice.kernel && row.pass == choice.pass && row.status == Status::ok && row.median_ms &&
         row.device != kUnknownDevice && !hash.empty() && row.source_hash.starts_with(hash);
}

/// Of very many only the newest can be chosen.
void keep_newest(Rows& rows) {
  constexpr std::size_t kMost = 64;
  std::ranges::stable_sort(rows, [](const ResultRow* a, const ResultRow* b) {
    return std::tie(a->started, a->measurement) > std::tie(b->started, b->measurement);
  });
  if (rows.size() > kMost) rows.resize(kMost);
}

/// The two that stand beside each other. `chosen_pairs` says by which rule.
ChosenPair chosen_of(Candidates candidates, const GpuOf& gpu_of) {
  ChosenPair chosen;
  chosen.of_before = candidates.before.size();
  chosen.of_after = candidates.after.size();
  const auto ms = [](const ResultRow* row) { return *row->median_ms; };
  const auto [before_low, before_high] = std::ranges::minmax(candidates.before, {}, ms);
  const auto [after_low, after_high] = std::ranges::minmax(candidates.after, {}, ms);
  chosen.lowest = ms(after_low) / ms(before_high);
  chosen.highest = ms(after_high) / ms(before_low);
  keep_newest(candidates.before);
  keep_newest(candidates.after);
  const auto gpus_of = [&](const Rows& rows) {
    std::vector<std::string> gpus;
    for (const ResultRow* row : rows) gpus.push_back(gpu_of ? gpu_of(*row) : std::string());
    return gpus;
  };
  const bool choice = chosen.of_before > 1 || chosen.of_after > 1;
  const std::vector<std::string> gpus_before = choice ? gpus_of(candidates.before) : std::vector<std::string>(1),
                                 gpus_after = choice ? gpus_of(candidates.after) : std::vector<std::string>(1);
  const auto is_settled = [](const ResultRow& row) { return row.reason.empty(); };
  using Fitness = std::tuple<bool, bool, int, std::int64_t>;
  std::pair<std::size_t, std::size_t> best{0, 0};
  std::optional<Fitness> fitness;
  for (std::size_t after = 0; after < candidates.after.size(); ++after) {
    for (std::size_t before = 0; before < candidates.before.size(); ++before) {
      const ResultRow &old = *candidates.before[before], &now = *candidates.after[after];
      const bool one_gpu = !gpus_before[before].empty() && gpus_before[before] == gpus_after[after];
      const Fitness of_pair{old.sweep == now.sweep, one_gpu, is_settled(old) + is_settled(now),
                            std::min(old.restarts, now.restarts)};
      if (fitness && of_pair <= *fitness) continue;  // the newest of equals was met first
      fitness = of_pair;
      best = {before, after};
    }
  }
  chosen.before = *candidates.before[best.first];
  chosen.after = *candidates.after[best.second];
  return chosen;
}

}  // namespace

std::vector<ChosenPair> chosen_pairs(std::span<const ResultRow> rows, const VersionChoice& choice,
                                     const GpuOf& gpu_of) {
  Rows before, after;
  for (const ResultRow& row : rows) {
    if (is_of(row, choice, choice.before)) before.push_back(&row);
    if (is_of(row, choice, choice.after)) after.push_back(&row);
  }
  std::vector<ChosenPair> pairs;
  for (Candidates& candidates : shared_questions(before, after))
    pairs.push_back(chosen_of(std::move(candidates), gpu_of));
  return pairs;
}

std::string chosen_words(const ChosenPair& pair) {
  if (pair.of_before == 1 && pair.of_after == 1) return {};
  return fmt::format("Chosen from {} of the newer version and {} of the older; all pairs of them: {:.3f} to {:.3f}.",
                     pair.of_after, pair.of_before, pair.lowest, pair.highest);
}

}  // namespace triscope
