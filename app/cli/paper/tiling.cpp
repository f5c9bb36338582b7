// `triscope paper tiling`: what a pair of windows costs in tiles.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/paper/asked_layer.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/paper/database_rows.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/attention/flops.hpp"
#include "profiler/paper/tile_codec.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/tiles/ask_tiles.hpp"

namespace triscope {
namespace {

std::string windows_text(const Problem& p) { return fmt::format("{}x{}", p.window1, p.window2); }

std::string planned_text(double us) { return us > 0 ? milliseconds_text(us / 1000) : std::string(); }

nlohmann::json as_json(const TileUse& use, const Problem& problem) {
  nlohmann::json j = use;
  j.erase("query_tiles");
  j["type"] = "tile_use";
  j["window1"] = problem.window1;
  j["window2"] = problem.window2;
  j["seq_len"] = problem.seq_len;
  j["useful_fraction"] = use.fraction();
  return j;
}

std::string note_of(const TileUse& use) {
  if (!use.chosen) return use.note;
  return use.note.empty() ? "chosen by --instance auto" : "chosen by --instance auto; " + use.note;
}

void print_uses(const std::vector<TileUse>& uses) {
  TerminalTable table;
  table.columns = {{"kernel", Align::left, 100, false},        {"instance", Align::left, 95, false},
                   {"pass", Align::left, 60, false},           {"tile", Align::left, 50, false},
                   {"useful", Align::right, 100, false},       {"computed / useful", Align::right, 70, false},
                   {"ms, estimated", Align::right, 80, false}, {"note", Align::left, 30, true}};
  for (const TileUse& use : uses) {
    table.rows.push_back({use.kernel, use.instance, std::string(to_string(use.pass)), use.tile,
                          fmt::format("{:.1f} %", 100 * use.fraction()),
                          use.fraction() > 0 ? fmt::format("{:.3f}", 1 / use.fraction()) : "",
                          planned_text(use.planned_us), note_of(use)});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
}

void print_beside(const std::vector<ChosenTiles>& beside) {
  if (beside.size() < 2) return;
  TerminalTable table;
  table.columns = {{"windows", Align::left, 100, false},
                   {"instance", Align::left, 90, false},
                   {"useful", Align::right, 95, false},
                   {"ms, estimated", Align::right, 95, false}};
  for (const auto& [problem, use] : beside) {
    table.rows.push_back({windows_text(problem), use.instance, fmt::format("{:.1f} %", 100 * use.fraction()),
                          planned_text(use.planned_us)});
  }
  print_output("\nBeside whole tiles of 128 keys:\n\n{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
}

}  // namespace

void print_tiling(const NamedLayer& named, const std::string& database, bool json) {
  const std::vector<ResultRow> rows = database_rows(database).value_or(std::vector<ResultRow>{});
  const LayerMixRequest layer = asked_layer(rows, named);
  const Problem problem = layer_problem(layer);
  const TileAnswer answer = ask_tiles({problem, {}});
  const std::vector<TileUse>& uses = answer.uses;
  if (json) {
    for (const TileUse& use : uses) write_json_line(dump_line(as_json(use, problem)));
    return;
  }
  print_output("{}\nforward: {} TFLOP inside the windows, {} by the paper's count\n\n", describe(problem),
               significant_text(useful_flops(problem, Pass::forward) / 1e12, 4),
               significant_text(paper_flops(problem, Pass::forward) / 1e12, 4));
  if (uses.empty()) {
    print_output("No tiles: the paper's listings have no determinant, and this build has no GPU kernels.\n");
    return;
  }
  print_uses(uses);
  print_beside(answer.beside);
  if (!rows.empty()) {
    const std::string cost = windows_cost_text(rows, layer, count_work(problems_to_count(rows, layer)));
    print_output("\nBy measured rows: {}\n", cost);
  }
  const bool estimated = std::ranges::any_of(uses, [](const TileUse& use) { return use.planned_us > 0; });
  print_output(
      "\n\"useful\" is the part of the computed tiles that lies inside the windows.{}\n",
      estimated
          ? with_database(" Times are the planner's estimates for an H200, fitted to short\nlaunches; `triscope sweep` "
                          "measures.",
                          database)
          : " This build has no GPU kernels, so only\nthe paper's listings are there.");
}

}  // namespace triscope
