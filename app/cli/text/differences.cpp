#include "app/cli/text/differences.hpp"

#include <fmt/format.h>

#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "app/cli/text/row_environments.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/environment_difference.hpp"

namespace triscope {
namespace {

std::vector<PlaceFact> settings_in(const Snapshot& snapshot, std::int64_t sweep) {
  const std::optional<SweepInfo> info = snapshot.sweep(sweep);
  return info ? settings_of(*info) : std::vector<PlaceFact>();
}

/// Where the measurements of a database were taken, read sweep by sweep: one at a time takes longer than all the rest.
class Places {
 public:
  explicit Places(const Snapshot& snapshot) : snapshot_(snapshot) {}

  /// Stays where it is.
  const Environment& of(const ResultRow& row) {
    if (sweeps_.insert(row.sweep).second) read(row.sweep);
    const auto found = by_measurement_.find(row.measurement);
    return found == by_measurement_.end() ? unknown_ : *found->second;
  }

 private:
  void read(std::int64_t sweep) {
    for (auto& [environment, measurements] : snapshot_.environments(sweep)) {
      const Environment& kept = environments_.emplace_back(std::move(environment));
      for (const std::int64_t measurement : measurements) by_measurement_[measurement] = &kept;
    }
  }

  const Snapshot& snapshot_;
  std::set<std::int64_t> sweeps_;
  std::list<Environment> environments_;
  std::unordered_map<std::int64_t, const Environment*> by_measurement_;
  const Environment unknown_;
};

}  // namespace

std::vector<PlaceDifference> place_differences(const Snapshot& of_a, const Snapshot& of_b,
                                               const std::vector<ComparedPair>& pairs,
                                               const std::set<std::string>& allowed) {
  std::vector<PlaceDifference> differences;
  std::unordered_map<std::string, std::size_t> known;  // in `differences`, by text
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<EnvironmentDifference>> settings;  // by both sweeps
  Places places_a(of_a), places_b(of_b);
  std::map<std::pair<const Environment*, const Environment*>, std::vector<EnvironmentDifference>> environments;
  for (const ComparedPair& pair : pairs) {
    const ResultRow &a = pair.rows.a, &b = pair.rows.b;
    const auto [place, is_new] = settings.try_emplace({a.sweep, b.sweep});
    if (is_new) place->second = fact_differences(settings_in(of_a, a.sweep), settings_in(of_b, b.sweep));
    const Environment &in_a = places_a.of(a), &in_b = places_b.of(b);
    const auto [two, is_new_pair] = environments.try_emplace({&in_a, &in_b});
    if (is_new_pair) two->second = environment_differences(in_a, in_b);
    std::vector<EnvironmentDifference> found = two->second;
    if (a.kernel == b.kernel && a.source_hash != b.source_hash)
      found.push_back({"commit", fmt::format("source of {} {} (not {})", a.kernel, a.source_hash, b.source_hash)});
    found.insert(found.end(), place->second.begin(), place->second.end());
    for (const EnvironmentDifference& one : found) {
      const auto [same, is_first] = known.try_emplace(one.text, differences.size());
      if (is_first) {
        differences.push_back({one.group, one.text, 1, allowed.contains(one.group) || allowed.contains("all")});
      } else {
        ++differences[same->second].pairs;
      }
    }
  }
  return differences;
}

std::string difference_words(const std::vector<PlaceDifference>& differences) {
  std::vector<std::string> words;
  for (const PlaceDifference& difference : differences) {
    if (!difference.allowed) words.push_back(difference.text);
  }
  return first_words(std::move(words));
}

}  // namespace triscope
