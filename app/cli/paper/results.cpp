// `triscope paper results`: which printed numbers follow from the others.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

std::string sizes_text(const ModelSizes& sizes) {
  return fmt::format("{}, {} and {}", parameters_text(sizes[0]), parameters_text(sizes[1]), parameters_text(sizes[2]));
}

nlohmann::json as_json(const Recomputed& one) {
  return {{"type", "printed_value"},
          {"table", one.printed.table},
          {"row", one.printed.row},
          {"label", one.printed.label},
          {"column", one.printed.column},
          {"printed", one.printed.printed},
          {"value", one.printed.value},
          {"recomputed", one.value},
          {"low", one.low},
          {"high", one.high},
          {"from", one.from},
          {"beyond_rounding", one.beyond_rounding},
          {"reproduced", one.reproduced()}};
}

void print_misses(const std::vector<Recomputed>& all) {
  TerminalTable table;
  table.columns = {{"table", Align::right, 100, false},     {"row", Align::left, 100, false},
                   {"column", Align::left, 100, false},     {"printed", Align::right, 100, false},
                   {"recomputed", Align::right, 95, false}, {"lowest", Align::right, 40, false},
                   {"highest", Align::right, 40, false},    {"beyond rounding", Align::right, 90, false}};
  for (const Recomputed& one : all) {
    table.rows.push_back({std::to_string(one.printed.table), row_name(one.printed), one.printed.column,
                          one.printed.printed, recomputed_text(one.printed, one.value),
                          recomputed_text(one.printed, one.low), recomputed_text(one.printed, one.high),
                          one.reproduced() ? "-" : recomputed_text(one.printed, one.beyond_rounding)});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
}

/// Table 2 as it is printed; the changes recomputed from its losses.
void print_losses(bool json) {
  TerminalTable table;
  table.columns = {{"active", Align::left, 100, false},
                   {"total", Align::left, 90, false},
                   {"parameters of", Align::left, 100, false}};
  for (const char* benchmark : kBenchmarks) table.columns.push_back({benchmark, Align::right, 100, false});
  for (int row = 1; row <= 9; ++row) {
    if (row % 3 == 0) {
      std::vector<std::string> cells{"", "", "change"};
      for (const char* benchmark : kBenchmarks)
        cells.push_back(recomputed_text(printed_value(2, row, benchmark), printed_change(row, benchmark)));
      table.rows.push_back(std::move(cells));
      continue;
    }
    const PrintedValue &active = printed_value(2, row, "active parameters"),
                       &total = printed_value(2, row, "total parameters");
    std::vector<std::string> cells{active.printed, total.printed, active.label};
    nlohmann::json losses;
    for (const char* benchmark : kBenchmarks) {
      cells.push_back(printed_value(2, row, benchmark).printed);
      losses[benchmark] = printed_value(2, row, benchmark).value;
    }
    if (json)
      write_json_line(dump_line({{"type", "losses"},
                                 {"model", active.label},
                                 {"active_parameters", active.value},
                                 {"total_parameters", total.value},
                                 {"losses", losses}}));
    table.rows.push_back(std::move(cells));
  }
  if (!json)
    print_output("Table 2, negative log-likelihoods; the changes are recomputed:\n\n{}\n",
                 render(table, terminal_width(stdout, kUnlimitedWidth)));
}

std::ptrdiff_t reproduced(const std::vector<Recomputed>& all) {
  return std::ranges::count_if(all, [](const Recomputed& one) { return one.reproduced(); });
}

}  // namespace

void print_paper_results(const ModelSizes& sizes, bool json) {
  const std::vector<Recomputed> all = recompute_tables(sizes);
  const SolvedSizes solved = solve_sizes();
  print_losses(json);
  if (json) {
    for (const Recomputed& one : all) write_json_line(dump_line(as_json(one)));
    write_json_line(dump_line({{"type", "solved_sizes"},
                               {"sizes", solved.sizes},
                               {"misfit", solved.misfit},
                               {"misfit_printed_sizes", solved.misfit_printed_sizes},
                               {"reproduced", solved.reproduced}}));
    return;
  }
  print_output(
      "Tables 1 to 4 recomputed, with {} active parameters: {} of {} values are reproduced.\n"
      "\"lowest\" and \"highest\" are what the rounding of the numbers it is made of allows.\n\n",
      sizes_text(sizes), reproduced(all), all.size());
  print_misses(all);
  print_output("\n{}\n", alpha_changes_text(sizes));
  print_output(
      "\nThe sizes that bring all 32 values of the fits nearest to the printed ones: {}.\n"
      "With them {} of the 32 are reproduced, and the mean miss (root mean square) is {} times what rounding "
      "may move a value.\nWith {} it is {} times that.\n",
      sizes_text(solved.sizes), solved.reproduced, significant_text(solved.misfit), sizes_text(kPrintedSizes),
      significant_text(solved.misfit_printed_sizes));
  std::vector<Recomputed> left = recompute_fits(solved.sizes);
  std::erase_if(left, [](const Recomputed& one) { return one.reproduced(); });
  if (left.empty()) return;
  print_output("What those sizes do not explain:\n\n");
  print_misses(left);
}

}  // namespace triscope
