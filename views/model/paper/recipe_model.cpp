#include "views/model/paper/recipe_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plus_minus.hpp"
#include "profiler/export/text_table.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/layers/measured_layer.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// Both passes were measured.
bool both(const std::set<Pass>& passes) { return passes.contains(Pass::forward) && passes.contains(Pass::backward); }

/// Ids of kernels and their labels, the longer of two that begin alike first.
using KernelLabels = std::map<std::string, std::string, std::greater<>>;
KernelLabels labels_of(const std::vector<ResultRow>& rows) {
  KernelLabels labels;
  for (const ResultRow& row : rows) labels.emplace(row.kernel, row.card.label.empty() ? row.kernel : row.card.label);
  return labels;
}

/// Kernels by the names that the window has for them: words that the command line shares have their ids.
std::string with_labels(std::string text, const KernelLabels& labels) {
  for (const auto& [id, label] : labels) {
    for (std::size_t at = 0; (at = text.find(id, at)) != std::string::npos; at += label.size())
      text.replace(at, id.size(), label);
  }
  return text;
}

}  // namespace

std::string with_kernel_labels(std::string text, const std::vector<ResultRow>& rows) {
  return with_labels(std::move(text), labels_of(rows));
}

std::vector<Problem> still_to_count(std::vector<Problem> wanted, const WorkTable& work) {
  const WorkIndex counted(work);
  std::erase_if(wanted, [&](const Problem& problem) { return counted.find(problem) != nullptr; });
  return wanted;
}

LayerMixRequest layer_request(const RecipeUi& ui) {
  LayerMixRequest request = layer_of_fields(ui);
  request.dot_kernel = ui.dot_kernel;
  return request;
}

RecipeUi with_measured(RecipeUi ui, const LayerMixRequest& measured) {
  if (ui.typed) return ui;
  ui.seq_len = static_cast<int>(measured.seq_len);
  ui.q_heads = static_cast<int>(measured.q_heads);
  ui.kv_heads = static_cast<int>(measured.kv_heads);
  ui.head_dim = static_cast<int>(measured.head_dim);
  ui.window1 = static_cast<int>(measured.windows.window1);
  ui.window2 = static_cast<int>(measured.windows.window2);
  ui.dot_kernel = measured.dot_kernel;
  return ui;
}

std::string recipe_problem(const RecipeUi& ui) {
  if (ui.layers < 1 || ui.layers > kMostLayers) return fmt::format("there must be 1 to {} layers", kMostLayers);
  if (ui.sequences < 1 || ui.sequences > kMostSequences)
    return fmt::format("there must be 1 to {} sequences", format_count(kMostSequences));
  if (ui.simplicial < 0 || ui.simplicial > ui.layers)
    return fmt::format("{} of {} layers cannot be 2-simplicial", ui.simplicial, ui.layers);
  if (ui.seq_len > kMostRecipeTokens)
    return fmt::format("at most {} tokens are added up", format_count(kMostRecipeTokens));
  if (!(ui.budget_ms >= 0)) return "the budget must be 0 or more";
  const std::vector<std::string> reasons = validate(layer_problem(layer_request(ui)));
  return reasons.empty() ? std::string() : reasons.front();
}

RecipeAnswer make_recipe_answer(const std::vector<ResultRow>& rows, const RecipeUi& ui, const WorkTable& work) {
  RecipeAnswer answer;
  answer.asked = ui;
  answer.problem = recipe_problem(ui);
  if (!answer.problem.empty()) return answer;
  answer.to_count = still_to_count(problems_to_count(rows, layer_request(ui)), work);
  if (!answer.to_count.empty()) return answer;
  try {
    answer.costs = layer_costs(rows, layer_request(ui), work);
  } catch (const Error& error) {
    answer.problem = error.why();
    answer.next = error.fix();
    return answer;
  }
  for (std::int64_t count = 0; count <= ui.layers; ++count)
    answer.steps.push_back(mix_range(*answer.costs, ui.layers, count, ui.sequences));
  if (ui.budget_ms > 0)
    answer.fits = mixes_within(*answer.costs, ui.layers, static_cast<double>(ui.budget_ms), ui.sequences);
  return answer;
}

