#include "profiler/paper/layers/layer_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// The instance that would run the problem; nullopt where the tiles of the kernel are not known.
std::optional<std::string> chosen_instance(const WorkIndex& table, const ResultRow& like, const Problem& problem) {
  const CountedProblem* counted = table.find(problem);
  if (counted == nullptr) return std::nullopt;
  for (const TileUse& use : counted->uses) {
    if (use.kernel == like.kernel && use.pass == like.pass && use.chosen) return use.instance;
  }
  return std::nullopt;
}

/// An instance of several kernels has the parts of all of them.
std::vector<double> tile_parts(const WorkIndex& table, const ResultRow& like, const Problem& problem,
                               const std::string& instance) {
  std::vector<double> parts;
  const CountedProblem* counted = table.find(problem);
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

/// What must lie between measured ones.
struct Size {
  const char* what;
  std::int64_t (*of)(const Problem&);
};
constexpr Size kHeads{"query heads are", [](const Problem& p) { return p.q_heads; }};
constexpr Size kWindowSizes[] = {
    {"the longer window is", [](const Problem& p) { return std::max(p.window1, p.window2); }},
    {"the shorter window is", [](const Problem& p) { return std::min(p.window1, p.window2); }},
    {"pairs of keys are", [](const Problem& p) { return p.window1 * p.window2; }}};

}  // namespace

/// The least and the most of some rows. A part of `Pool`, so it is not private to the file.
struct Extent {
  std::int64_t least = 0, most = 0;
  bool holds(std::int64_t size) const { return size >= least && size <= most; }
};

namespace {

template <typename SizeOf>
Extent measured_sizes(const Rows& rows, const SizeOf& size) {
  const auto [least, most] = std::ranges::minmax(rows, {}, [&](const ResultRow* row) { return size(row->problem); });
  return {size(least->problem), size(most->problem)};
}

Extent measured_lengths(const Rows& rows) {
  return measured_sizes(rows, [](const Problem& p) { return p.seq_len; });
}

/// A pair of windows; attention over all tokens is of one kind.
std::int64_t kind_of(const Problem& problem) {
  constexpr std::int64_t kMostWindow2 = std::int64_t{1} << 31;
  return problem.form == Form::dot_product ? 0 : problem.window1 * kMostWindow2 + problem.window2;
}

/// The sweep of the row that comes nearest to `wanted`, of equals of the one known best; none where none of its length
/// and heads is there.
std::optional<std::int64_t> sweep_like(const Rows& rows, const Problem& wanted) {
  Rows alike;
  std::ranges::copy_if(rows, std::back_inserter(alike), [&](const ResultRow* row) {
    return row->problem.seq_len == wanted.seq_len && row->problem.q_heads == wanted.q_heads;
  });
  if (alike.empty()) return std::nullopt;
  const ResultRow& nearest = **std::ranges::min_element(alike, {}, [&](const ResultRow* row) {
    const Problem& p = row->problem;
    const WindowsDistance windows = wanted.form == Form::dot_product
                                        ? WindowsDistance{}
                                        : windows_distance({wanted.window1, wanted.window2}, {p.window1, p.window2});
    return std::tuple(windows.area, windows.shape,
                      spread_percent(row->median_ms, row->ci_low_ms, row->ci_high_ms).value_or(100), row->measurement);
  });
  return nearest.sweep;
}

}  // namespace

/// The rows of one instance.
struct LayerEstimator::Pool {
  std::optional<std::string> instance;
  std::string name;
  Rows rows;
  Extent lengths, heads, windows[std::size(kWindowSizes)] = {};

  /// nullopt where the length lies between the rows' or as far beyond them as estimates reach.
  std::optional<LengthBeyond> beyond_lengths(std::int64_t seq_len) const {
    const std::int64_t below = instance ? kMostReach : 1;
    if (seq_len * below >= lengths.least && seq_len <= lengths.most * kMostReach) return std::nullopt;
    return LengthBeyond{name, lengths.least, lengths.most, seq_len < lengths.least ? below : kMostReach};
  }

