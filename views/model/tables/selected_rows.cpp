// What Details says of all that are selected: sums of both passes, and a table to be copied.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/columns.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

std::vector<SelectedStep> selected_steps(const SelectionFigures& figures) {
  struct Both {
    const ResultRow *forward = nullptr, *backward = nullptr;
    bool twice = false;
  };
  std::vector<std::string> order;
  std::map<std::string, Both> steps;
  for (const SelectedRow& one : figures.rows) {
    const ResultRow& row = one.row;
    if (row.status != Status::ok || !row.median_ms) continue;
    // Passes of windows may be of two kernels, each the fastest; two of dot-product attention are two steps.
    const std::string key = step_question(row) + (row.problem.form == Form::dot_product ? "|" + row.kernel : "");
    if (!steps.contains(key)) order.push_back(key);
    Both& both = steps[key];
    const ResultRow*& place = row.pass == Pass::forward ? both.forward : both.backward;
    both.twice |= place != nullptr;
    place = &row;
  }
  std::vector<SelectedStep> result;
  std::optional<ValueWithInterval> first;
  for (const std::string& key : order) {
    const Both& both = steps[key];
    if (both.forward == nullptr || both.backward == nullptr || both.twice) continue;
    SelectedStep step{fmt::format("{} {}", line_label(*both.backward), brief_label(both.backward->card)),
                      sum_of(value_of(*both.forward), value_of(*both.backward)),
                      {}};
    if (result.empty() && key == order.front()) first = step.ms;
    if (first && !result.empty()) step.beside = ratio_of(step.ms, *first);
    result.push_back(std::move(step));
  }
  return result;
}

std::string step_text(const SelectedStep& step) {
  std::string text = format_ms(step.ms.value, half_width(step.ms));
  if (step.beside.value <= 0) return text;
  text += fmt::format(", {}×", format_fixed(step.beside.value, 3));
  if (step.beside.low && step.beside.high)
    text += fmt::format(" ({} to {})", format_fixed(*step.beside.low, 3), format_fixed(*step.beside.high, 3));
  return text;
}

TextTable figures_text(const SelectionFigures& figures) {
  TextTable table;
  for (const char* words : {"row", "kernel", "pass", "tokens", "status"}) table.add_column(words, false);
  for (const char* number : {"median ms", "low ms", "high ms", "TFLOP/s", "time / first", "low", "high"})
    table.add_column(number, true);
  table.add_column("verdict", false);
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; };
  for (const SelectedRow& one : figures.rows) {
    const ResultRow& row = one.row;
    std::vector<std::string> cells{line_label(row),
                                   row.card.label,
                                   std::string(to_string(row.pass)),
                                   fmt::format("{}", row.problem.seq_len),
                                   std::string(to_string(row.status)),
                                   number(row.median_ms),
                                   number(row.ci_low_ms),
                                   number(row.ci_high_ms),
                                   number(row.tflops)};
    if (one.time) {
      cells.push_back(one.time->ratio > 0 ? number(one.time->ratio) : "");
      const bool known = interval_known(*one.time);
      cells.push_back(known ? number(one.time->interval.low) : "");
      cells.push_back(known ? number(one.time->interval.high) : "");
      cells.emplace_back(to_string(one.time->verdict));
    } else {
      cells.resize(table.header.size());
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace triscope