std::vector<MeasuredShape> measured_shapes(const std::vector<ResultRow>& rows) {
  using Heads = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  struct Simplicial {
    std::set<Pass> passes;
    std::int64_t longest = 0;
  };
  std::map<std::pair<Heads, std::pair<std::int64_t, std::int64_t>>, Simplicial> simplicial;
  std::map<std::pair<Heads, std::string>, std::set<Pass>> global;
  std::map<std::string, std::string> labels;
  for (const ResultRow& row : rows) {
    const Problem& p = row.problem;
    LayerMixRequest layer = layer_of(row);
    layer.dot_kernel = row.kernel;
    if (!is_layer_row(row, layer, row.pass)) continue;
    const Heads heads{p.q_heads, p.kv_heads, p.head_dim};
    if (is_global_layer(row, layer)) {
      global[{heads, row.kernel}].insert(row.pass);
      labels[row.kernel] = row.card.label.empty() ? row.kernel : row.card.label;
    }
    if (!is_simplicial_layer(row, layer)) continue;
    Simplicial& kept = simplicial[{heads, {p.window1, p.window2}}];
    kept.passes.insert(row.pass);
    kept.longest = std::max(kept.longest, p.seq_len);
  }
  std::vector<MeasuredShape> shapes;
  for (const auto& [key, kept] : simplicial) {
    if (!both(kept.passes)) continue;
    const auto& [heads, windows] = key;
    for (const auto& [beside, passes] : global) {
      if (beside.first != heads || !both(passes)) continue;
      RecipeUi shape;
      std::tie(shape.q_heads, shape.kv_heads, shape.head_dim) = heads;
      std::tie(shape.window1, shape.window2) = windows;
      shape.seq_len = static_cast<int>(kept.longest);
      shape.dot_kernel = beside.second;
      shapes.push_back(
          {shape, fmt::format("{}, {}/{} heads of {}, {}", format_windows(windows.first, windows.second), shape.q_heads,
                              shape.kv_heads, shape.head_dim, labels.at(shape.dot_kernel))});
    }
  }
  return shapes;
}

RecipeUi with_shape(RecipeUi ui, const MeasuredShape& measured) {
  const RecipeUi& shape = measured.shape;
  std::tie(ui.q_heads, ui.kv_heads, ui.head_dim) = std::tie(shape.q_heads, shape.kv_heads, shape.head_dim);
  std::tie(ui.window1, ui.window2, ui.dot_kernel) = std::tie(shape.window1, shape.window2, shape.dot_kernel);
  ui.seq_len = std::min(ui.seq_len, shape.seq_len);
  return ui;
}

OperatorCrossings operator_crossings(const std::vector<ResultRow>& rows, const Windows& windows,
                                     const WorkTable& work) {
  const LayerMixRequest request = measured_layer(rows, {.windows = windows});
  const KernelLabels labels = labels_of(rows);
  OperatorCrossings found;
  found.beside = with_labels(fmt::format("{}/{} heads of {}, beside {}", request.q_heads, request.kv_heads,
                                         request.head_dim, request.dot_kernel),
                             labels);
  found.to_count = still_to_count(crossing_problems(rows, request), work);
  if (!found.to_count.empty()) return found;
  const Crossings told = measured_crossings(rows, request, work);
  found.forward = with_labels(plus_minus(crossings_text(told.forward)), labels);
  found.backward = with_labels(plus_minus(crossings_text(told.backward)), labels);
  found.both = with_labels(plus_minus(crossings_text(told.step)), labels);
  found.sweep = crossing_sweep(rows, request, told);
  return found;
}

std::vector<ResultRow> rows_on_device(const DatabaseData& data) {
  std::vector<ResultRow> rows;
  if (data.shown) rows = data.shown->rows;
  for (const auto& other : data.same_device) rows.insert(rows.end(), other->rows.begin(), other->rows.end());
  return rows;
}

DeviceRows make_device_rows(std::vector<ResultRow> rows) {
  DeviceRows made{std::move(rows), {}, {}};
  made.shapes = measured_shapes(made.rows);
  made.layer = measured_layer(made.rows);
  return made;
}

TextTable recipe_text(const RecipeUi& ui, const RecipeAnswer& answer) {
  TextTable table{
      {"2-simplicial layers", "global layers", "attention of a training step, ms", "at most, ms", "within the budget"},
      {true, true, true, true, false},
      {}};
  for (std::size_t count = 0; count < answer.steps.size(); ++count) {
    const auto number = static_cast<std::int64_t>(count);
    const bool within = answer.fits && number >= answer.fits->fewest && number <= answer.fits->most;
    table.rows.push_back({std::to_string(number), std::to_string(ui.layers - number),
                          fmt::format("{:.6g}", answer.steps[count].low),
                          fmt::format("{:.6g}", answer.steps[count].high),
                          !answer.fits ? ""
                          : within     ? "yes"
                                       : "no"});
  }
  return table;
}

}  // namespace triscope
