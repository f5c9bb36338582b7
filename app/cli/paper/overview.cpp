// `triscope paper overview`: of each part of the paper what it comes to here, and the section that tells the rest.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/paper/asked_layer.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/paper/database_rows.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/match3/match3_bound.hpp"
#include "profiler/paper/errata.hpp"
#include "profiler/paper/layers/by_length.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/part_names.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/plan/crossing.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

struct Found {
  const char* section;
  std::string text;
};

std::string table1_text(const std::vector<ResultRow>& rows) {
  const std::vector<PaperRow>& all = paper_table1();
  const auto measured = std::ranges::count_if(
      all, [&](const PaperRow& paper) { return fastest_table1_forward(rows, paper.windows) != nullptr; });
  std::string text =
      fmt::format("{} of its {} pairs of windows were measured at the inferred shape", measured, all.size());
  for (const PaperRow& paper : all) {
    const ResultRow* row = fastest_table1_forward(rows, paper.windows);
    if (row == nullptr) continue;
    return text + fmt::format("; in ms {}x{} takes {} where it prints {:.1f}", paper.windows.window1,
                              paper.windows.window2, known_ms_text(*row->median_ms, row->ci_low_ms, row->ci_high_ms),
                              paper.latency_ms);
  }
  return text;
}

std::string operator_text(const std::vector<ResultRow>& rows, const LayerMixRequest& layer, const WorkTable& work) {
  return fmt::format("{}x{} is as much work as dot-product attention over {} tokens; by the clock, forward: {}",
                     layer.windows.window1, layer.windows.window2, count_text(crossing_by_exact_count(layer.windows)),
                     crossings_text(measured_crossings(rows, layer, Pass::forward, work)));
}

std::string lengths_text(const std::vector<ResultRow>& rows, const LayerMixRequest& layer) {
  const auto both = [&](Pass pass) {
    return std::ranges::count_if(rows_by_length(rows, layer, pass),
                                 [](const AtLength& at) { return at.windows != nullptr && at.dot_product != nullptr; });
  };
  return fmt::format("{}x{} and {} were both measured at {} in the forward, {} in the backward", layer.windows.window1,
                     layer.windows.window2, layer.dot_kernel, number_of(both(Pass::forward), "length"),
                     both(Pass::backward));
}

std::string results_text() {
  const std::vector<Recomputed> all = recompute_tables();
  return fmt::format("{} of {} printed values follow from the others",
                     std::ranges::count_if(all, &Recomputed::reproduced), all.size());
}

std::string scaling_text() {
  return fmt::format("of {} differences of the exponents its losses decide {} at 95 %", kBenchmarks.size(),
                     decided_differences());
}

std::string recipe_text(const std::vector<ResultRow>& rows, const LayerMixRequest& layer, const WorkTable& work) {
  try {
    const LayerCosts costs = layer_costs(rows, layer, work);
    return fmt::format("a step of a {}x{} layer at {} tokens takes {} ms, of a global one {}", layer.windows.window1,
                       layer.windows.window2, count_text(layer.seq_len), range_text(step_range(costs.simplicial), 3),
                       range_text(step_range(costs.global), 3));
  } catch (const Error& error) {
    return error.why();
  }
}

std::string match3_text() {
  constexpr std::int64_t kNumbers = 8;
  const auto largest = [](Match3Precision precision) { return match3_largest_modulus(kNumbers, precision); };
  return fmt::format("its head is surely right on {} numbers up to modulus {} in fp16, {} in bf16", kNumbers,
                     largest(Match3Precision::fp16), largest(Match3Precision::bf16));
}

}  // namespace

void print_overview(const NamedLayer& named, const std::string& database, bool json) {
  const std::vector<ResultRow> rows = database_rows(database).value_or(std::vector<ResultRow>{});
  const LayerMixRequest layer = asked_layer(rows, named);
  ProblemList wanted;
  wanted.add(problems_to_count(rows, layer));
  wanted.add(crossing_problems(rows, layer));
  const WorkTable work = count_work(wanted.list());
  const std::vector<Found> all{{"results", results_text()},
                               {"operator", operator_text(rows, layer, work)},
                               {"table1", table1_text(rows)},
                               {"lengths", lengths_text(rows, layer)},
                               {"scaling", scaling_text()},
                               {"tiling", windows_cost_text(rows, layer, work)},
                               {"recipe", recipe_text(rows, layer, work)},
                               {"match3", match3_text()},
                               {"errata", fmt::format("{} entries of what a careful reading finds", errata().size())}};
  TerminalTable table;
  table.columns = {{"triscope paper", Align::left, 100, false},
                   {"of the paper", Align::left, 90, false},
                   {"what it comes to", Align::left, 100, true}};
  for (const auto& [section, text] : all) {
    const std::string numbers = paper_numbers(&PartName::section, section);
    if (json) {
      write_json_line(
          dump_line({{"type", "overview"}, {"section", section}, {"of_the_paper", numbers}, {"finds", text}}));
      continue;
    }
    table.rows.push_back({section, numbers, text});
  }
  if (!json)
    print_output("{}\nEach section tells the rest; `triscope paper page -o FILE{}` writes all of it as one page.\n",
                 render(table, terminal_width(stdout, kUnlimitedWidth)), database_words(database));
}

}  // namespace triscope
