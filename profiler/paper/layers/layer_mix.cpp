#include "profiler/paper/layers/layer_mix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "profiler/paper/layers/layer_estimate.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

/// What one layer is asked for.
struct Question {
  const LayerMixRequest& request;
  bool global;
  Pass pass;
};

bool answers(const ResultRow& row, const Question& question) {
  return is_layer_row(row, question.request, question.pass) &&
         (question.global ? is_global_layer(row, question.request) : is_simplicial_layer(row, question.request));
}

double triples_at(Problem problem, std::int64_t seq_len) {
  problem.seq_len = seq_len;
  if (problem.form == Form::dot_product) problem.window1 = seq_len;
  return triple_count(problem);
}

using Rows = std::vector<const ResultRow*>;

/// Half of the interval as a part of the time.
double half_of(const LayerTime& time) { return (time.high_ms - time.low_ms) / (2 * time.ms); }

std::map<std::string, Rows> by_kernel(std::span<const ResultRow> rows, const Question& question,
                                      const std::string& device) {
  std::map<std::string, Rows> kernels;
  for (const ResultRow& row : rows) {
    if (row.device == device && answers(row, question)) kernels[row.kernel].push_back(&row);
  }
  for (auto& [kernel, measured] : kernels) measured = newest_version(measured);
  return kernels;
}

/// `like` with the windows, heads and length that are asked for.
Problem wanted_problem(const Question& question, const Problem& like) {
  const LayerMixRequest& request = question.request;
  Problem problem = like;
  problem.seq_len = request.seq_len;
  problem.q_heads = request.q_heads;
  problem.window1 = question.global ? request.seq_len : request.windows.window1;
  if (!question.global) problem.window2 = request.windows.window2;
  return problem;
}

/// The rows with the windows and heads that are asked for: of each length the one that counts.
std::map<std::int64_t, const ResultRow*> by_length(const Rows& rows, const Question& question) {
  std::map<std::int64_t, Rows> measured;
  for (const ResultRow* row : rows) {
    const Problem& p = row->problem;
    const bool same = question.global || Windows{p.window1, p.window2} == question.request.windows;
    if (same && p.q_heads == question.request.q_heads) measured[p.seq_len].push_back(row);
  }
  std::map<std::int64_t, const ResultRow*> lengths;
  for (const auto& [length, alike] : measured) lengths[length] = row_that_counts(alike);
  return lengths;
}

/// nullopt where the interval is not known.
std::optional<MsRange> interval_of(const ResultRow& row) {
  if (!interval_known(row)) return std::nullopt;
  return MsRange{*row.ci_low_ms, *row.ci_high_ms};
}

/// Measured, or between two measured lengths: a line in the number of triples. Without a time where it is neither; with
/// a reason where a row of it is known too badly.
LayerAnswer known_time(const Rows& rows, const Question& question) {
  const std::map<std::int64_t, const ResultRow*> lengths = by_length(rows, question);
  const std::int64_t seq_len = question.request.seq_len;
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
      .kind = measured ? LayerBasis::measured : LayerBasis::between_lengths};
  if (half_of(time) <= kWidestHalf) return {time, ""};
  return {{}, fmt::format("{}, known to +-{:.0f} % only", where, 100 * half_of(time))};
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

std::string windows_text(const Windows& windows) { return fmt::format("{}x{}", windows.window1, windows.window2); }

[[noreturn]] void refuse(const Question& question, const std::string& reason) {
  const LayerMixRequest& r = question.request;
  const std::string windows = windows_text(r.windows);
  const std::string form = r.form == LayerMixRequest{}.form ? "" : fmt::format("--form {} ", to_string(r.form));
  throw Error("the layers cannot be added up",
              fmt::format("the {} of {} with {}/{} heads of {} at {} tokens is not known well enough{}{}",
                          to_string(question.pass), question.global ? r.dot_kernel : windows, r.q_heads, r.kv_heads,
                          r.head_dim, r.seq_len, reason.empty() ? ": it was not measured" : ": ", reason),
              fmt::format("measure it: triscope sweep --pass forward,backward {}--windows {} --seq {} --q-heads {} "
                          "--kv-heads {} --head-dim {}",
                          form, windows, r.seq_len, r.q_heads, r.kv_heads, r.head_dim),
              ExitCode::usage);
}