  /// Empty where the heads and windows of `wanted` lie between those of the rows; else what does not.
  std::string outside(const Problem& wanted) const {
    const auto beyond = [&](const Size& size, const Extent& measured) {
      const std::int64_t asked = size.of(wanted);
      if (measured.holds(asked)) return std::string();
      return fmt::format("{} {} where {} was measured", size.what, asked,
                         measured.least == measured.most ? std::to_string(measured.least)
                                                         : fmt::format("{} to {}", measured.least, measured.most));
    };
    std::string found = beyond(kHeads, heads);
    if (wanted.form == Form::dot_product) return found;
    for (std::size_t n = 0; found.empty() && n < std::size(kWindowSizes); ++n)
      found = beyond(kWindowSizes[n], windows[n]);
    return found;
  }
};

/// Costs fitted to those rows of a pool that have as many parts as what is asked for.
struct LayerEstimator::Fitted {
  Rows rows;
  std::optional<WorkFit> fit;
  std::optional<std::string> instance;
  Extent lengths;
  std::set<std::int64_t> kinds, each_length;
  std::map<std::int64_t, std::set<std::int64_t>> kinds_of_heads;
  std::optional<std::vector<WorkFit>> others;  // of other instances, once they are asked for

  void take(const ResultRow& row) {
    rows.push_back(&row);
    kinds.insert(kind_of(row.problem));
    each_length.insert(row.problem.seq_len);
    kinds_of_heads[row.problem.q_heads].insert(kind_of(row.problem));
  }

  /// Whether no row has seen what begins there: the length is beyond all of theirs, or of the heads they have no pair
  /// of windows, or one other pair only. What parts miss is shared by rows of a length, and by those of windows at few
  /// heads; where the factor of a sweep takes it up, no scatter shows it.
  bool is_unseen(const Problem& wanted) const {
    if (!lengths.holds(wanted.seq_len)) return true;
    const auto found = kinds_of_heads.find(wanted.q_heads);
    return found == kinds_of_heads.end() || (found->second.size() < 2 && !found->second.contains(kind_of(wanted)));
  }

  /// Half of an interval, at least.
  double least_half(const Problem& wanted) const {
    if (is_unseen(wanted)) return kLeastHalfBeyond;
    return each_length.contains(wanted.seq_len) ? 0 : kLeastHalfBetween;
  }
};

LayerEstimator::LayerEstimator(std::span<const ResultRow* const> rows, const WorkIndex& table)
    : rows_(newest_version(rows)), table_(table) {}

LayerEstimator::~LayerEstimator() = default;

const LayerEstimator::Pool& LayerEstimator::pool_of(const std::optional<std::string>& instance) {
  std::unique_ptr<Pool>& kept = pools_[instance];
  if (kept) return *kept;
  kept = std::make_unique<Pool>();
  const std::string& kernel = rows_.front()->kernel;
  kept->instance = instance;
  kept->name = instance && !instance->empty() ? fmt::format("{} ({})", kernel, *instance) : kernel;
  kept->rows = rows_;
  if (instance) std::erase_if(kept->rows, [&](const ResultRow* row) { return row->instance != *instance; });
  if (kept->rows.empty()) return *kept;
  kept->lengths = measured_lengths(kept->rows);
  kept->heads = measured_sizes(kept->rows, kHeads.of);
  for (std::size_t n = 0; n < std::size(kWindowSizes); ++n)
    kept->windows[n] = measured_sizes(kept->rows, kWindowSizes[n].of);
  return *kept;
}

std::vector<double> LayerEstimator::parts_of(const std::optional<std::string>& instance, const Problem& problem) const {
  return instance ? tile_parts(table_, *rows_.front(), problem, *instance) : plain_parts(problem);
}

LayerEstimator::Fitted& LayerEstimator::fitted_to(const Pool& pool, std::size_t parts) {
  std::unique_ptr<Fitted>& kept = fitted_[{&pool, parts}];
  if (kept) return *kept;
  kept = std::make_unique<Fitted>();
  kept->instance = pool.instance;
  std::vector<WorkRow> work;
  for (const ResultRow* row : pool.rows) {
    WorkRow one{parts_of(pool.instance, row->problem), *row->median_ms, row->sweep, kind_of(row->problem)};
    if (one.parts.size() != parts) continue;
    work.push_back(std::move(one));
    kept->take(*row);
  }
  if (!kept->rows.empty()) kept->lengths = measured_lengths(kept->rows);
  kept->fit = fit_work(work);
  return *kept;
}

