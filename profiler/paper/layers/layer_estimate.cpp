#include "profiler/paper/layers/layer_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/paper/layers/layer_rows.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

const CountedProblem* find_counted(const WorkTable& table, const Problem& problem) {
  const auto found = std::ranges::find(table, problem, &CountedProblem::problem);
  return found == table.end() ? nullptr : &*found;
}

namespace {

using Rows = std::vector<const ResultRow*>;

constexpr const char* kTiledKernel = "cuda.hopper";  ///< whose tiles builds with CUDA count

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

using SizeOf = std::int64_t (*)(const Problem&);

/// The least and the most of the rows.
std::pair<std::int64_t, std::int64_t> measured_sizes(const Rows& rows, SizeOf size) {
  const auto [least, most] = std::ranges::minmax(rows, {}, [&](const ResultRow* row) { return size(row->problem); });
  return {size(least->problem), size(most->problem)};
}

/// nullopt where the length lies between the rows' or as far beyond them as estimates reach.
std::optional<LengthBeyond> beyond_lengths(const Rows& rows, const Problem& wanted, bool by_tiles,
                                           const std::string& name) {
  const std::int64_t below = by_tiles ? kMostReach : 1;
  const auto [low, high] = measured_sizes(rows, [](const Problem& p) { return p.seq_len; });
  if (wanted.seq_len * below >= low && wanted.seq_len <= high * kMostReach) return std::nullopt;
  return LengthBeyond{name, low, high, wanted.seq_len < low ? below : kMostReach};
}

/// Empty where the heads and windows of `wanted` lie between those of the rows; else what does not.
std::string outside(const Rows& rows, const Problem& wanted) {
  const auto beyond = [&](const char* what, SizeOf size) {
    const auto [low, high] = measured_sizes(rows, size);
    const std::int64_t asked = size(wanted);
    if (asked >= low && asked <= high) return std::string();
    return fmt::format("{} {} where {} was measured", what, asked,
                       low == high ? std::to_string(low) : fmt::format("{} to {}", low, high));
  };
  std::string found = beyond("query heads are", [](const Problem& p) { return p.q_heads; });
  if (wanted.form == Form::dot_product) return found;
  if (found.empty()) found = beyond("the longer window is", longer);
  if (found.empty()) found = beyond("the shorter window is", shorter);
  if (found.empty()) found = beyond("pairs of keys are", [](const Problem& p) { return p.window1 * p.window2; });
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
                      spread_percent(row->median_ms, row->ci_low_ms, row->ci_high_ms).value_or(100), row->measurement);
  });
}

/// The sweep of the nearest row; none where its length or heads are others.
std::optional<std::int64_t> sweep_like(const Rows& rows, const Problem& wanted) {
  const ResultRow& row = nearest(rows, wanted);
  if (row.problem.seq_len != wanted.seq_len || row.problem.q_heads != wanted.q_heads) return std::nullopt;
  return row.sweep;
}

/// A pair of windows; attention over all tokens is of one kind.
std::int64_t kind_of(const Problem& problem) {
  constexpr std::int64_t kMostWindow2 = std::int64_t{1} << 31;
  return problem.form == Form::dot_product ? 0 : problem.window1 * kMostWindow2 + problem.window2;
}

/// Whether no row has seen what begins there: the length is beyond all of theirs, or of the heads they have no pair of
/// windows, or one other pair only. What parts miss is shared by rows of a length, and by those of windows at few
/// heads; where the factor of a sweep takes it up, no scatter shows it.
bool is_unseen(const Rows& rows, const Problem& wanted) {
  const auto [least, most] = measured_sizes(rows, [](const Problem& p) { return p.seq_len; });
  if (wanted.seq_len < least || wanted.seq_len > most) return true;
  std::set<std::int64_t> kinds;
  for (const ResultRow* row : rows) {
    if (row->problem.q_heads == wanted.q_heads) kinds.insert(kind_of(row->problem));
  }
  return kinds.size() < 2 && !kinds.contains(kind_of(wanted));
}

using PartsOf = std::function<std::vector<double>(const Problem&)>;

/// Rows as a fit wants them.
struct WorkRows {
  std::vector<WorkRow> rows;
  Rows from;
};

/// Those that have `size` parts.
WorkRows work_rows(const Rows& pool, const PartsOf& parts_of, std::size_t size) {
  WorkRows made;
  for (const ResultRow* row : pool) {
    WorkRow one{parts_of(row->problem), *row->median_ms, row->sweep, kind_of(row->problem)};
    if (one.parts.size() != size) continue;
    made.rows.push_back(std::move(one));
    made.from.push_back(row);
  }
  return made;
}

