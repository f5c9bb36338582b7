#include "profiler/paper/layers/layer_mix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

/// What one layer is asked for.
struct Question {
  const LayerMixRequest& request;
  LayerTimes::Kind kind;
  Pass pass;
};

std::vector<const ResultRow*> pointers_to(std::span<const ResultRow> rows) {
  std::vector<const ResultRow*> pointers;
  pointers.reserve(rows.size());
  for (const ResultRow& row : rows) pointers.push_back(&row);
  return pointers;
}

std::string windows_text(const Windows& windows) { return fmt::format("{}x{}", windows.window1, windows.window2); }

[[noreturn]] void refuse(const Question& question, const std::string& reason) {
  const LayerMixRequest& r = question.request;
  const std::string windows = windows_text(r.windows);
  const std::string form = r.form == LayerMixRequest{}.form ? "" : fmt::format("--form {} ", to_string(r.form));
  throw Error("the layers cannot be added up",
              fmt::format("the {} of {} with {}/{} heads of {} at {} tokens is not known well enough{}{}",
                          to_string(question.pass), question.kind == LayerTimes::Kind::global ? r.dot_kernel : windows,
                          r.q_heads, r.kv_heads, r.head_dim, r.seq_len, reason.empty() ? ": it was not measured" : ": ",
                          reason),
              fmt::format("measure it: `triscope sweep --pass forward,backward {}--windows {} --seq {} --q-heads {} "
                          "--kv-heads {} --head-dim {}`",
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

LayerAnswer layer_time(std::span<const ResultRow* const> rows, const Question& question, const std::string& device,
                       const WorkTable& table) {
  return LayerTimes(rows, question.request, device, question.kind, question.pass, table)
      .at(question.request.seq_len, question.request.windows);
}

LayerTime required_time(std::span<const ResultRow* const> rows, const Question& question, const std::string& device,
                        const WorkTable& table) {
  LayerAnswer answer = layer_time(rows, question, device, table);
  if (!answer.time) refuse(question, answer.reason);
  return *std::move(answer.time);
}

void add_problems(std::span<const ResultRow* const> rows, const LayerMixRequest& request, Pass pass,
                  ProblemList& problems) {
  LayerTimes(rows, request, usual_device(rows, request), LayerTimes::Kind::simplicial, pass, {})
      .add_problems(request.seq_len, request.windows, problems);
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

LayerCosts layer_costs(std::span<const ResultRow> rows, const LayerMixRequest& request, const WorkTable& table) {
  require_dot_kernel(rows, request);
  const std::vector<const ResultRow*> all = pointers_to(rows);
  const std::string device = usual_device(all, request);
  const auto cost = [&](LayerTimes::Kind kind) {
    return LayerCost{required_time(all, {request, kind, Pass::forward}, device, table),
                     required_time(all, {request, kind, Pass::backward}, device, table)};
  };
  return {cost(LayerTimes::Kind::simplicial), cost(LayerTimes::Kind::global)};
}

LayerAnswer simplicial_time(std::span<const ResultRow> rows, const LayerMixRequest& request, Pass pass,
                            const WorkTable& table) {
  const std::vector<const ResultRow*> all = pointers_to(rows);
  return layer_time(all, {request, LayerTimes::Kind::simplicial, pass}, usual_device(all, request), table);
}

std::vector<Problem> problems_to_count(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  const std::vector<const ResultRow*> all = pointers_to(rows);
  ProblemList problems;
  for (const Pass pass : {Pass::forward, Pass::backward}) add_problems(all, request, pass, problems);
  return problems.list();
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
