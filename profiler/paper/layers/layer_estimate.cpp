#include "profiler/paper/layers/layer_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/paper/layers/layer_rows.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

const CountedProblem* find_counted(const WorkTable& table, const Problem& problem) {
  const auto found = std::ranges::find(table, problem, &CountedProblem::problem);
  return found == table.end() ? nullptr : &*found;
}

namespace {

using Rows = std::vector<const ResultRow*>;

/// The instance that would run the problem; null where the tiles of the kernel are not known.
const std::string* chosen_instance(const WorkTable& table, const ResultRow& like, const Problem& problem) {
  const CountedProblem* counted = find_counted(table, problem);
  if (counted == nullptr) return nullptr;
  for (const TileUse& use : counted->uses) {
    if (use.kernel == like.kernel && use.pass == like.pass && use.chosen) return &use.instance;
  }
  return nullptr;
}

/// An instance of several kernels has the parts of all of them.
std::vector<double> tile_parts(const WorkTable& table, const ResultRow& like, const Problem& problem,
                               const std::string& instance) {
  std::vector<double> parts;
  const CountedProblem* counted = find_counted(table, problem);
  if (counted == nullptr) return parts;
  for (const TileUse& use : counted->uses) {
    if (use.kernel == like.kernel && use.pass == like.pass && use.instance == instance)
      parts.insert(parts.end(), use.work.begin(), use.work.end());
  }
  return parts;
}

std::vector<double> plain_parts(const Problem& problem) {
  const auto heads = static_cast<double>(problem.q_heads);
  std::vector<double> parts{heads * triple_count(problem), heads * static_cast<double>(problem.seq_len)};
  if (problem.form == Form::dot_product) parts.push_back(1);
  return parts;
}

std::int64_t shorter(const Problem& problem) { return std::min(problem.window1, problem.window2); }
std::int64_t longer(const Problem& problem) { return std::max(problem.window1, problem.window2); }

/// Empty where `wanted` lies between the rows; else what does not.
std::string outside(const Rows& rows, const Problem& wanted) {
  const auto beyond = [&](const char* what, const std::function<std::int64_t(const Problem&)>& size) {
    const auto [least, most] = std::ranges::minmax(rows, {}, [&](const ResultRow* row) { return size(row->problem); });
    const std::int64_t low = size(least->problem), high = size(most->problem), asked = size(wanted);
    if (asked >= low && asked <= high) return std::string();
    return fmt::format("{} {} where {} was measured", what, asked,
                       low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high));
  };
  std::string found = beyond("query heads are", [](const Problem& p) { return p.q_heads; });
  if (wanted.form == Form::dot_product) return found;
  if (found.empty()) found = beyond("the longer window is", longer);
  if (found.empty()) found = beyond("the shorter window is", shorter);
  return found;
}

/// The row that comes nearest to `wanted`; of equals the one known best.
const ResultRow& nearest(const Rows& rows, const Problem& wanted) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
  };
  return **std::ranges::min_element(rows, {}, [&](const ResultRow* row) {
    const Problem& p = row->problem;
    const WindowsDistance windows = wanted.form == Form::dot_product
                                        ? WindowsDistance{}
                                        : windows_distance({wanted.window1, wanted.window2}, {p.window1, p.window2});
    return std::tuple(apart(p.seq_len, wanted.seq_len), apart(p.q_heads, wanted.q_heads), windows.area, windows.shape,
                      spread_percent(row->median_ms, row->ci_low_ms, row->ci_high_ms).value_or(100));
  });
}

/// The sweep of the nearest row; none where its length or heads are others.
std::optional<std::int64_t> sweep_like(const Rows& rows, const Problem& wanted) {
  const ResultRow& row = nearest(rows, wanted);
  if (row.problem.seq_len != wanted.seq_len || row.problem.q_heads != wanted.q_heads) return std::nullopt;
  return row.sweep;
}

}  // namespace

LayerEstimate estimate_layer(std::span<const ResultRow* const> rows, const Problem& wanted, const WorkTable& table) {
  Rows pool = newest_version(rows);
  const ResultRow& like = *pool.front();
  const std::string* instance = chosen_instance(table, like, wanted);
  std::string name = like.kernel;
  if (instance != nullptr) {
    std::erase_if(pool, [&](const ResultRow* row) { return row->instance != *instance; });
    if (!instance->empty()) name = fmt::format("{} ({})", like.kernel, *instance);
  }
  LayerEstimate estimate;
  const auto refuse = [&](std::string why) {
    estimate.reason = std::move(why);
    return estimate;
  };
  if (pool.empty()) return refuse(fmt::format("{} would run it, which has no row here", name));
  if (const std::string beyond = outside(pool, wanted); !beyond.empty())
    return refuse(fmt::format("of {}, {}", name, beyond));
  const auto parts_of = [&](const Problem& problem) {
    return instance != nullptr ? tile_parts(table, like, problem, *instance) : plain_parts(problem);
  };
  const std::vector<double> parts = parts_of(wanted);
  std::vector<WorkRow> work;
  Rows used;
  for (const ResultRow* row : pool) {
    WorkRow one{parts_of(row->problem), *row->median_ms, row->sweep};
    if (one.parts.size() != parts.size()) continue;
    work.push_back(std::move(one));
    used.push_back(row);
  }
  if (!used.empty()) estimate.time = estimate_by_work(work, parts, sweep_like(used, wanted));
  if (!estimate.time)
    return refuse(fmt::format("{} has {} rows here, which are too few or too much alike", name, used.size()));
  estimate.basis = fmt::format("estimate by {} from {} rows", instance != nullptr ? "tiles" : "triples", used.size());
  return estimate;
}

}  // namespace triscope
