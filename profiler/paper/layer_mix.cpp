#include "profiler/paper/layer_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"

namespace triscope {
namespace {

/// What one layer is asked for.
struct Question {
  const LayerMixRequest& request;
  bool global;
  Pass pass;
};

bool is_global(const ResultRow& row, const LayerMixRequest& request) {
  return row.kernel == request.dot_kernel && row.problem.form == Form::dot_product &&
         row.problem.window1 >= row.problem.seq_len;
}

bool is_simplicial(const ResultRow& row, const LayerMixRequest& request) {
  return row.problem.form == request.form && Windows{row.problem.window1, row.problem.window2} == request.windows &&
         row.card.kind == KernelKind::simplicial;
}

bool fits(const ResultRow& row, const Question& question) {
  const LayerMixRequest& request = question.request;
  const Problem& p = row.problem;
  return row.status == Status::ok && row.median_ms && *row.median_ms > 0 && row.regime == request.regime &&
         row.pass == question.pass && p.batch == 1 && p.q_heads == request.q_heads && p.kv_heads == request.kv_heads &&
         p.head_dim == request.head_dim && p.mask == Mask::causal && !p.sink &&
         (question.global ? is_global(row, request) : is_simplicial(row, request));
}

double triples_at(Problem problem, std::int64_t seq_len) {
  problem.seq_len = seq_len;
  if (problem.form == Form::dot_product) problem.window1 = seq_len;
  return triple_count(problem);
}

using ByLength = std::map<std::int64_t, const ResultRow*>;

/// Of each length the newest row of one kernel.
std::map<std::string, ByLength> by_kernel(std::span<const ResultRow> rows, const Question& question,
                                          const std::string& device) {
  std::map<std::string, ByLength> kernels;
  for (const ResultRow& row : rows) {
    if (row.device != device || !fits(row, question)) continue;
    const ResultRow*& kept = kernels[row.kernel][row.problem.seq_len];
    if (kept == nullptr || row.measurement > kept->measurement) kept = &row;
  }
  return kernels;
}

LayerTime time_at(const ByLength& lengths, std::int64_t seq_len) {
  const auto above = lengths.lower_bound(seq_len);
  const ResultRow& row = *(above == lengths.end() ? std::prev(above) : above)->second;
  const double wanted = triples_at(row.problem, seq_len);
  if (row.problem.seq_len == seq_len) return {*row.median_ms, row.kernel, "measured", true};
  if (above == lengths.end() || above == lengths.begin()) {
    return {*row.median_ms * wanted / triples_at(row.problem, row.problem.seq_len), row.kernel,
            fmt::format("scaled from {} tokens", row.problem.seq_len), false};
  }
  const ResultRow& below = *std::prev(above)->second;
  const double low = triples_at(row.problem, below.problem.seq_len),
               high = triples_at(row.problem, row.problem.seq_len);
  return {std::lerp(*below.median_ms, *row.median_ms, (wanted - low) / (high - low)), row.kernel,
          fmt::format("between {} and {} tokens", below.problem.seq_len, row.problem.seq_len), false};
}

/// A measured length before one that is not, then the faster kernel.
bool better(const LayerTime& a, const LayerTime& b) { return a.measured != b.measured ? a.measured : a.ms < b.ms; }

LayerTime layer_time(std::span<const ResultRow> rows, const Question& question, const std::string& device) {
  std::optional<LayerTime> best;
  for (const auto& [kernel, lengths] : by_kernel(rows, question, device)) {
    const LayerTime time = time_at(lengths, question.request.seq_len);
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
        if (fits(row, {request, global, pass})) ++counts[row.device];
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
