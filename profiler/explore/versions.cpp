#include "profiler/explore/versions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profiler/explore/shared_questions.hpp"
#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

bool is_ours(const ResultRow& row) { return row.card.kind == KernelKind::simplicial; }

bool is_usable(const ResultRow& row) {
  return row.status == Status::ok && row.median_ms && row.device != kUnknownDevice;
}

using Rows = std::vector<const ResultRow*>;

}  // namespace

std::vector<KernelHistory> kernel_histories(std::span<const ResultRow> rows) {
  std::map<std::tuple<std::string, Pass>, KernelHistory> by_pass;
  for (const ResultRow& row : rows) {
    if (!is_ours(row) || row.source_hash.empty() || row.status != Status::ok || !row.median_ms) continue;
    KernelHistory& history = by_pass[{row.kernel, row.pass}];
    history.kernel = row.kernel, history.label = row.card.label, history.pass = row.pass;
    auto version = std::ranges::find(history.versions, row.source_hash, &KernelVersion::hash);
    if (version == history.versions.end())
      version = history.versions.insert(version, {row.source_hash, row.started, row.started, 0});
    version->first = std::min(version->first, row.started);
    version->last = std::max(version->last, row.started);
    ++version->measurements;
  }
  std::vector<KernelHistory> histories;
  for (auto& [key, history] : by_pass) {
    if (history.versions.size() < 2) continue;
    std::ranges::stable_sort(history.versions, {}, &KernelVersion::first);
    histories.push_back(std::move(history));
  }
  std::ranges::stable_sort(histories, [](const KernelHistory& a, const KernelHistory& b) {
    return a.versions.back().first > b.versions.back().first;
  });
  return histories;
}

std::vector<VersionChange> version_changes(std::span<const ResultRow> rows, std::span<const KernelHistory> histories) {
  std::map<std::tuple<std::string, Pass, std::string>, Rows> by_version;
  for (const ResultRow& row : rows) {
    if (is_ours(row) && is_usable(row)) by_version[{row.kernel, row.pass, row.source_hash}].push_back(&row);
  }
  std::vector<VersionChange> changes;
  for (const KernelHistory& history : histories) {
    const auto rows_of = [&](const KernelVersion& version) -> const Rows& {
      return by_version[{history.kernel, history.pass, version.hash}];
    };
    for (std::size_t after = 1; after < history.versions.size(); ++after) {
      for (std::size_t before = 0; before < after; ++before) {
        const KernelVersion &older = history.versions[before], &newer = history.versions[after];
        const std::size_t shared = shared_questions(rows_of(older), rows_of(newer)).size();
        if (shared > 0)
          changes.push_back(
              {{history.kernel, history.pass, older.hash, newer.hash}, history.label, older, newer, shared});
      }
    }
  }
  std::ranges::stable_sort(changes, [](const VersionChange& a, const VersionChange& b) {
    return std::tie(a.shared, a.after.first, a.before.first) > std::tie(b.shared, b.after.first, b.before.first);
  });
  return changes;
}

std::string short_hash(std::string_view hash) { return std::string(hash.substr(0, 6)); }

}  // namespace triscope
