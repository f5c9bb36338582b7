#include "profiler/paper/layers/layer_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "kernels/base/work_count.hpp"
#include "profiler/paper/layers/layer_estimate.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using Rows = std::vector<const ResultRow*>;

bool answers(const ResultRow& row, const LayerMixRequest& request, bool global, Pass pass) {
  return is_layer_row(row, request, pass) &&
         (global ? is_global_layer(row, request) : is_simplicial_layer(row, request));
}

double triples_at(Problem problem, std::int64_t seq_len) {
  problem.seq_len = seq_len;
  if (problem.form == Form::dot_product) problem.window1 = seq_len;
  return triple_count(problem);
}

/// nullopt where the interval is not known.
std::optional<MsRange> interval_of(const ResultRow& row) {
  if (!interval_known(row)) return std::nullopt;
  return MsRange{*row.ci_low_ms, *row.ci_high_ms};
}

LayerTime estimated(const WorkEstimate& estimate, const std::string& kernel, const std::string& basis) {
  return {.ms = estimate.ms,
          .low_ms = estimate.ms * (1 - estimate.half),
          .high_ms = estimate.ms * (1 + estimate.half),
          .kernel = kernel,
          .basis = basis,
          .kind = LayerBasis::estimated};
}

/// The kernel that is surely done earlier. So a time that is known badly does not stand before one that is known well,
/// and a measured one not before that of a faster kernel.
bool better(const LayerTime& a, const LayerTime& b) { return a.high_ms < b.high_ms; }

/// The least time of each problem.
using LeastTimes = std::map<std::array<std::int64_t, 4>, double>;

LeastTimes least_times(const Rows& rows) {
  LeastTimes least;
  for (const ResultRow* row : rows) {
    const Problem& p = row->problem;
    const auto [place, is_new] = least.try_emplace({p.seq_len, p.q_heads, p.window1, p.window2}, *row->median_ms);
    place->second = std::min(place->second, *row->median_ms);
  }
  return least;
}

}  // namespace

/// One kernel's rows of its newest version, and what was made of them so far.
struct LayerTimes::Kernel {
  std::string id;
  Rows rows;
  std::map<std::pair<std::int64_t, std::int64_t>, Curve> curves;  // by windows
  std::optional<LeastTimes> least;
  std::map<const Kernel*, bool> faster_than;
  std::optional<LayerEstimator> estimator;
  std::optional<ProblemList> problems;

  const LeastTimes& least_of_all() {
    if (!least) least = least_times(rows);
    return *least;
  }
};

bool LayerTime::is_number() const { return half() <= kNumberHalf; }

std::string LayerTime::basis_text() const {
  return fmt::format("{}, +-{} %", basis, significant_text(100 * half(), 2));
}

std::string usual_device(std::span<const ResultRow* const> rows, const LayerMixRequest& request) {
  std::map<std::string, int> counts;
  for (const ResultRow* row : rows) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      for (const bool global : {false, true}) {
        if (answers(*row, request, global, pass)) ++counts[row->device];
      }
    }
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? request.device : most->first;
}

LayerTimes::LayerTimes(std::span<const ResultRow* const> rows, const LayerMixRequest& request,
                       const std::string& device, Kind kind, Pass pass, const WorkTable& table)
    : request_(request), global_(kind == Kind::global), table_(table) {
  for (const ResultRow* row : rows) {
    ++work_count.rows;
    if (row->device != device || !answers(*row, request, global_, pass)) continue;
    std::unique_ptr<Kernel>& kernel = kernels_[row->kernel];
    if (!kernel) kernel = std::make_unique<Kernel>();
    kernel->id = row->kernel;
    kernel->rows.push_back(row);
  }
  for (auto& [id, kernel] : kernels_) kernel->rows = newest_version(kernel->rows);
}

LayerTimes::~LayerTimes() = default;

void LayerTimes::ask(std::int64_t seq_len, const Windows& windows) {
  request_.seq_len = seq_len;
  request_.windows = windows;
}

/// A row's problem with the windows, heads and length that are asked for.
Problem LayerTimes::wanted_problem(const Kernel& kernel) const {
  Problem problem = kernel.rows.front()->problem;
  problem.seq_len = request_.seq_len;
  problem.q_heads = request_.q_heads;
  problem.window1 = global_ ? request_.seq_len : request_.windows.window1;
  if (!global_) problem.window2 = request_.windows.window2;
  return problem;
}

/// The rows with the windows and heads that are asked for: of each length the one that counts.
const LayerTimes::Curve& LayerTimes::curve_of(Kernel& kernel) const {
  const std::pair windows =
      global_ ? std::pair<std::int64_t, std::int64_t>{} : std::pair(request_.windows.window1, request_.windows.window2);
  const auto [found, missing] = kernel.curves.try_emplace(windows);
  if (!missing) return found->second;
  std::map<std::int64_t, Rows> measured;
  for (const ResultRow* row : kernel.rows) {
    const Problem& p = row->problem;
    const bool same = global_ || std::pair(p.window1, p.window2) == windows;
    if (same && p.q_heads == request_.q_heads) measured[p.seq_len].push_back(row);
  }
  for (const auto& [length, alike] : measured) found->second[length] = row_that_counts(alike);
  return found->second;
}

