// `triscope show`: the table of a sweep, or one measurement in full.
#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/measurement_text.hpp"
#include "app/cli/text/result_table.hpp"
#include "app/cli/text/row_environments.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "profiler/export/export.hpp"

namespace triscope {
namespace {

struct ShowOptions {
  std::string selection = "latest";
  std::shared_ptr<std::string> database;
  std::string baseline = "auto";
  std::string format = "table";
};

void print_table(const Snapshot& snapshot, const std::vector<ResultRow>& rows, const std::string& baseline) {
  const Verdicts verdicts = compare_with_baseline(snapshot, rows, baseline);
  const OtherEnvironments elsewhere = other_environments(snapshot, rows);
  fmt::print("{}\n\n{}", shared_facts(rows),
             render(result_table(rows, verdicts, elsewhere.rows), terminal_width(stdout, kUnlimitedWidth)));
  if (const std::string text = elsewhere.remark + remarks(rows, verdicts); !text.empty()) fmt::print("\n{}", text);
}

int run(const ShowOptions& options) {
  const Selection selection = parse_selection(options.selection);
  const Snapshot snapshot(existing_database(*options.database));
  const std::vector<ResultRow> rows = select(snapshot, selection);
  if (options.format != "table") {
    fmt::print("{}", export_rows(rows, *parse_export_format(options.format)));
  } else if (selection.measurement) {
    const std::optional<Measurement> measurement = snapshot.measurement(*selection.measurement);
    if (measurement)
      fmt::print("{}", measurement_text(*measurement, rows.front(),
                                        snapshot.environment(*selection.measurement).value_or(Environment{}),
                                        snapshot.note(*selection.measurement)));
  } else if (rows.empty()) {
    fmt::print("Nothing was measured in this sweep; `triscope sweep --resume{}` continues it.\n",
               database_words(*options.database));
  } else {
    print_table(snapshot, rows, options.baseline);
  }
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("show", "Latency, TFLOP/s, error and verdicts of a sweep, or one measurement");
  auto options = std::make_shared<ShowOptions>();
  command->add_option(
      "WHAT", options->selection,
      "Sweep (3, latest), measurement (m12) or kernel (kernel:cpu.fast, kernel:cpu.fast@3); default: latest");
  options->database = add_database_option(*command);
  command
      ->add_option("--baseline", options->baseline,
                   "Kernel that the others are compared with, or auto, or none (default: auto)")
      ->type_name("ID");
  const auto set_format = [options](const std::string& text) {
    if (text != "table" && !parse_export_format(text)) {
      refuse_choice("--format", text, "this is not a format",
                    std::vector<std::string>{"table", "csv", "json", "md", "latex"});
    }
    options->format = text;
  };
  command->add_option_function<std::string>("--format", set_format, "table, csv, json, md, latex (default: table)")
      ->type_name("{table,csv,json,md,latex}");
  command->footer(
      "The table shows median latency and half its 95 % interval; TFLOP/s by the exact count of triples; the verdict "
      "against\n"
      "the baseline in latency; the number of flagged samples (throttled, preempted); the error against the fp64 "
      "oracle.\n"
      "\n"
      "Examples:\n"
      "  triscope show\n"
      "  triscope show 3 --baseline cpu.fast\n"
      "  triscope show m12                     one measurement: quartiles, errors by output, launches\n"
      "  triscope show kernel:cpu.fast --format csv");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
