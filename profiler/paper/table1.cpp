#include "profiler/paper/table1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "paper_data.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/words/known_decimals.hpp"
#include "profiler/statistics/row_that_counts.hpp"

namespace triscope {
namespace {

template <typename T>
T number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error("the recorded Table 1 cannot be read", "'" + text + "' is no number",
                "report this as a defect of triscope", ExitCode::measured_failed);
  return value;
}

RecordedTable1 read_recorded() {
  RecordedTable1 table;
  table.database = "h100.db";
  std::istringstream lines{std::string(paper_data::kTable1H100)};
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::array<std::string, 7> cell;
    for (std::string& text : cell) std::getline(cells, text, ',');
    table.device = cell[0];
    table.lines.push_back({{number<std::int64_t>(cell[1]), number<std::int64_t>(cell[2])},
                           cell[3],
                           number<double>(cell[4]),
                           number<double>(cell[5]),
                           number<double>(cell[6])});
  }
  return table;
}

/// A plain sustained forward of our kernels.
bool is_forward_of(const ResultRow& row, const Windows& windows) {
  const PaperRow* paper = find_paper_row(row.problem);
  return paper != nullptr && paper->windows == windows && row.pass == Pass::forward &&
         row.regime == Regime::sustained && row.card.kind == KernelKind::simplicial && is_plain(row);
}

/// Of each question, a kernel on a device at a problem, the row that counts; of these the fastest. Null without rows.
const ResultRow* fastest_that_counts(const std::vector<const ResultRow*>& rows) {
  std::vector<std::vector<const ResultRow*>> questions;
  for (const ResultRow* row : rows) {
    const auto same = std::ranges::find_if(questions, [&](const std::vector<const ResultRow*>& one) {
      const ResultRow& first = *one.front();
      return first.device == row->device && first.kernel == row->kernel && first.problem == row->problem;
    });
    (same == questions.end() ? questions.emplace_back() : *same).push_back(row);
  }
  const ResultRow* best = nullptr;
  for (const std::vector<const ResultRow*>& question : questions) {
    const ResultRow* row = row_that_counts(question);
    if (best == nullptr || *row->median_ms < *best->median_ms) best = row;
  }
  return best;
}

}  // namespace

Problem inferred_problem(const Windows& windows) {
  Problem problem;
  problem.seq_len = 32'768;
  problem.q_heads = 64;
  problem.kv_heads = 1;
  problem.head_dim = 128;
  problem.window1 = windows.window1;
  problem.window2 = windows.window2;
  return problem;
}

ImpliedRates implied_rates(const PaperRow& row) {
  const Problem problem = inferred_problem(row.windows);
  const double scale = 1e-9 / row.latency_ms;
  return {paper_flops(problem, Pass::forward) * scale, useful_flops(problem, Pass::forward) * scale};
}

std::string highest_rates_text() {
  ImpliedRates highest;
  for (const PaperRow& paper : paper_table1()) {
    const ImpliedRates rates = implied_rates(paper);
    highest.by_paper_count = std::max(highest.by_paper_count, rates.by_paper_count);
    highest.by_two_products = std::max(highest.by_two_products, rates.by_two_products);
  }
  return fmt::format(
      "With that shape its times are at most {:.0f} TFLOP/s by its own count, 6 n w1 w2, beside the 520 of its text, "
      "and {:.0f} by two products for each triple.",
      highest.by_paper_count, highest.by_two_products);
}

std::string known_ms_text(double ms, std::optional<double> low, std::optional<double> high, std::string_view sign) {
  const double half = low && high ? (*high - *low) / 2 : 0;
  if (!(half > 0) || !std::isfinite(half)) return significant_text(ms, 4);
  return fmt::format("{:.{}f} {}{} %", ms, known_decimals(ms, half), sign, significant_text(100 * half / ms, 2));
}

const ResultRow* fastest_table1_forward(std::span<const ResultRow> rows, const Windows& windows) {
  std::vector<const ResultRow*> asked;
  for (const ResultRow& row : rows) {
    if (is_forward_of(row, windows) && has_paper_shape(row.problem)) asked.push_back(&row);
  }
  return fastest_that_counts(asked);
}

const ResultRow* other_shape_forward(std::span<const ResultRow> rows, const Windows& windows) {
  if (fastest_table1_forward(rows, windows) != nullptr) return nullptr;
  std::int64_t longest = 0;
  std::vector<const ResultRow*> asked;
  for (const ResultRow& row : rows) {
    if (!is_forward_of(row, windows) || row.problem.seq_len < longest) continue;
    if (row.problem.seq_len > longest) asked.clear();
    longest = row.problem.seq_len;
    asked.push_back(&row);
  }
  return fastest_that_counts(asked);
}

bool is_recorded_table1(std::span<const ResultRow> rows) {
  const RecordedTable1& recorded = recorded_table1();
  return std::ranges::all_of(recorded.lines, [&](const RecordedTable1::Line& line) {
    constexpr double kAsWritten = 1e-4;  // digits of the file
    const ResultRow* row = fastest_table1_forward(rows, line.windows);
    return row != nullptr && row->device == recorded.device && std::abs(*row->median_ms / line.ms - 1) < kAsWritten;
  });
}

const RecordedTable1& recorded_table1() {
  static const RecordedTable1 table = read_recorded();
  return table;
}

const RecordedTable1::Line* RecordedTable1::of(const Windows& windows) const {
  const auto found = std::ranges::find(lines, windows, &Line::windows);
  return found == lines.end() ? nullptr : &*found;
}

}  // namespace triscope
