// `triscope paper steps`: the algorithms on a small problem, a line of each listing at a time.
#include <fmt/format.h>

#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/paper/run_algorithm.hpp"
#include "profiler/record/json.hpp"
#include "profiler/report/step_stages.hpp"

namespace triscope {
namespace {

void print_algorithm(Algorithm algorithm, bool json) {
  const AlgorithmSteps run = run_algorithm(algorithm, kShownSteps);
  const std::int64_t shown = longest_program(run);
  TerminalTable table;
  table.columns = {{"line", Align::left, 100, false},
                   {"times", Align::right, 90, false},
                   {"unit", Align::left, 80, false},
                   {"its first time", Align::left, 95, true}};
  for (const StepStage& stage : step_stages(run, shown)) {
    table.rows.push_back({stage.line, stage.times == 0 ? "" : std::to_string(stage.times), stage.unit, stage.says});
    if (json)
      write_json_line(dump_line({{"type", "step"},
                                 {"algorithm", algorithm_name(algorithm)},
                                 {"program", shown + 1},
                                 {"line", stage.line},
                                 {"times", stage.times},
                                 {"unit", stage.unit},
                                 {"says", stage.says}}));
  }
  if (json) return;
  print_output("{}\n\n{} {}\n\n{}\n", algorithm_name(algorithm), algorithm_note(algorithm), programs_text(run),
               render(table, terminal_width(stdout, kUnlimitedWidth)));
}

}  // namespace

void print_steps(int algorithm, bool json) {
  for (int which = 0; which < kAlgorithms; ++which) {
    if (algorithm < 0 || which == algorithm) print_algorithm(static_cast<Algorithm>(which), json);
  }
  if (!json)
    print_output(
        "Run in fp64 on {} tokens with windows of {} and {}, head dimension {}, and tiles of {}. \"times\" counts the "
        "steps of the longest program.\nThe window's page \"Steps\" goes through them with the numbers.\n",
        kShownSteps.n, kShownSteps.window1, kShownSteps.window2, kShownSteps.dim, kShownSteps.tile);
}

}  // namespace triscope
