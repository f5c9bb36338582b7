#include "views/model/paper_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/attention/paper.hpp"
#include "profiler/paper/paper_kernel.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/model/latency_model.hpp"

namespace triscope {
namespace {

bool counts(const ResultRow& row, const Windows& windows) {
  const PaperRow* paper = find_paper_row(row.problem);
  return paper != nullptr && paper->windows == windows && row.pass == Pass::forward && row.regime == Regime::sustained;
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
                     one.ours == nullptr ? 0 : *one.paper->median_ms / *one.ours->median_ms});
  }
  return lines;
}

}  // namespace

PaperModel make_paper_model(const SweepResults& sweep, const std::vector<ResultRow>& on_device) {
  PaperModel model;
  model.kernels = kernel_lines(on_device);
  model.recorded_device = recorded_table1().device;
  const ResultRow* example = nullptr;
  bool all_same = true;
  for (const PaperRow& row : paper_table1()) {
    PaperLine line;
    line.windows = row.windows;
    line.paper_ms = row.latency_ms;
    line.implied = implied_rates(row);
    model.highest.by_paper_count = std::max(model.highest.by_paper_count, line.implied.by_paper_count);
    model.highest.by_two_products = std::max(model.highest.by_two_products, line.implied.by_two_products);
    line.missing = "not measured in this sweep";
    if (const RecordedTable1::Line* recorded = recorded_table1().of(row.windows)) line.recorded_ms = recorded->ms;
    for (const ResultRow& own : sweep.rows) {
      if (!counts(own, row.windows)) continue;
      if (own.status != Status::ok || !own.median_ms) {
        if (!line.own_ms) line.missing = fmt::format("{}: {}", to_string(own.status), own.reason);
        continue;
      }
      const bool same_shape = has_paper_shape(own.problem);
      if (line.own_ms && line.same_shape && !same_shape) continue;
      if (line.own_ms && line.same_shape == same_shape && *line.own_ms <= *own.median_ms) continue;
      line.own_ms = own.median_ms;
      line.decimals = ms_decimals(own);
      line.kernel = own.card.label;
      line.measurement = own.measurement;
      line.missing.clear();
      line.known = interval_known(own);
      line.same_shape = same_shape;
      if (!example || (same_shape && !has_paper_shape(example->problem))) example = &own;
    }
    all_same &= !line.own_ms || line.same_shape;
    model.measured += line.own_ms.has_value();
    model.lines.push_back(std::move(line));
  }
  for (const PaperLine& line : model.lines) {
    model.longest_paper_ms = std::max(model.longest_paper_ms, line.paper_ms);
    model.longest_own_ms = std::max(model.longest_own_ms, line.own_ms.value_or(0));
    model.decimals = std::max(model.decimals, line.decimals);
  }
  if (example && all_same)
    model.longest_paper_ms = model.longest_own_ms = std::max(model.longest_paper_ms, model.longest_own_ms);
  if (example) {
    const Problem& p = example->problem;
    model.same_shape = all_same;
    model.conditions =
        fmt::format("{}: {} tokens, {} query heads on {}, head size {}, batch {}.", sweep.info.environment.device_name,
                    format_count(p.seq_len), p.q_heads, p.kv_heads, p.head_dim, p.batch);
  }
  return model;
}

std::string ratio_text(const PaperLine& line) {
  if (!line.own_ms) return "";
  return line.same_shape ? format_fixed(line.paper_ms / *line.own_ms, 2) : "other shape";
}

TextTable paper_text(const PaperModel& model) {
  TextTable table{{"w1", "w2", "w1 x w2", "paper, ms", "paper, TFLOP/s by its count", "by two products",
                   model.recorded_device + ", recorded, ms", "this machine, ms", "kernel", "paper / this"},
                  {true, true, true, true, true, true, true, true, false, true},
                  {}};
  for (const PaperLine& line : model.lines) {
    table.rows.push_back(
        {fmt::format("{}", line.windows.window1), fmt::format("{}", line.windows.window2),
         fmt::format("{}", line.windows.window1 * line.windows.window2), format_fixed(line.paper_ms, 1),
         format_fixed(line.implied.by_paper_count, 0), format_fixed(line.implied.by_two_products, 0),
         line.recorded_ms ? format_fixed(*line.recorded_ms, 1) : "",
         line.own_ms ? format_fixed(*line.own_ms, line.decimals) : line.missing, line.kernel, ratio_text(line)});
  }
  return table;
}

}  // namespace triscope
