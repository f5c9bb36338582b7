// `triscope paper errata`: what a careful reading finds.
#include "profiler/paper/errata.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/options/shared_options.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

nlohmann::json as_json(const Erratum& one) {
  nlohmann::json cells = nlohmann::json::array();
  for (const ErratumCell& cell : one.cells)
    cells.push_back({{"table", cell.table}, {"row", cell.row}, {"column", cell.column}, {"recomputed", cell.value}});
  return {{"type", "erratum"},        {"id", one.id},       {"where", one.where},   {"kind", one.kind},
          {"printed", one.printed},   {"meant", one.meant}, {"reason", one.reason}, {"effect", one.effect},
          {"shown_by", one.shown_by}, {"cells", cells}};
}

void print_one(const Erratum& one) {
  print_output(
      "{} ({})\n\n  where     {}\n  printed   {}\n  meant     {}\n  reason    {}\n  effect    {}\n  shown by  {}\n",
      one.id, one.kind, one.where, one.printed, one.meant, one.reason, one.effect, one.shown_by);
}

void print_all() {
  TerminalTable table;
  table.columns = {{"id", Align::left, 100, false},
                   {"kind", Align::left, 60, false},
                   {"printed", Align::left, 90, true},
                   {"meant", Align::left, 95, true}};
  for (const Erratum& one : errata()) table.rows.push_back({one.id, one.kind, one.printed, one.meant});
  print_output("{}\n`triscope paper errata ID` gives the place and the reason.\n",
               render(table, terminal_width(stdout, kUnlimitedWidth)));
}

}  // namespace

void print_errata(const std::string& id, bool json) {
  std::vector<std::string> known;
  for (const Erratum& one : errata()) {
    known.push_back(one.id);
    if (!id.empty() && one.id != id) continue;
    if (json) {
      write_json_line(dump_line(as_json(one)));
    } else if (one.id == id) {
      print_one(one);
    }
  }
  if (id.empty()) {
    if (!json) print_all();
  } else if (std::ranges::find(known, id) == known.end()) {
    refuse_choice("errata", id, "this is no erratum", known);
  }
}

}  // namespace triscope
