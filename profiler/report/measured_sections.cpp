// The sections that show measured rows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/attention/flops.hpp"
#include "kernels/attention/paper.hpp"
#include "profiler/paper/paper_kernel.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/svg_chart.hpp"
#include "profiler/statistics/row_that_counts.hpp"

namespace triscope::report {
namespace {

std::string rate(double flops, double ms) { return significant_text(flops / ms * 1e-9, 3); }

/// Latencies or rates over lengths of one kernel's newest version: at each length the row that counts.
struct Curve {
  std::string name;
  std::map<std::int64_t, const ResultRow*> rows;
};

using Curves = std::map<std::string, Curve>;  // by kernel

/// Of the kernels that the page's layer takes, at its windows, heads and regime (`is_row_of_heads`).
Curves curves_of(const PaperPageInput& input, Pass pass, bool dot_product) {
  std::map<std::string, std::vector<const ResultRow*>> kernels;
  for (const ResultRow& row : input.rows) {
    if (!is_row_of_heads(row, input.layer, pass)) continue;
    const bool ours = is_simplicial_layer(row, input.layer) &&
                      Windows{row.problem.window1, row.problem.window2} == input.layer.windows;
    if (dot_product ? is_global_layer(row, input.layer) : ours) kernels[row.kernel].push_back(&row);
  }
  Curves curves;
  for (const auto& [kernel, measured] : kernels) {
    std::map<std::int64_t, std::vector<const ResultRow*>> alike;
    for (const ResultRow* row : newest_version(measured)) alike[row->problem.seq_len].push_back(row);
    Curve& curve = curves[kernel];
    curve.name = kernel;
    for (const auto& [length, rows] : alike) curve.rows[length] = row_that_counts(rows);
  }
  return curves;
}

/// Those with most lengths first; of equal ones the faster at the longest.
std::vector<const Curve*> longest_first(const Curves& curves) {
  std::vector<const Curve*> sorted;
  for (const auto& [key, curve] : curves) sorted.push_back(&curve);
  std::ranges::sort(sorted, [](const Curve* a, const Curve* b) {
    if (a->rows.size() != b->rows.size()) return a->rows.size() > b->rows.size();
    return *a->rows.rbegin()->second->median_ms < *b->rows.rbegin()->second->median_ms;
  });
  return sorted;
}

SvgSeries series_of(const Curve& curve, char colour, Pass pass, bool rates) {
  SvgSeries series;
  series.name = curve.name;
  series.colour = colour;
  for (const auto& [length, row] : curve.rows) {
    const double ms = *row->median_ms;
    series.line.push_back({static_cast<double>(length), rates ? useful_flops(row->problem, pass) / ms * 1e-9 : ms});
  }
  series.marks = series.line;
  return series;
}

std::string chart_of(const PaperPageInput& input, Pass pass, bool rates) {
  const Curves simplicial = curves_of(input, pass, false), global = curves_of(input, pass, true);
  const std::vector<const Curve*> ours = longest_first(simplicial), theirs = longest_first(global);
  if (ours.empty() || theirs.empty() || ours[0]->rows.size() < 2) return "";
  SvgChart chart;
  chart.title = fmt::format("{}x{}, {}", input.layer.windows.window1, input.layer.windows.window2, to_string(pass));
  chart.x_label = "tokens";
  chart.y_label = rates ? "TFLOP/s" : "ms";
  chart.log_x = true;
  chart.log_y = !rates;
  for (const auto& [length, row] : ours[0]->rows)
    chart.x_ticks.push_back(
        {static_cast<double>(length), length % 1024 == 0 ? fmt::format("{}k", length / 1024) : std::to_string(length)});
  chart.series = {series_of(*ours[0], 'a', pass, rates), series_of(*theirs[0], 'b', pass, rates)};
  // Another kernel of ours, though it was measured at fewer lengths: it may be the faster one.
  if (ours.size() > 1) chart.series.push_back(series_of(*ours[1], 'c', pass, rates));
  return svg_chart(chart);
}

/// The paper's own kernels, where they were measured through the Python package.
std::string paper_kernels(const PaperPageInput& input) {
  HtmlTable table{
      {"pass", "windows", "tokens", "heads", "Triton, ms", "ours, ms", "Triton / ours", "our kernel", "attention, ms",
       "of", "device"},
      {false, false, true, false, true, true, true, false, true, false, false},
      {},
      std::string("The paper's kernels in Triton (python/examples/paper_triton.py), in turns with the others. ") +
          kPaperKernelCaveat + kRatioOfMedians};
  const auto ms = [](const ResultRow* row) { return row == nullptr ? "" : significant_text(*row->median_ms, 4); };
  const auto id = [](const ResultRow* row) { return row == nullptr ? std::string() : row->kernel; };
  for (const PaperKernelRow& one : paper_kernel_rows(input.rows)) {
    const Problem& p = one.paper->problem;
    table.rows.push_back({std::string(to_string(one.paper->pass)), fmt::format("{}x{}", p.window1, p.window2),
                          count_text(p.seq_len), fmt::format("{}/{}", p.q_heads, p.kv_heads), ms(one.paper),
                          ms(one.ours), one.ours == nullptr ? "" : time_ratio_text(time_ratio(*one.paper, *one.ours)),
                          id(one.ours), ms(one.dot_product), id(one.dot_product), one.paper->device});
  }
  return table.rows.empty() ? "" : html_table(table);
}

/// Windows that were measured, but not at the paper's shape: their times say nothing of its milliseconds.
std::string other_shapes(const PaperPageInput& input) {
  HtmlTable table{{"windows", "tokens", "heads", "head size", "ms", "TFLOP/s", "kernel", "sweep", "device"},
                  {false, true, false, true, true, true, false, true, false},
                  {},
                  "These windows at another shape than the inferred one, so not beside the paper's milliseconds"};
  for (const PaperRow& paper : paper_table1()) {
    const ResultRow* row = other_shape_forward(input.rows, paper.windows);
    if (row == nullptr) continue;
    const Problem& p = row->problem;
    table.rows.push_back({fmt::format("{}x{}", p.window1, p.window2), count_text(p.seq_len),
                          fmt::format("{}/{}", p.q_heads, p.kv_heads), std::to_string(p.head_dim),
                          significant_text(*row->median_ms, 4), rate(useful_flops(p, Pass::forward), *row->median_ms),
                          row->kernel, std::to_string(row->sweep), row->device});
  }
  return table.rows.empty() ? "" : html_table(table);
}

}  // namespace

std::string table1(const PaperPageInput& input) {
  const RecordedTable1& recorded = recorded_table1();
  const bool beside = !is_recorded_table1(input.rows);  // else the recording would stand twice
  HtmlTable table{{"windows", "paper, ms", "TFLOP/s by its count", "by two products", "measured, ms", "TFLOP/s",
                   "paper / measured", "kernel", "sweep"},
                  {false, true, true, true, true, true, true, false, true},
                  {},
                  ""};
  if (beside) {
    table.header.insert(table.header.end(), {"recorded on H100, ms", "paper / H100"});
    table.numeric.insert(table.numeric.end(), {true, true});
  }
  std::vector<SvgBar> bars;
  std::set<std::string> devices;
  for (const PaperRow& paper : paper_table1()) {
    const double useful = useful_flops(inferred_problem(paper.windows), Pass::forward);
    const ImpliedRates implied = implied_rates(paper);
    const std::string windows = fmt::format("{}x{}", paper.windows.window1, paper.windows.window2);
    const std::string paper_rate = significant_text(implied.by_two_products, 3);
    std::vector<std::string> cells{windows, fmt::format("{:.1f}", paper.latency_ms),
                                   significant_text(implied.by_paper_count, 3), paper_rate};
    const ResultRow* row = fastest_table1_forward(input.rows, paper.windows);
    if (row == nullptr) {
      cells.insert(cells.end(), {"not measured", "", "", "", ""});
    } else {
      const double ms = *row->median_ms;
      cells.insert(cells.end(), {known_ms_text(ms, row->ci_low_ms, row->ci_high_ms, "± "), rate(useful, ms),
                                 significant_text(paper.latency_ms / ms, 2), row->kernel, std::to_string(row->sweep)});
      devices.insert(row->device);
      bars.push_back({windows + ", measured", useful / ms * 1e-9, rate(useful, ms), 'a'});
    }
    if (beside) {
      const RecordedTable1::Line* h100 = recorded.of(paper.windows);
      cells.push_back(h100 == nullptr ? "" : known_ms_text(h100->ms, h100->low_ms, h100->high_ms, "± "));
      cells.push_back(h100 == nullptr ? "" : significant_text(paper.latency_ms / h100->ms, 2));
    }
    bars.push_back({windows + ", the paper's ms", implied.by_two_products, paper_rate, 'b'});
    table.rows.push_back(std::move(cells));
  }
  if (!devices.empty())
    table.caption = fmt::format("Measured on {}: of all sweeps there the row that counts, of the fastest kernel. ",
                                fmt::join(devices, ", "));
  if (beside)
    table.caption += fmt::format("Recorded on {}: cuda.hopper, {}, sweep 1", recorded.device, recorded.database);
  double most = 0;
  for (const SvgBar& bar : bars) most = std::max(most, bar.value);
  return section("Table 1", paragraph(std::string(kPaperTimesCaveat) + " " + highest_rates_text()) + html_table(table) +
                                other_shapes(input) + paper_kernels(input) +
                                figure(svg_bars("Forward, TFLOP/s by the count of two products", bars, most),
                                       "Useful work in a second, 4 x head_dim for each triple inside the windows"));
}

std::string lengths(const PaperPageInput& input) {
  std::string body;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (const bool rates : {false, true}) {
      const std::string svg = chart_of(input, pass, rates);
      if (!svg.empty()) body += "<figure>" + svg + "</figure>\n";
    }
  }
  if (body.empty()) body = paragraph("No two lengths of these windows and of dot-product attention were measured.");
  return section("Latency and rate by length", body, "lengths");
}

}  // namespace triscope::report
