#include "views/model/paper_model.hpp"

#include <fmt/format.h>

#include "kernels/attention/paper.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

bool counts(const ResultRow& row, const Windows& windows) {
  const PaperRow* paper = find_paper_row(row.problem);
  return paper != nullptr && paper->windows == windows && row.pass == Pass::forward && row.regime == Regime::sustained;
}

}  // namespace

PaperModel make_paper_model(const SweepResults& sweep) {
  PaperModel model;
  const ResultRow* example = nullptr;
  for (const PaperRow& row : paper_table1()) {
    PaperLine line{row.windows, row.latency_ms, {}, {}, 0, "not measured in this sweep"};
    for (const ResultRow& own : sweep.rows) {
      if (!counts(own, row.windows)) continue;
      if (own.status != Status::ok || !own.median_ms) {
        if (!line.own_ms) line.missing = fmt::format("{}: {}", to_string(own.status), own.reason);
        continue;
      }
      const bool closer = example && has_paper_shape(own.problem) && !has_paper_shape(example->problem);
      if (line.own_ms && *line.own_ms <= *own.median_ms && !closer) continue;
      line.own_ms = own.median_ms;
      line.kernel = own.card.label;
      line.measurement = own.measurement;
      line.missing.clear();
      example = &own;
    }
    model.measured += line.own_ms.has_value();
    model.lines.push_back(std::move(line));
  }
  if (example) {
    const Problem& p = example->problem;
    model.same_shape = has_paper_shape(p);
    model.conditions =
        fmt::format("{}: {} tokens, {} query heads on {}, head size {}, batch {}.", sweep.info.environment.device_name,
                    format_count(p.seq_len), p.q_heads, p.kv_heads, p.head_dim, p.batch);
  }
  return model;
}

TextTable paper_text(const PaperModel& model) {
  TextTable table{{"w1", "w2", "w1 x w2", "paper, ms", "this machine, ms", "kernel", "paper / this"},
                  {true, true, true, true, true, false, true},
                  {}};
  for (const PaperLine& line : model.lines) {
    table.rows.push_back({fmt::format("{}", line.windows.window1), fmt::format("{}", line.windows.window2),
                          fmt::format("{}", line.windows.window1 * line.windows.window2),
                          format_fixed(line.paper_ms, 1),
                          line.own_ms ? significant_text(*line.own_ms, 4) : line.missing, line.kernel,
                          line.own_ms && model.same_shape ? format_fixed(line.paper_ms / *line.own_ms, 2) : ""});
  }
  return table;
}

}  // namespace triscope