/// The fits of the kernel's other instances: they say nothing of its costs, but of how far sweeps scatter.
std::vector<WorkFit> other_instances(const Rows& all, const std::string& own, const WorkTable& table) {
  std::map<std::string, Rows> others;
  for (const ResultRow* row : all) {
    if (row->instance != own) others[row->instance].push_back(row);
  }
  std::vector<WorkFit> fits;
  for (const auto& other : others) {
    const std::string& instance = other.first;  // Clang captures no structured binding where OpenMP is on
    const Rows& pool = other.second;
    const PartsOf parts_of = [&](const Problem& problem) {
      return tile_parts(table, *pool.front(), problem, instance);
    };
    const std::size_t size = parts_of(pool.front()->problem).size();
    if (size == 0) continue;
    if (std::optional<WorkFit> fit = fit_work(work_rows(pool, parts_of, size).rows)) fits.push_back(*std::move(fit));
  }
  return fits;
}

/// Whether a build counted tiles of some kernel for one of the problems: one with GPU kernels did.
bool knows_tiles(const WorkTable& table) {
  return std::ranges::any_of(table, [](const CountedProblem& one) { return !one.uses.empty(); });
}

}  // namespace

std::string length_text(const LengthBeyond& beyond, std::optional<std::int64_t> asked) {
  const std::string measured = beyond.least == beyond.most
                                   ? count_text(beyond.least)
                                   : fmt::format("{} to {}", count_text(beyond.least), count_text(beyond.most));
  std::string text = fmt::format("of {}, ", beyond.name);
  text += asked ? fmt::format("the length is {} where {} was measured", count_text(*asked), measured)
                : fmt::format("no length but {} was measured", measured);
  if (beyond.reach > 1) text += fmt::format(" (an estimate reaches {} times as far)", beyond.reach);
  return text;
}

LayerEstimate estimate_layer(std::span<const ResultRow* const> rows, const Problem& wanted, const WorkTable& table) {
  const Rows all = newest_version(rows);
  const ResultRow& like = *all.front();
  const std::string* instance = chosen_instance(table, like, wanted);
  Rows pool = all;
  std::string name = like.kernel;
  if (instance != nullptr) {
    std::erase_if(pool, [&](const ResultRow* row) { return row->instance != *instance; });
    if (!instance->empty()) name = fmt::format("{} ({})", like.kernel, *instance);
  }
  LayerEstimate estimate;
  if (instance == nullptr && like.kernel == kTiledKernel && !knows_tiles(table))
    estimate.hint = "by triples alone, since this build does not know its tiles: one with CUDA does";
  const auto refuse = [&](std::string why) {
    estimate.reason = std::move(why);
    return estimate;
  };
  if (pool.empty()) return refuse(fmt::format("{} would run it, which has no row here", name));
  estimate.beyond = beyond_lengths(pool, wanted, instance != nullptr, name);
  if (estimate.beyond) return refuse(length_text(*estimate.beyond, wanted.seq_len));
  if (const std::string beyond = outside(pool, wanted); !beyond.empty())
    return refuse(fmt::format("of {}, {}", name, beyond));
  const PartsOf parts_of = [&](const Problem& problem) {
    return instance != nullptr ? tile_parts(table, like, problem, *instance) : plain_parts(problem);
  };
  const std::vector<double> parts = parts_of(wanted);
  const WorkRows work = work_rows(pool, parts_of, parts.size());
  const std::optional<WorkFit> fit = fit_work(work.rows);
  if (fit) {
    const std::optional<std::int64_t> of = sweep_like(work.from, wanted);
    std::vector<WorkFit> others;
    if (instance != nullptr && !of) others = other_instances(all, *instance, table);
    std::vector<const WorkFit*> fits{&*fit};
    for (const WorkFit& other : others) fits.push_back(&other);
    const bool known =
        std::ranges::any_of(work.from, [&](const ResultRow* row) { return kind_of(row->problem) == kind_of(wanted); });
    if (!known && !(fit->kind_degrees > 0)) {
      return refuse(
          fmt::format("{} has rows of {} here, which tell too little of others", name,
                      fit->kinds == 1 ? "one pair of windows" : fmt::format("{} pairs of windows", fit->kinds)));
    }
    estimate.time = estimate_by_work(*fit, parts, of, known, sweep_scatter(fits));
    if (estimate.time && is_unseen(work.from, wanted))
      estimate.time->half = std::max(estimate.time->half, kLeastHalfBeyond);
  }
  if (!estimate.time)
    return refuse(fmt::format("{} has {} rows here, which are too few or too much alike", name, work.from.size()));
  estimate.basis =
      fmt::format("estimate by {} from {} rows", instance != nullptr ? "tiles" : "triples", work.from.size());
  return estimate;
}

}  // namespace triscope
