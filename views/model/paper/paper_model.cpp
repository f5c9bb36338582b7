#include "views/model/paper/paper_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/attention/paper.hpp"
#include "profiler/paper/paper_kernel.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

/// Why the windows have no time: a row that failed says so.
std::string missing_text(const std::vector<ResultRow>& rows, const Windows& windows) {
  for (const ResultRow& row : rows) {
    const PaperRow* paper = find_paper_row(row.problem);
    const bool asked =
        paper != nullptr && paper->windows == windows && row.pass == Pass::forward && row.regime == Regime::sustained;
    if (asked && row.status != Status::ok) return fmt::format("{}: {}", to_string(row.status), row.reason);
  }
  return "not measured on this device";
}

PaperLine line_of(const PaperRow& paper, const std::vector<ResultRow>& rows) {
  PaperLine line;
  line.windows = paper.windows;
  line.paper_ms = paper.latency_ms;
  line.implied = implied_rates(paper);
  if (const RecordedTable1::Line* recorded = recorded_table1().of(paper.windows)) line.recorded_ms = recorded->ms;
  const ResultRow* own = fastest_table1_forward(rows, paper.windows);
  line.same_shape = own != nullptr;
  if (own == nullptr) own = other_shape_forward(rows, paper.windows);
  if (own == nullptr) {
    line.missing = missing_text(rows, paper.windows);
    return line;
  }
  line.own_ms = own->median_ms;
  line.decimals = ms_decimals(*own);
  line.kernel = own->card.label;
  line.measurement = own->measurement;
  line.sweep = own->sweep;
  line.known = interval_known(*own);
  if (line.known) line.half_percent = 50 * (*own->ci_high_ms - *own->ci_low_ms) / *own->median_ms;
  return line;
}

std::vector<PaperKernelLine> kernel_lines(const std::vector<ResultRow>& rows) {
  std::vector<PaperKernelLine> lines;
  const auto text = [](const ResultRow* row) {
    return row == nullptr ? std::string() : format_fixed(*row->median_ms, ms_decimals(*row));
  };
  const auto label = [](const ResultRow* row) { return row == nullptr ? std::string() : row->card.label; };
  for (const PaperKernelRow& one : paper_kernel_rows(rows)) {
    const Problem& p = one.paper->problem;
    lines.push_back({one.paper->pass,
                     {p.window1, p.window2},
                     p.seq_len,
                     p.q_heads,
                     p.kv_heads,
                     text(one.paper),
                     text(one.ours),
                     text(one.dot_product),
                     label(one.ours),
                     label(one.dot_product),
                     one.ours == nullptr ? "" : time_ratio_text(time_ratio(*one.paper, *one.ours))});
  }
  return lines;
}

}  // namespace

PaperModel make_paper_model(const std::vector<ResultRow>& rows, const std::string& device) {
  PaperModel model;
  model.kernels = kernel_lines(rows);
  if (!is_recorded_table1(rows)) model.recorded_device = recorded_table1().device;
  const PaperLine* example = nullptr;
  bool all_same = true;
  for (const PaperRow& paper : paper_table1()) model.lines.push_back(line_of(paper, rows));
  for (const PaperLine& line : model.lines) {
    model.longest_ms = std::max({model.longest_ms, line.paper_ms, line.own_ms.value_or(0)});
    model.decimals = std::max(model.decimals, line.decimals);
    if (!line.own_ms) continue;
    ++model.measured;
    all_same &= line.same_shape;
    if (example == nullptr || (line.same_shape && !example->same_shape)) example = &line;
  }
  if (example == nullptr) return model;
  model.same_shape = all_same;
  const Problem& p = std::ranges::find(rows, example->measurement, &ResultRow::measurement)->problem;
  model.conditions = fmt::format(
      "{}: {} tokens, {} query heads on {}, head size {}, batch {}. Of all sweeps there the row that "
      "counts, of the fastest kernel.",
      device, format_count(p.seq_len), p.q_heads, p.kv_heads, p.head_dim, p.batch);
  return model;
}

std::string ratio_text(const PaperLine& line) {
  if (!line.own_ms) return "";
  if (!line.same_shape) return "other shape";
  const double ratio = line.paper_ms / *line.own_ms;
  return format_fixed(ratio, line.known ? known_decimals(ratio, ratio * line.half_percent / 100, 2) : 1);
}

std::string half_text(const PaperLine& line) {
  if (!line.own_ms) return "";
  return line.known ? fmt::format("{:.1f}", line.half_percent) : "unknown";
}

TextTable paper_text(const PaperModel& model) {
  const bool beside = !model.recorded_device.empty();
  TextTable table{{"w1", "w2", "w1 x w2", "paper, ms", "paper, TFLOP/s by its count", "by two products",
                   "this machine, ms", "half interval, %", "kernel", "sweep", "paper / this"},
                  {true, true, true, true, true, true, true, true, false, true, true},
                  {}};
  if (beside) {
    table.header.insert(table.header.begin() + 6, model.recorded_device + ", recorded, ms");
    table.numeric.insert(table.numeric.begin() + 6, true);
  }
  for (const PaperLine& line : model.lines) {
    std::vector<std::string> cells{fmt::format("{}", line.windows.window1),
                                   fmt::format("{}", line.windows.window2),
                                   fmt::format("{}", line.windows.window1 * line.windows.window2),
                                   format_fixed(line.paper_ms, 1),
                                   format_fixed(line.implied.by_paper_count, 0),
                                   format_fixed(line.implied.by_two_products, 0),
                                   line.own_ms ? format_fixed(*line.own_ms, line.decimals) : line.missing,
                                   half_text(line),
                                   line.kernel,
                                   line.own_ms ? fmt::format("{}", line.sweep) : "",
                                   ratio_text(line)};
    if (beside) cells.insert(cells.begin() + 6, line.recorded_ms ? format_fixed(*line.recorded_ms, 1) : "");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace triscope
