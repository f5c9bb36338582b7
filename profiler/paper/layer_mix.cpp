#include "profiler/paper/layer_mix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "profiler/statistics/row_that_counts.hpp"

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

using ByLength = std::map<std::int64_t, const ResultRow*>;
using ByHeads = std::map<std::int64_t, ByLength>;
/// Of one kernel; global layers under windows of 0.
struct MeasuredKernel {
  std::vector<std::pair<Windows, ByHeads>> windows;
};

/// Of each kernel, windows, heads and length the row that counts.
std::map<std::string, MeasuredKernel> by_kernel(std::span<const ResultRow> rows, const Question& question,
                                                const std::string& device) {
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, std::vector<const ResultRow*>> measured;
  for (const ResultRow& row : rows) {
    if (row.device != device || !answers(row, question)) continue;
    const Problem& p = row.problem;
    const Windows windows = question.global ? Windows{0, 0} : Windows{p.window1, p.window2};
    measured[{row.kernel, windows.window1, windows.window2, p.q_heads, p.seq_len}].push_back(&row);
  }
  std::map<std::string, MeasuredKernel> kernels;
  for (const auto& [key, alike] : measured) {
    const auto& [kernel, window1, window2, heads, length] = key;
    auto& all = kernels[kernel].windows;
    if (all.empty() || all.back().first != Windows{window1, window2}) all.push_back({{window1, window2}, {}});
    all.back().second[heads][length] = row_that_counts(alike);
  }
  return kernels;
}

/// What a time was made of, beside a measured row: each part is an assumption.
struct Estimate {
  double ms = 0;
  std::vector<std::string> assumed;
};

Estimate at_length(const ByLength& lengths, std::int64_t seq_len) {
  const auto above = lengths.lower_bound(seq_len);
  const ResultRow& row = *(above == lengths.end() ? std::prev(above) : above)->second;
  const double wanted = triples_at(row.problem, seq_len);
  if (row.problem.seq_len == seq_len) return {*row.median_ms, {}};
  if (above == lengths.end() || above == lengths.begin()) {
    return {*row.median_ms * wanted / triples_at(row.problem, row.problem.seq_len),
            {fmt::format("scaled from {} tokens", row.problem.seq_len)}};
  }
  const ResultRow& below = *std::prev(above)->second;
  const double low = triples_at(row.problem, below.problem.seq_len),
               high = triples_at(row.problem, row.problem.seq_len);
  return {std::lerp(*below.median_ms, *row.median_ms, (wanted - low) / (high - low)),
          {fmt::format("between {} and {} tokens", below.problem.seq_len, row.problem.seq_len)}};
}

Estimate at_heads(const ByHeads& heads, const LayerMixRequest& request) {
  const auto above = heads.lower_bound(request.q_heads);
  const auto near = above == heads.end() ? std::prev(above) : above;
  Estimate estimate = at_length(near->second, request.seq_len);
  if (near->first == request.q_heads) return estimate;
  if (above == heads.end() || above == heads.begin()) {
    estimate.ms *= static_cast<double>(request.q_heads) / static_cast<double>(near->first);
    estimate.assumed.push_back(fmt::format("scaled from {} heads", near->first));
    return estimate;
  }
  const auto below = std::prev(above);
  const Estimate low = at_length(below->second, request.seq_len);
  const double way =
      static_cast<double>(request.q_heads - below->first) / static_cast<double>(near->first - below->first);
  estimate.ms = std::lerp(low.ms, estimate.ms, way);
  estimate.assumed.insert(estimate.assumed.begin(), low.assumed.begin(), low.assumed.end());
  const auto [first, last] = std::ranges::unique(estimate.assumed);
  estimate.assumed.erase(first, last);
  estimate.assumed.push_back(fmt::format("between {} and {} heads", below->first, near->first));
  return estimate;
}

LayerTime time_of(const std::string& kernel, const MeasuredKernel& measured, const Question& question) {
  const Windows& wanted = question.request.windows;
  const auto& [windows, heads] = *std::ranges::min_element(measured.windows, {}, [&](const auto& one) {
    return question.global ? WindowsDistance{} : windows_distance(wanted, one.first);
  });
  Estimate estimate = at_heads(heads, question.request);
  if (!question.global && windows != wanted) {
    const std::int64_t length = question.request.seq_len;
    estimate.ms *= layer_triples(wanted, length) / layer_triples(windows, length);
    estimate.assumed.push_back(fmt::format("from {}x{} by triples", windows.window1, windows.window2));
  }
  const bool is_measured = estimate.assumed.empty();
  return {estimate.ms, kernel, is_measured ? "measured" : fmt::format("{}", fmt::join(estimate.assumed, ", ")),
          is_measured, static_cast<int>(estimate.assumed.size())};
}

/// Fewer assumptions before more, so a measured time before every other; then the faster kernel.
bool better(const LayerTime& a, const LayerTime& b) {
  return a.assumptions != b.assumptions ? a.assumptions < b.assumptions : a.ms < b.ms;
}

LayerTime layer_time(std::span<const ResultRow> rows, const Question& question, const std::string& device) {
  std::optional<LayerTime> best;
  for (const auto& [kernel, measured] : by_kernel(rows, question, device)) {
    const LayerTime time = time_of(kernel, measured, question);
    if (!best || better(time, *best)) best = time;
  }
  if (best) return *best;
  const LayerMixRequest& r = question.request;
  const std::string windows = fmt::format("{}x{}", r.windows.window1, r.windows.window2);
  throw Error("the layers cannot be added up",
              fmt::format("the {} of {} was not measured with {}/{} heads of {}", to_string(question.pass),
                          question.global ? r.dot_kernel : windows, r.q_heads, r.kv_heads, r.head_dim),
              fmt::format("measure it: triscope sweep --pass forward,backward --windows {} --seq {} --q-heads {} "
                          "--kv-heads {} --head-dim {}",
                          windows, r.seq_len, r.q_heads, r.kv_heads, r.head_dim),
              ExitCode::usage);
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
  return most == counts.end() ? std::string() : most->first;
}

}  // namespace

LayerCosts layer_costs(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  const std::string device = usual_device(rows, request);
  const auto cost = [&](bool global) {
    return LayerCost{layer_time(rows, {request, global, Pass::forward}, device),
                     layer_time(rows, {request, global, Pass::backward}, device)};
  };
  return {cost(false), cost(true)};
}

double mix_ms(const LayerCosts& costs, std::int64_t layers, std::int64_t simplicial_layers, std::int64_t sequences) {
  return static_cast<double>(sequences) * (static_cast<double>(simplicial_layers) * costs.simplicial.step_ms() +
                                           static_cast<double>(layers - simplicial_layers) * costs.global.step_ms());
}

std::int64_t every_nth(std::int64_t layers, std::int64_t n) { return layers / n; }

BudgetMixes mixes_within(const LayerCosts& costs, std::int64_t layers, double budget_ms, std::int64_t sequences) {
  BudgetMixes mixes{layers + 1, -1};
  for (std::int64_t count = 0; count <= layers; ++count) {
    if (mix_ms(costs, layers, count, sequences) > budget_ms) continue;
    mixes.fewest = std::min(mixes.fewest, count);
    mixes.most = count;
  }
  return mixes;
}

}  // namespace triscope
