#include "profiler/export/latency_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "kernels/attention/paper.hpp"
#include "profiler/record/dot_product.hpp"
#include "profiler/record/words/problem_facts.hpp"

namespace triscope {
namespace {

std::string windows_of(const LatencyTableRow& row) {
  const Problem& p = row.problem;
  if (p.form == Form::gemm) return fmt::format("{0}x{0}x{0} product", p.seq_len);
  if (p.mask == Mask::full) return "all";
  if (p.form != Form::dot_product) return fmt::format("{}x{}", p.window1, p.window2);
  return p.window1 >= p.seq_len ? "causal" : fmt::format("{}", p.window1);
}

// Place in the paper's Table 1; its size for windows that are not in it.
std::size_t paper_place(const Problem& problem) {
  const std::vector<PaperRow>& table = paper_table1();
  const auto found = std::find_if(table.begin(), table.end(), [&](const PaperRow& row) {
    return row.windows == Windows{problem.window1, problem.window2};
  });
  return static_cast<std::size_t>(found - table.begin());
}

std::optional<double> paper_latency_ms(const Problem& problem) {
  const PaperRow* row = find_paper_row(problem);
  return row != nullptr && has_paper_shape(problem) ? std::optional(row->latency_ms) : std::nullopt;
}

auto column_key(const LatencyTableColumn& c) {
  return std::tie(c.kernel, c.instance, c.regime, c.timing_source, c.pass);
}

LatencyTableColumn column_of(const ResultRow& row) {
  return {row.kernel, row.instance, row.pass, row.regime, row.timing_source, ""};
}

// Rows with equal text ask about the same problem on the same device.
std::string problem_text(const ResultRow& row) {
  return fmt::format("{}, {}, {}", describe(row.problem), to_string(row.problem.mask), row.device);
}

// Kernels that were measured in several instances for one question; elsewhere the instance is the kernel's own choice.
std::set<std::string> kernels_with_instances(std::span<const ResultRow> rows) {
  std::set<std::string> several;
  std::unordered_map<std::string, const std::string*> instance_of;
  for (const ResultRow& row : rows) {
    const std::string question = fmt::format("{} {} {} {} {} {}", row.sweep, row.kernel, to_string(row.pass),
                                             to_string(row.regime), to_string(row.timing_source), problem_text(row));
    const auto [known, is_new] = instance_of.emplace(question, &row.instance);
    if (!is_new && *known->second != row.instance) several.insert(row.kernel);
  }
  return several;
}

bool replaces(const std::optional<ResultRow>& held, const ResultRow& row) {
  return !held || row.status == Status::ok || held->status != Status::ok;
}

void set_titles(std::vector<LatencyTableColumn>& columns) {
  const auto differ = [&](auto member) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const LatencyTableColumn& column) { return column.*member != columns.front().*member; });
  };
  const bool regimes = differ(&LatencyTableColumn::regime);
  const bool sources = differ(&LatencyTableColumn::timing_source);
  for (LatencyTableColumn& column : columns) {
    column.title = column.kernel;
    if (!column.instance.empty()) column.title += " " + column.instance;
    column.title += fmt::format(" {}", to_string(column.pass));
    if (regimes) column.title += fmt::format(", {}", to_string(column.regime));
    if (sources) column.title += fmt::format(", {}", to_string(column.timing_source));
  }
}

void set_facts(LatencyTable& table, std::span<const ResultRow> rows) {
  table.fact_names = {"windows"};
  for (LatencyTableRow& row : table.rows) row.facts = {windows_of(row)};
  std::vector<std::string> common;
  // A leading column where rows differ, part of `common` where they agree.
  const auto add = [&](const char* name, auto cell, const std::string& phrase) {
    const bool differs = std::any_of(table.rows.begin(), table.rows.end(),
                                     [&](const LatencyTableRow& row) { return cell(row) != cell(table.rows.front()); });
    if (differs) {
      table.fact_names.emplace_back(name);
      for (LatencyTableRow& row : table.rows) row.facts.push_back(cell(row));
    } else if (!phrase.empty()) {
      common.push_back(phrase);
    }
  };
  const LatencyTableRow& first = table.rows.front();
  add(
      "device", [](const LatencyTableRow& row) { return row.device; }, first.device);
  for (const ProblemFact& fact : problem_facts()) {
    add(
        fact.name, [&](const LatencyTableRow& row) { return fact.value(row.problem); }, fact.phrase(first.problem));
  }
  if (std::all_of(rows.begin(), rows.end(), [&](const ResultRow& r) { return r.regime == rows.front().regime; })) {
    common.emplace_back(to_string(rows.front().regime));
  }
  if (std::all_of(rows.begin(), rows.end(),
                  [&](const ResultRow& r) { return r.timing_source == rows.front().timing_source; })) {
    common.push_back(fmt::format("timed by {}", to_string(rows.front().timing_source)));
  }
  table.common = fmt::format("{}", fmt::join(common, ", "));
}

// 0: windows of the paper's Table 1; 1: other windows; 2: baselines.
int rank_of(const Problem& problem) {
  if (is_baseline(problem)) return 2;
  return paper_place(problem) < paper_table1().size() ? 0 : 1;
}

}  // namespace

LatencyTable make_latency_table(std::span<const ResultRow> rows) {
  LatencyTable table;
  if (rows.empty()) return table;
  const std::set<std::string> with_instances = kernels_with_instances(rows);
  std::unordered_map<std::string, std::size_t> line_of;
  for (const ResultRow& row : rows) {
    LatencyTableColumn column = column_of(row);
    if (!with_instances.contains(row.kernel)) column.instance.clear();
    const auto known = std::find_if(table.columns.begin(), table.columns.end(), [&](const LatencyTableColumn& other) {
      return column_key(other) == column_key(column);
    });
    const auto place = static_cast<std::size_t>(known - table.columns.begin());
    if (known == table.columns.end()) table.columns.push_back(std::move(column));

    const auto [line_number, is_new] = line_of.emplace(problem_text(row), table.rows.size());
    if (is_new) table.rows.push_back({row.problem, row.device, {}, {}, {}});
    LatencyTableRow& line = table.rows[line_number->second];
    if (row.pass == Pass::forward) line.paper_ms = paper_latency_ms(row.problem);
    line.cells.resize(std::max(line.cells.size(), place + 1));
    LatencyTableCell& cell = line.cells[place];
    if (!replaces(cell.result, row)) continue;
    cell.result = row;
    const bool comparable = row.pass == Pass::forward && line.paper_ms && row.median_ms && row.status == Status::ok;
    cell.paper_ratio = comparable ? std::optional(*line.paper_ms / *row.median_ms) : std::nullopt;
  }
  for (LatencyTableRow& row : table.rows) row.cells.resize(table.columns.size());
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const LatencyTableRow& a, const LatencyTableRow& b) {
    return std::pair(rank_of(a.problem), paper_place(a.problem)) <
           std::pair(rank_of(b.problem), paper_place(b.problem));
  });
  set_titles(table.columns);
  set_facts(table, rows);
  return table;
}

}  // namespace triscope
