#include "profiler/statistics/row_that_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "kernels/base/work_count.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

auto age(const ResultRow& row) { return std::tie(row.started, row.measurement); }

double width(const ResultRow& row) {
  return spread_percent(row.median_ms, row.ci_low_ms, row.ci_high_ms).value_or(std::numeric_limits<double>::infinity());
}

// Not whether it converged: that is by the precision that was asked of it, which may be coarser than what another has
// reached without.
bool better_known(const ResultRow& a, const ResultRow& b) {
  return width(a) != width(b) ? width(a) < width(b) : age(a) > age(b);
}

double time(const ResultRow& row) { return row.median_ms.value_or(std::numeric_limits<double>::infinity()); }

/// Rows that ask the same: how long a kernel takes for a problem, measured in one way on one device.
struct SameQuestion {
  bool operator()(const ResultRow* a, const ResultRow* b) const {
    ++work_count.compared;
    return a->problem == b->problem && a->pass == b->pass && a->regime == b->regime &&
           a->timing_source == b->timing_source && a->kernel == b->kernel && a->device == b->device;
  }
};
/// Of all of it: rows that a file makes alike in a part must not end in one place.
struct QuestionHash {
  std::size_t operator()(const ResultRow* row) const {
    const Problem& p = row->problem;
    std::size_t hash = 0;
    const auto add = [&hash]<typename Value>(const Value& value) {
      hash = (hash ^ std::hash<Value>()(value)) * 1099511628211U;
      hash ^= hash >> 32U;
    };
    for (const std::int64_t part : {p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim, p.window1, p.window2})
      add(part);
    for (const std::optional<double>& part : {p.scale, p.sink, std::optional(p.k2_bias), std::optional(p.v2_bias)})
      add(part);
    for (const int part : {static_cast<int>(p.form), static_cast<int>(p.mask), static_cast<int>(p.element),
                           static_cast<int>(p.deterministic), static_cast<int>(row->pass),
                           static_cast<int>(row->regime), static_cast<int>(row->timing_source)})
      add(part);
    add(row->kernel);
    add(row->device);
    return hash;
  }
};

}  // namespace

std::vector<const ResultRow*> addresses_of(std::span<const ResultRow> rows) {
  std::vector<const ResultRow*> all;
  all.reserve(rows.size());
  for (const ResultRow& row : rows) all.push_back(&row);
  return all;
}

bool is_plain(const ResultRow& row) {
  const Problem& p = row.problem;
  return row.status == Status::ok && row.median_ms && *row.median_ms > 0 && p.mask == Mask::causal && !p.sink &&
         p.k2_bias == 0 && p.v2_bias == 0 && !(row.pass == Pass::backward && p.deterministic);
}

std::vector<const ResultRow*> newest_version(std::span<const ResultRow* const> rows) {
  std::vector<const ResultRow*> kept(rows.begin(), rows.end());
  if (rows.empty()) return kept;
  const ResultRow& newest = **std::ranges::max_element(rows, {}, [](const ResultRow* row) { return age(*row); });
  std::erase_if(kept, [&](const ResultRow* row) { return row->source_hash != newest.source_hash; });
  return kept;
}

const ResultRow* row_that_counts(std::span<const ResultRow* const> rows) {
  if (rows.empty()) return nullptr;
  std::map<std::string, const ResultRow*> instances;
  for (const ResultRow* row : newest_version(rows)) {
    const ResultRow*& kept = instances[row->instance];
    if (kept == nullptr || better_known(*row, *kept)) kept = row;
  }
  return std::ranges::min_element(instances, {}, [](const auto& one) { return time(*one.second); })->second;
}

std::vector<const ResultRow*> rows_that_count(std::span<const ResultRow* const> rows) {
  std::vector<std::vector<const ResultRow*>> questions;
  std::unordered_map<const ResultRow*, std::size_t, QuestionHash, SameQuestion> places;  // in `questions`
  for (const ResultRow* row : rows) {
    const auto [place, is_new] = places.try_emplace(row, questions.size());
    if (is_new) questions.emplace_back();
    questions[place->second].push_back(row);
  }
  std::vector<const ResultRow*> kept;
  for (const std::vector<const ResultRow*>& question : questions) {
    std::vector<const ResultRow*> ok = question;
    std::erase_if(ok, [](const ResultRow* row) { return row->status != Status::ok; });
    kept.push_back(row_that_counts(ok.empty() ? question : ok));
  }
  return kept;
}

std::vector<const ResultRow*> rows_of_steps(std::span<const ResultRow* const> rows) {
  std::vector<const ResultRow*> kept = rows_that_count(rows);
  std::erase_if(kept, [](const ResultRow* row) { return row->problem.form == Form::dot_product; });
  std::ranges::copy_if(rows, std::back_inserter(kept),
                       [](const ResultRow* row) { return row->problem.form == Form::dot_product; });
  return kept;
}

}  // namespace triscope