/// The fits of the kernel's other instances: they say nothing of its costs, but of how far sweeps scatter.
const std::vector<WorkFit>& LayerEstimator::other_instances(Fitted& fitted, const std::string& own) const {
  if (fitted.others) return *fitted.others;
  fitted.others.emplace();
  std::map<std::string, Rows> others;
  for (const ResultRow* row : rows_) {
    if (row->instance != own) others[row->instance].push_back(row);
  }
  for (const auto& [instance, rows] : others) {
    const std::size_t size = tile_parts(table_, *rows_.front(), rows.front()->problem, instance).size();
    if (size == 0) continue;
    std::vector<WorkRow> work;
    for (const ResultRow* row : rows) {
      std::vector<double> parts = tile_parts(table_, *rows_.front(), row->problem, instance);
      if (parts.size() == size) work.push_back({std::move(parts), *row->median_ms, row->sweep, kind_of(row->problem)});
    }
    if (std::optional<WorkFit> fit = fit_work(work)) fitted.others->push_back(*std::move(fit));
  }
  return *fitted.others;
}

std::optional<WorkEstimate> LayerEstimator::fitted_time(Fitted& fitted, const Problem& wanted, bool known) {
  const std::optional<std::int64_t> of = sweep_like(fitted.rows, wanted);
  std::vector<const WorkFit*> fits{&*fitted.fit};
  if (fitted.instance && !of) {
    for (const WorkFit& other : other_instances(fitted, *fitted.instance)) fits.push_back(&other);
  }
  std::optional<WorkEstimate> time =
      estimate_by_work(*fitted.fit, parts_of(fitted.instance, wanted), of, known, sweep_scatter(fits));
  if (time) time->half = std::max(time->half, fitted.least_half(wanted));
  return time;
}

LayerEstimate LayerEstimator::at(const Problem& wanted) {
  const std::optional<std::string> instance = chosen_instance(table_, *rows_.front(), wanted);
  const Pool& pool = pool_of(instance);
  LayerEstimate estimate;
  if (!instance && rows_.front()->kernel == kTiledKernel && !table_.knows_tiles())
    estimate.hint = "by triples alone, since this build does not know its tiles: one with CUDA does";
  const auto refuse = [&](std::string why) {
    estimate.reason = std::move(why);
    return estimate;
  };
  if (pool.rows.empty()) return refuse(fmt::format("{} would run it, which has no row here", pool.name));
  estimate.beyond = pool.beyond_lengths(wanted.seq_len);
  if (estimate.beyond) return refuse(length_text(*estimate.beyond, wanted.seq_len));
  if (const std::string beyond = pool.outside(wanted); !beyond.empty())
    return refuse(fmt::format("of {}, {}", pool.name, beyond));
  Fitted& fitted = fitted_to(pool, parts_of(instance, wanted).size());
  if (fitted.fit) {
    const bool known = fitted.kinds.contains(kind_of(wanted));
    const std::size_t kinds = fitted.fit->kinds;
    if (!known && !(fitted.fit->kind_degrees > 0)) {
      return refuse(fmt::format("{} has rows of {} here, which tell too little of others", pool.name,
                                kinds == 1 ? "one pair of windows" : fmt::format("{} pairs of windows", kinds)));
    }
    estimate.time = fitted_time(fitted, wanted, known);
  }
  if (!estimate.time)
    return refuse(
        fmt::format("{} has {} rows here, which are too few or too much alike", pool.name, fitted.rows.size()));
  estimate.basis = fmt::format("estimate by {} from {} rows", instance ? "tiles" : "triples", fitted.rows.size());
  return estimate;
}

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
  const WorkIndex index(table);
  return LayerEstimator(rows, index).at(wanted);
}

}  // namespace triscope