/// Refuses a kernel of the global layers of which there is no row, where there are rows of others.
void require_dot_kernel(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  constexpr std::size_t kMostNamed = 8;
  const std::set<std::string> measured = dot_kernels(rows);
  if (measured.empty() || measured.contains(request.dot_kernel)) return;
  std::vector<std::string> names(measured.begin(), measured.end());
  names.resize(std::min(names.size(), kMostNamed));
  std::vector<std::string> known = names;
  if (request.dot_kernel != LayerMixRequest{}.dot_kernel) known.push_back(LayerMixRequest{}.dot_kernel);
  throw Error("the layers cannot be added up",
              fmt::format("the database has no row of dot-product attention by {}", request.dot_kernel),
              fmt::format("{}name one that it has with --match: {}", nearest_name_hint(request.dot_kernel, known),
                          fmt::join(names, ", ")),
              ExitCode::usage);
}

using Kernels = std::map<std::string, Rows>;

/// The fastest that is known without an estimate.
LayerAnswer best_known(const Kernels& kernels, const Question& question) {
  LayerAnswer best;
  for (const auto& [kernel, measured] : kernels) {
    LayerAnswer one = known_time(measured, question);
    if (!best.time && best.reason.empty()) best.reason = one.reason;
    if (one.time && (!best.time || better(*one.time, *best.time))) best = std::move(one);
  }
  return best;
}

LayerAnswer best_estimate(const Kernels& kernels, const Question& question, const WorkTable& table) {
  LayerAnswer best;  // without a time, the reason is that of the kernel with most rows
  std::size_t most = 0;
  for (const auto& [kernel, measured] : kernels) {
    const LayerEstimate estimate = estimate_layer(measured, wanted_problem(question, measured.front()->problem), table);
    if (estimate.time && estimate.time->half <= kWidestHalf) {
      const LayerTime time = estimated(*estimate.time, kernel, estimate.basis);
      if (!best.time || better(time, *best.time)) best.time = time;
    } else if (measured.size() > most) {
      most = measured.size();
      best.reason = estimate.reason;
      best.beyond = estimate.beyond;
      if (estimate.time) {
        best.reason =
            fmt::format("an estimate from {} would be off by up to {:.0f} %", kernel, 100 * estimate.time->half);
        if (!estimate.hint.empty()) best.reason += fmt::format(" ({})", estimate.hint);
      }
    }
  }
  return best;
}

/// The least time of each problem.
std::map<std::array<std::int64_t, 4>, double> least_times(const Rows& rows) {
  std::map<std::array<std::int64_t, 4>, double> least;
  for (const ResultRow* row : rows) {
    const Problem& p = row->problem;
    const auto [place, is_new] = least.try_emplace({p.seq_len, p.q_heads, p.window1, p.window2}, *row->median_ms);
    place->second = std::min(place->second, *row->median_ms);
  }
  return least;
}

/// What has to be estimated: kernels without a time of their own, where none has one, and where one has, those that
/// were faster than it at a problem that both ran.
Kernels to_estimate(const Kernels& kernels, const Question& question, const std::optional<LayerTime>& known) {
  Kernels kept;
  for (const auto& [kernel, measured] : kernels) {
    if (known_time(measured, question).time) continue;
    if (known) {
      const auto theirs = least_times(kernels.at(known->kernel));
      const auto faster = [&](const auto& one) {
        const auto other = theirs.find(one.first);
        return other != theirs.end() && one.second < other->second;
      };
      if (std::ranges::none_of(least_times(measured), faster)) continue;
    }
    kept.emplace(kernel, measured);
  }
  return kept;
}

LayerAnswer layer_time(std::span<const ResultRow> rows, const Question& question, const std::string& device,
                       const WorkTable& table) {
  const Kernels kernels = by_kernel(rows, question, device);
  LayerAnswer known = best_known(kernels, question);
  LayerAnswer estimate = best_estimate(to_estimate(kernels, question, known.time), question, table);
  if (known.time && !(estimate.time && better(*estimate.time, *known.time))) return known;
  if (!known.reason.empty()) {
    estimate.reason = known.reason + (estimate.reason.empty() ? "" : "; " + estimate.reason);
    estimate.beyond.reset();
  }
  return estimate;
}

LayerTime required_time(std::span<const ResultRow> rows, const Question& question, const std::string& device,
                        const WorkTable& table) {
  LayerAnswer answer = layer_time(rows, question, device, table);
  if (!answer.time) refuse(question, answer.reason);
  return *std::move(answer.time);
}

std::string usual_device(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  std::map<std::string, int> counts;
  for (const ResultRow& row : rows) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      for (const bool global : {false, true}) {
        if (answers(row, {request, global, pass})) ++counts[row.device];
      }
    }
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? request.device : most->first;
}

}  // namespace

std::string range_text(const MsRange& range, int digits) {
  return fmt::format("{} to {}", significant_text(range.low, digits), significant_text(range.high, digits));
}

std::string time_text(const LayerTime& time, int digits) {
  return time.is_number() ? significant_text(time.ms, digits) : range_text(time.interval(), digits);
}

