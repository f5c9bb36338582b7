// `triscope list`: the history.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/json.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

struct ListOptions {
  std::shared_ptr<std::string> database;
  bool json = false;
};

/// "2026-11-21 13:55" of an ISO 8601 time.
std::string minute_text(const std::string& time) {
  std::string text = time.substr(0, 16);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string state_text(const SweepInfo& sweep) {
  if (sweep.running) return "running";
  if (sweep.finished.empty()) return "interrupted";
  return sweep.failed > 0 ? "failures" : "done";
}

/// A command with hundreds of windows would be the widest line of the table; the JSON has all of it.
std::string command_text(const std::string& command) {
  constexpr std::size_t kLongest = 160;
  return command.size() <= kLongest ? command : command.substr(0, kLongest - 4) + " ...";
}

void print_table(const std::vector<SweepInfo>& sweeps) {
  TerminalTable table;
  table.columns = {{"sweep", Align::right, 100, false}, {"started (UTC)", Align::left, 80, false},
                   {"state", Align::left, 90, false},   {"ok", Align::right, 70, false},
                   {"failed", Align::right, 60, false}, {"skipped", Align::right, 40, false},
                   {"left", Align::right, 65, false},   {"device", Align::left, 50, true},
                   {"note", Align::left, 45, true},     {"command", Align::left, 55, true}};
  for (const SweepInfo& sweep : sweeps) {
    const auto count = [](std::int64_t value) { return value > 0 ? fmt::format("{}", value) : std::string(); };
    const std::int64_t left = sweep.planned - sweep.ok - sweep.failed - sweep.skipped;
    table.rows.push_back({fmt::format("{}{}", sweep.starred ? "*" : "", sweep.id), minute_text(sweep.started),
                          state_text(sweep), fmt::format("{}", sweep.ok), count(sweep.failed), count(sweep.skipped),
                          count(left), sweep.environment.device_name, sweep.note, command_text(sweep.command)});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  if (std::any_of(sweeps.begin(), sweeps.end(), [](const SweepInfo& sweep) { return sweep.starred; }))
    print_output("* starred in the window\n");
}

void print_json(const std::vector<SweepInfo>& sweeps) {
  for (const SweepInfo& sweep : sweeps) {
    const nlohmann::json object = {{"sweep", sweep.id},
                                   {"started", sweep.started},
                                   {"finished", sweep.finished},
                                   {"state", state_text(sweep)},
                                   {"planned", sweep.planned},
                                   {"ok", sweep.ok},
                                   {"failed", sweep.failed},
                                   {"skipped", sweep.skipped},
                                   {"cancelled", sweep.cancelled},
                                   {"device", sweep.environment.device_name},
                                   {"host", sweep.environment.host},
                                   {"command", sweep.command},
                                   {"note", sweep.note},
                                   {"starred", sweep.starred}};
    write_json_line(dump_line(object));
  }
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("list", "The sweeps of a database, newest first");
  auto options = std::make_shared<ListOptions>();
  options->database = add_database_option(*command);
  add_table_or_json(*command, options->json);
  command->footer(
      "A sweep that was interrupted is continued with `triscope sweep --resume`.\n"
      "\n"
      "Examples:\n"
      "  triscope list\n"
      "  triscope list --db run.db --format json");
  command->callback([options, &action] {
    action = [options] {
      const std::vector<SweepInfo> sweeps = Snapshot(existing_database(*options->database)).sweeps();
      if (options->json) {
        print_json(sweeps);
      } else if (sweeps.empty()) {
        print_output("No sweep yet; `triscope sweep{}` starts one.\n", database_words(*options->database));
      } else {
        print_table(sweeps);
      }
      return 0;
    };
  });
}

}  // namespace triscope
