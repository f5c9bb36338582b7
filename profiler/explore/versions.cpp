#include "profiler/explore/versions.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/explore/identity.hpp"
#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

bool is_ours(const ResultRow& row) { return row.card.kind == KernelKind::simplicial; }

bool is_of(const ResultRow& row, const VersionChoice& choice, const std::string& hash) {
  return row.kernel == choice.kernel && row.pass == choice.pass && row.status == Status::ok && row.median_ms &&
         row.device != kUnknownDevice && !hash.empty() && row.source_hash.starts_with(hash);
}

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

std::vector<VersionPair> shared_by_versions(std::span<const ResultRow> rows, const VersionChoice& choice) {
  TextNumbers texts;
  using Newest = std::map<Identity, const ResultRow*>;
  Newest before, after;
  const auto key_of = [&](const ResultRow& row) {
    Identity key = identity_of(row, texts);
    key[kVersionPart] = 0;
    return key;
  };
  const auto add = [&](Newest& side, const ResultRow& row) {
    const ResultRow*& newest = side[key_of(row)];
    if (newest == nullptr || newest->started <= row.started) newest = &row;
  };
  for (const ResultRow& row : rows) {
    if (is_of(row, choice, choice.before)) add(before, row);
    if (is_of(row, choice, choice.after)) add(after, row);
  }
  // An instance that was renamed, or chosen anew, is still the answer to the same question where each has one.
  const auto without_instance = [](Identity key) {
    key[kInstancePart] = -1;
    return key;
  };
  std::map<Identity, std::vector<const ResultRow*>> of_question;
  for (const auto& [key, row] : before) of_question[without_instance(key)].push_back(row);
  std::map<Identity, std::size_t> answers;
  for (const auto& [key, row] : after) ++answers[without_instance(key)];
  std::vector<VersionPair> pairs;
  for (const auto& [key, row] : after) {
    if (const auto same = before.find(key); same != before.end()) {
      pairs.push_back({*same->second, *row});
      continue;
    }
    const auto found = of_question.find(without_instance(key));
    if (found != of_question.end() && found->second.size() == 1 && answers[without_instance(key)] == 1)
      pairs.push_back({*found->second.front(), *row});
  }
  return pairs;
}

VersionChoice newest_change(std::span<const ResultRow> rows, std::span<const KernelHistory> histories) {
  struct Change {
    std::string first;  // of the later version
    VersionChoice choice;
  };
  std::vector<Change> changes;
  for (const KernelHistory& history : histories) {
    for (std::size_t after = history.versions.size(); after-- > 1;) {
      for (std::size_t before = after; before-- > 0;)
        changes.push_back(
            {history.versions[after].first,
             {history.kernel, history.pass, history.versions[before].hash, history.versions[after].hash}});
    }
  }
  std::ranges::stable_sort(changes, [](const Change& a, const Change& b) { return a.first > b.first; });
  for (const Change& change : changes) {
    if (!shared_by_versions(rows, change.choice).empty()) return change.choice;
  }
  return {};
}

std::string short_hash(std::string_view hash) { return std::string(hash.substr(0, 6)); }

}  // namespace triscope