/// Measured, or between two measured lengths: a line in the number of triples. Without a time where it is neither; with
/// a reason where a row of it is known too badly.
LayerAnswer LayerTimes::known_time(Kernel& kernel) const {
  const Curve& lengths = curve_of(kernel);
  const std::int64_t seq_len = request_.seq_len;
  const auto above = lengths.lower_bound(seq_len);
  if (above == lengths.end()) return {};
  const bool measured = above->first == seq_len;
  if (!measured && above == lengths.begin()) return {};
  const ResultRow &high = *above->second, &low = measured ? high : *std::prev(above)->second;
  if (high.problem.seq_len > kMostReach * low.problem.seq_len) return {};  // no test has judged such a line
  const std::optional<MsRange> low_ends = interval_of(low), high_ends = interval_of(high);
  const std::string where = fmt::format("{} took {} ms here", high.kernel, significant_text(*high.median_ms, 3));
  if (!low_ends || !high_ends) return {{}, where + ", with an interval that is not known"};
  const double least = triples_at(high.problem, low.problem.seq_len),
               most = triples_at(high.problem, high.problem.seq_len);
  const double way = measured ? 0 : (triples_at(high.problem, seq_len) - least) / (most - least);
  const LayerTime time{
      .ms = std::lerp(*low.median_ms, *high.median_ms, way),
      .low_ms = std::lerp(low_ends->low, high_ends->low, way),
      .high_ms = std::lerp(low_ends->high, high_ends->high, way),
      .kernel = high.kernel,
      .basis =
          measured ? "measured" : fmt::format("between {} and {} tokens", low.problem.seq_len, high.problem.seq_len),
      .kind = measured ? LayerBasis::measured : LayerBasis::between_lengths,
      .row = measured ? &high : nullptr};
  if (time.half() <= kWidestHalf) return {time, ""};
  return {{}, fmt::format("{}, known to +-{:.0f} % only", where, 100 * time.half())};
}

/// The fastest that is known without an estimate.
LayerAnswer LayerTimes::best_known() {
  LayerAnswer best;
  for (const auto& [id, kernel] : kernels_) {
    LayerAnswer one = known_time(*kernel);
    if (!best.time && best.reason.empty()) best.reason = one.reason;
    if (one.time && (!best.time || better(*one.time, *best.time))) best = std::move(one);
  }
  return best;
}

/// At a problem that both ran.
bool LayerTimes::was_faster(Kernel& kernel, Kernel& than) const {
  const auto [found, missing] = kernel.faster_than.try_emplace(&than);
  if (!missing) return found->second;
  const LeastTimes& theirs = than.least_of_all();
  found->second = std::ranges::any_of(kernel.least_of_all(), [&](const auto& one) {
    const auto other = theirs.find(one.first);
    return other != theirs.end() && one.second < other->second;
  });
  return found->second;
}

/// Kernels without a time of their own, where none has one, and where one has, those that were faster than it.
std::vector<LayerTimes::Kernel*> LayerTimes::to_estimate(const LayerAnswer& known) {
  std::vector<Kernel*> kept;
  for (const auto& [id, kernel] : kernels_) {
    if (known_time(*kernel).time) continue;
    if (!known.time || was_faster(*kernel, *kernels_.at(known.time->kernel))) kept.push_back(kernel.get());
  }
  return kept;
}

LayerAnswer LayerTimes::best_estimate(const LayerAnswer& known) {
  LayerAnswer best;  // without a time, the reason is that of the kernel with most rows
  std::size_t most = 0;
  for (Kernel* kernel : to_estimate(known)) {
    if (!kernel->estimator) kernel->estimator.emplace(kernel->rows, table_);
    const LayerEstimate estimate = kernel->estimator->at(wanted_problem(*kernel));
    if (estimate.time && estimate.time->half <= kWidestHalf) {
      const LayerTime time = estimated(*estimate.time, kernel->id, estimate.basis);
      if (!best.time || better(time, *best.time)) best.time = time;
    } else if (kernel->rows.size() > most) {
      most = kernel->rows.size();
      best.reason = estimate.reason;
      best.beyond = estimate.beyond;
      if (estimate.time) {
        best.reason =
            fmt::format("an estimate from {} would be off by up to {:.0f} %", kernel->id, 100 * estimate.time->half);
        if (!estimate.hint.empty()) best.reason += fmt::format(" ({})", estimate.hint);
      }
    }
  }
  return best;
}

LayerAnswer LayerTimes::at(std::int64_t seq_len, const Windows& windows) {
  ask(seq_len, windows);
  LayerAnswer known = best_known();
  LayerAnswer estimate = best_estimate(known);
  if (known.time && !(estimate.time && better(*estimate.time, *known.time))) return known;
  if (!known.reason.empty()) {
    estimate.reason = known.reason + (estimate.reason.empty() ? "" : "; " + estimate.reason);
    estimate.beyond.reset();
  }
  return estimate;
}

void LayerTimes::add_problems(std::int64_t seq_len, const Windows& windows, ProblemList& problems) {
  ask(seq_len, windows);
  for (Kernel* kernel : to_estimate(best_known())) {
    if (!kernel->problems) {
      kernel->problems.emplace();
      for (const ResultRow* row : kernel->rows) kernel->problems->add(row->problem);
    }
    problems.add(kernel->problems->list());
    problems.add(wanted_problem(*kernel));
  }
}

}  // namespace triscope
