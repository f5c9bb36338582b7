#include "profiler/explore/version_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
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

struct Known {
  std::string gpu;
  std::set<std::string> companions;
};

/// The two that stand beside each other. `chosen_pairs` says by which rule.
ChosenPair chosen_of(Candidates candidates, const AboutRows& about) {
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
  const bool choice = chosen.of_before > 1 || chosen.of_after > 1;
  const auto known_of = [&](const Rows& rows) {
    std::vector<Known> known(rows.size());
    for (std::size_t n = 0; choice && n < rows.size(); ++n) {
      if (about.gpu_of) known[n].gpu = about.gpu_of(*rows[n]);
      if (about.companions_of) known[n].companions = about.companions_of(*rows[n]);
    }
    return known;
  };
  const std::vector<Known> known_before = known_of(candidates.before), known_after = known_of(candidates.after);
  const auto is_settled = [](const ResultRow& row) { return row.reason.empty(); };
  using Fitness = std::tuple<bool, bool, bool, int, std::int64_t>;
  std::pair<std::size_t, std::size_t> best{0, 0};
  std::optional<Fitness> fitness;
  for (std::size_t after = 0; after < candidates.after.size(); ++after) {
    for (std::size_t before = 0; before < candidates.before.size(); ++before) {
      const ResultRow &old = *candidates.before[before], &now = *candidates.after[after];
      const Known &of_old = known_before[before], &of_now = known_after[after];
      const Fitness of_pair{old.sweep == now.sweep, !of_old.gpu.empty() && of_old.gpu == of_now.gpu,
                            of_old.companions == of_now.companions, is_settled(old) + is_settled(now),
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
                                     const AboutRows& about) {
  Rows before, after;
  for (const ResultRow& row : rows) {
    if (is_of(row, choice, choice.before)) before.push_back(&row);
    if (is_of(row, choice, choice.after)) after.push_back(&row);
  }
  std::vector<ChosenPair> pairs;
  for (Candidates& candidates : shared_questions(before, after))
    pairs.push_back(chosen_of(std::move(candidates), about));
  return pairs;
}

std::string chosen_words(const ChosenPair& pair) {
  if (pair.of_before == 1 && pair.of_after == 1) return {};
  return fmt::format("Chosen from {} of the newer version and {} of the older; all pairs of them: {:.3f} to {:.3f}.",
                     pair.of_after, pair.of_before, pair.lowest, pair.highest);
}

}  // namespace triscope
