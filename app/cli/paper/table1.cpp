// `triscope paper table1`: the paper's milliseconds beside measured ones.
#include "profiler/paper/table1.hpp"

#include <fmt/format.h>

#include "app/cli/paper/database_rows.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/paper/ratio_of_rows.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/paper/paper_kernel.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

nlohmann::json as_json(const PaperRow& paper, const RecordedTable1::Line* h100, const ResultRow* own) {
  const ImpliedRates rates = implied_rates(paper);
  nlohmann::json j{{"type", "table1"},
                   {"window1", paper.windows.window1},
                   {"window2", paper.windows.window2},
                   {"paper_ms", paper.latency_ms},
                   {"tflops_paper_count", rates.by_paper_count},
                   {"tflops", rates.by_two_products},
                   {"recorded_device", recorded_table1().device}};
  if (h100 != nullptr)
    j["recorded_ms"] = h100->ms, j["recorded_low_ms"] = h100->low_ms, j["recorded_high_ms"] = h100->high_ms;
  if (own != nullptr) {
    j["device"] = own->device, j["kernel"] = own->kernel, j["sweep"] = own->sweep, j["ms"] = *own->median_ms;
    j["low_ms"] = own->ci_low_ms, j["high_ms"] = own->ci_high_ms;
  }
  return j;
}

std::string ms_text(const ResultRow* row) {
  return row == nullptr ? "" : known_ms_text(*row->median_ms, row->ci_low_ms, row->ci_high_ms);
}

/// The paper's Triton kernels beside what took turns with them. `samples` are of the rows' database.
void print_paper_kernels(const std::vector<ResultRow>& rows, StoredSamples& samples, bool json) {
  bool medians = false;
  TerminalTable table;
  table.columns = {{"paper's Triton kernels", Align::left, 100, false},
                   {"tokens", Align::right, 100, false},
                   {"ms", Align::right, 100, false},
                   {"ours, ms", Align::right, 95, false},
                   {"Triton / ours", Align::right, 90, false},
                   {"attention, ms", Align::right, 60, false},
                   {"device", Align::left, 40, false}};
  for (const PaperKernelRow& one : paper_kernel_rows(rows)) {
    const Problem& p = one.paper->problem;
    std::optional<Comparison> time;
    if (one.ours != nullptr) time = compare_rows(samples, *one.paper, samples, *one.ours);
    if (json) {
      nlohmann::json j{{"type", "paper_kernel"},     {"pass", to_string(one.paper->pass)},
                       {"window1", p.window1},       {"window2", p.window2},
                       {"seq_len", p.seq_len},       {"q_heads", p.q_heads},
                       {"kv_heads", p.kv_heads},     {"ms", *one.paper->median_ms},
                       {"device", one.paper->device}};
      if (one.ours != nullptr) {
        j["ours"] = one.ours->kernel, j["ours_ms"] = *one.ours->median_ms;
        j.update(ratio_of_rows_json(time));
      }
      if (one.dot_product != nullptr)
        j["attention"] = one.dot_product->kernel, j["attention_ms"] = *one.dot_product->median_ms;
      write_json_line(dump_line(j));
      continue;
    }
    table.rows.push_back(
        {fmt::format("{}, {}x{}, {}/{} heads", to_string(one.paper->pass), p.window1, p.window2, p.q_heads, p.kv_heads),
         std::to_string(p.seq_len), ms_text(one.paper), ms_text(one.ours), time ? ratio_of_rows_text(*time) : "",
         ms_text(one.dot_product), one.paper->device});
    medians |= time && time->ratio > 0 && !time->paired;
  }
  if (!table.rows.empty())
    print_output("\n{}{}{}\n", render(table, terminal_width(stdout, kUnlimitedWidth)), medians ? kNotInTurns : "",
                 kPaperKernelCaveat);
}

}  // namespace

void print_table1(const std::string& database, bool json) {
  const std::optional<Snapshot> snapshot = snapshot_of(database);
  const bool named = snapshot.has_value();
  const std::vector<ResultRow> rows = named ? snapshot->results() : std::vector<ResultRow>{};
  TerminalTable table;
  table.columns = {{"windows", Align::left, 100, false},
                   {"paper, ms", Align::right, 100, false},
                   {"TFLOP/s, its count", Align::right, 60, false},
                   {"TFLOP/s, two products", Align::right, 60, false},
                   {"H100, ms", Align::right, 95, false},
                   {"paper / H100", Align::right, 70, false}};
  const bool recorded = is_recorded_table1(rows);  // then its times would stand twice
  if (recorded) table.columns.resize(table.columns.size() - 2);
  if (named) {
    table.columns.push_back({"measured, ms", Align::right, 90, false});
    table.columns.push_back({"paper / measured", Align::right, 65, false});
    table.columns.push_back({"kernel", Align::left, 50, false});
    table.columns.push_back({"sweep", Align::right, 45, false});
    table.columns.push_back({"device", Align::left, 40, false});
  }
  for (const PaperRow& paper : paper_table1()) {
    const RecordedTable1::Line* h100 = recorded_table1().of(paper.windows);
    const ResultRow* own = fastest_table1_forward(rows, paper.windows);
    if (json) {
      write_json_line(dump_line(as_json(paper, h100, own)));
      continue;
    }
    const ImpliedRates rates = implied_rates(paper);
    std::vector<std::string> cells{fmt::format("{}x{}", paper.windows.window1, paper.windows.window2),
                                   fmt::format("{:.1f}", paper.latency_ms), significant_text(rates.by_paper_count, 3),
                                   significant_text(rates.by_two_products, 3)};
    if (!recorded) {
      cells.push_back(h100 == nullptr ? "" : known_ms_text(h100->ms, h100->low_ms, h100->high_ms));
      cells.push_back(h100 == nullptr ? "" : significant_text(paper.latency_ms / h100->ms, 2));
    }
    if (named && own == nullptr) cells.insert(cells.end(), {"not measured", "", "", "", ""});
    if (named && own != nullptr)
      cells.insert(cells.end(), {ms_text(own), significant_text(paper.latency_ms / *own->median_ms, 2), own->kernel,
                                 std::to_string(own->sweep), own->device});
    table.rows.push_back(std::move(cells));
  }
  const auto print_kernels = [&] {
    if (!named) return;
    StoredSamples samples(*snapshot);
    print_paper_kernels(rows, samples, json);
  };
  if (json) return print_kernels();
  print_output("{}\n{}\n{}\n", render(table, terminal_width(stdout, kUnlimitedWidth)), kPaperTimesCaveat,
               highest_rates_text());
  if (!recorded)
    print_output("H100: the forward of cuda.hopper on {}, sustained, recorded in {}, sweep 1.\n",
                 recorded_table1().device, recorded_table1().database);
  print_kernels();
}

}  // namespace triscope