std::string windows_cost_text(std::span<const ResultRow> rows, const LayerMixRequest& request, const WorkTable& table) {
  std::string text;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const LayerAnswer answer = simplicial_time(rows, request, pass, table);
    if (!answer.time) {
      const std::string whose = text.empty()
                                    ? fmt::format("The {} of {}", to_string(pass), windows_text(request.windows))
                                    : fmt::format(" Its {}", to_string(pass));
      text += fmt::format("{} is not known: {}.", whose, answer.reason.empty() ? "it was not measured" : answer.reason);
      continue;
    }
    const LayerTime& time = *answer.time;
    text += fmt::format("{} takes {} ms {} ({}, {}).", text.empty() ? windows_text(request.windows) : " It",
                        time_text(time, 3), to_string(pass), time.kernel, time.basis_text());
  }
  return text;
}

bool LayerTime::is_number() const { return half_of(*this) <= kNumberHalf; }

std::string LayerTime::basis_text() const {
  return fmt::format("{}, +-{} %", basis, significant_text(100 * half_of(*this), 2));
}

LayerCosts layer_costs(std::span<const ResultRow> rows, const LayerMixRequest& request, const WorkTable& table) {
  require_dot_kernel(rows, request);
  const std::string device = usual_device(rows, request);
  const auto cost = [&](bool global) {
    return LayerCost{required_time(rows, {request, global, Pass::forward}, device, table),
                     required_time(rows, {request, global, Pass::backward}, device, table)};
  };
  return {cost(false), cost(true)};
}

void add_once(std::vector<Problem>& problems, const Problem& problem) {
  if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
}

LayerAnswer simplicial_time(std::span<const ResultRow> rows, const LayerMixRequest& request, Pass pass,
                            const WorkTable& table) {
  return layer_time(rows, {request, false, pass}, usual_device(rows, request), table);
}

LayerAnswer global_time(std::span<const ResultRow> rows, const LayerMixRequest& request, Pass pass) {
  return layer_time(rows, {request, true, pass}, usual_device(rows, request), {});
}

std::vector<Problem> problems_to_count(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  std::vector<Problem> problems = problems_to_count(rows, request, Pass::forward);
  for (const Problem& problem : problems_to_count(rows, request, Pass::backward)) add_once(problems, problem);
  return problems;
}

std::vector<Problem> problems_to_count(std::span<const ResultRow> rows, const LayerMixRequest& request, Pass pass) {
  std::vector<Problem> problems;
  const Question question{request, false, pass};
  const Kernels kernels = by_kernel(rows, question, usual_device(rows, request));
  for (const auto& [kernel, measured] : to_estimate(kernels, question, best_known(kernels, question).time)) {
    for (const ResultRow* row : measured) add_once(problems, row->problem);
    add_once(problems, wanted_problem(question, measured.front()->problem));
  }
  return problems;
}

MsRange mix_range(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers,
                  std::int64_t sequences) {
  MsRange sum;
  const auto add = [&](const LayerCost& cost, std::int64_t count) {
    for (const LayerTime& time : {cost.forward, cost.backward}) {
      const double times = static_cast<double>(sequences) * static_cast<double>(count);
      sum.low += times * time.interval().low;
      sum.high += times * time.interval().high;
    }
  };
  add(costs.simplicial, simplicial_layers);
  add(costs.global, layers - simplicial_layers);
  return sum;
}

double mix_ms(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers, std::int64_t sequences) {
  const MsRange range = mix_range(costs, layers, simplicial_layers, sequences);
  return (range.low + range.high) / 2;
}

MsRange ratio_range(const MsRange& simplicial, const MsRange& global) {
  return {simplicial.low / global.high, simplicial.high / global.low};
}

MsRange step_range(const LayerCost& cost) {
  return {cost.forward.low_ms + cost.backward.low_ms, cost.forward.high_ms + cost.backward.high_ms};
}

MsRange mix_ratio(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers) {
  const MsRange one = ratio_range(step_range(costs.simplicial), step_range(costs.global));
  const double share = static_cast<double>(simplicial_layers) / static_cast<double>(layers);
  return {1 + share * (one.low - 1), 1 + share * (one.high - 1)};
}

std::int64_t every_nth(std::int64_t layers, std::int64_t n) { return layers / n; }

BudgetMixes mixes_within(const LayerCosts& costs, std::int64_t layers, double budget_ms, std::int64_t sequences) {
  BudgetMixes mixes{layers + 1, -1};
  for (std::int64_t count = 0; count <= layers; ++count) {
    if (mix_range(costs, layers, count, sequences).high > budget_ms) continue;
    mixes.fewest = std::min(mixes.fewest, count);
    mixes.most = count;
  }
  return mixes;
}

}  // namespace triscope
