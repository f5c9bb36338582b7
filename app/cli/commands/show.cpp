// `triscope show`: the table of a sweep, or one measurement in full.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/checked_times.hpp"
#include "app/cli/text/measurement_text.hpp"
#include "app/cli/text/result_table.hpp"
#include "app/cli/text/row_environments.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "app/cli/text/training_step.hpp"
#include "kernels/base/error.hpp"
#include "profiler/export/export.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/unusable_measurement.hpp"
#include "profiler/verdict/reference.hpp"
#include "profiler/verdict/step_verdicts.hpp"

namespace triscope {
namespace {

struct ShowOptions {
  std::string selection = "latest";
  std::shared_ptr<std::string> database;
  std::string baseline = "auto";
  std::string format = "table";
  bool step = false, selection_given = false;
};

void print_table(const Snapshot& snapshot, const std::vector<ResultRow>& rows, ReferenceSide& reference) {
  const Verdicts verdicts = reference.beside(rows);
  const OtherEnvironments elsewhere = other_environments(snapshot, rows);
  const std::size_t width = terminal_width(stdout, kUnlimitedWidth);
  print_output("{}\n{}", shared_facts(rows), render(result_table(rows, verdicts, elsewhere.rows), width));
  if (const std::string text = elsewhere.remark + remarks(rows, verdicts); !text.empty()) print_output("\n{}", text);
  if (const std::vector<TrainingStep> steps = steps_in_turns(snapshot, addresses_of(rows), "auto"); !steps.empty())
    print_output("\ntraining step\n{}", training_step_table(steps, width));
}

/// One row in full, or what of it can be used.
std::string text_of(const Snapshot& snapshot, const ResultRow& row) {
  const std::string note = snapshot.note(row.measurement);
  try {
    if (const std::optional<Measurement> measurement = snapshot.measurement(row.measurement))
      return measurement_text(*measurement, row, snapshot.environment(row.measurement).value_or(Environment{}), note);
  } catch (const UnusableMeasurement& fault) {
    return unusable_measurement_text(row, fault.why(), note);
  }
  return unusable_measurement_text(row, row.reason, note);  // its problem or its kernel is missing
}

/// Why there is no step, and what to type.
std::string no_step(const ShowOptions& options, const Snapshot& snapshot) {
  const std::string database = database_words(*options.database);
  if (options.selection_given) {
    const std::vector<ResultRow> all = snapshot.results();
    if (!training_steps(all, "none").empty())
      return fmt::format(
          "No problem of '{}' was measured in both passes; `triscope show --step{}` takes the passes of all sweeps "
          "together.",
          options.selection, database);
  }
  return fmt::format("No problem was measured in both passes; `triscope sweep --pass forward,backward{}` does that.",
                     database);
}

/// Steps of all of the database, or of the rows that were named.
int show_steps(const ShowOptions& options) {
  const std::filesystem::path file = existing_database(*options.database);
  const Snapshot snapshot(file);
  give_up_other_rights({file});
  const std::vector<ResultRow> all =
      options.selection_given ? select(snapshot, parse_selection(options.selection)) : snapshot.results();
  const std::vector<const ResultRow*> named = addresses_of(all);
  const std::vector<const ResultRow*> rows = options.selection_given ? named : rows_of_steps(named);
  const std::vector<TrainingStep> steps = steps_in_turns(snapshot, rows, options.baseline);
  const auto stands_beside = [](const TrainingStep& step) { return step.over_baseline.has_value(); };
  if (options.baseline != "auto" && options.baseline != "none" && std::ranges::none_of(steps, stands_beside))
    throw Error(fmt::format("--baseline '{}'", options.baseline),
                "no step stands beside it: only a dot product that sees all tokens and was measured in both passes can",
                "give such a kernel, auto or none", ExitCode::usage);
  if (steps.empty()) {
    say_aside(no_step(options, snapshot), options.format == "json");
  } else if (options.format == "json") {
    write_json(training_step_json(steps));
  } else {
    print_output("{}", training_step_table(steps, terminal_width(stdout, kUnlimitedWidth)));
  }
  return 0;
}

int run(const ShowOptions& options) {
  if (options.step) return show_steps(options);
  const Selection selection = parse_selection(options.selection);
  const std::filesystem::path file = existing_database(*options.database);
  const Snapshot snapshot(file);
  std::vector<std::filesystem::path> opened{file};
  const Reference asked = options.format == "table" ? parse_reference(options.baseline) : Reference();
  ReferenceSide reference(snapshot, file, asked);
  if (asked.kind == Reference::Kind::database) opened.emplace_back(asked.name);
  give_up_other_rights(opened);
  std::vector<ResultRow> rows = select(snapshot, selection);
  remark_times(snapshot, rows);
  const std::string unusable = unusable_sweeps_text(snapshot, rows);
  if (rows.empty()) say_aside(nothing_measured(snapshot, selection, *options.database), options.format != "table");
  if (options.format != "table") {
    write_output(export_rows(rows, *parse_export_format(options.format)));
  } else if (selection.measurement) {
    print_output("{}", text_of(snapshot, rows.front()));
  } else if (!rows.empty()) {
    print_table(snapshot, rows, reference);
  }
  if (!unusable.empty()) say_aside(unusable, options.format != "table");
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("show", "Latency, TFLOP/s, error and verdicts of a sweep, or one measurement");
  auto options = std::make_shared<ShowOptions>();
  command->add_option_function<std::string>(
      "WHAT",
      [options](const std::string& text) {
        options->selection = text;
        options->selection_given = true;
      },
      "Sweep (3, latest), measurement (m12) or kernel (kernel:cpu.fast, kernel:cpu.fast@3); default: latest");
  options->database = add_database_option(*command);
  command
      ->add_option(
          "--baseline", options->baseline,
          "What rows stand beside: a kernel, row:N, sweep:N, database:FILE, paper, auto or none (default: auto)")
      ->type_name("REFERENCE");
  command->add_flag("--step", options->step,
                    "Forward and backward together, beside dot-product attention; of the whole database when WHAT is "
                    "left out");
  const auto set_format = [options](const std::string& text) {
    if (text != "table" && !parse_export_format(text)) {
      refuse_choice("--format", text, "this is not a format",
                    std::vector<std::string>{"table", "csv", "json", "md", "latex"});
    }
    options->format = text;
  };
  command->add_option_function<std::string>("--format", set_format, "table, csv, json, md, latex (default: table)")
      ->type_name("{table,csv,json,md,latex}");
  add_json_flag(*command, [options] { options->format = "json"; });
  command->footer(
      "The table shows median latency and half its 95 % interval; TFLOP/s by the exact count of triples; the verdict "
      "against\n"
      "the baseline in latency; the number of flagged samples (throttled, preempted); the error against the fp64 "
      "oracle.\n"
      "\n"
      "Examples:\n"
      "  triscope show\n"
      "  triscope show 3 --baseline cpu.fast\n"
      "  triscope show 3 --baseline sweep:2    each row beside that of sweep 2; row:12, database:FILE, paper likewise\n"
      "  triscope show m12                     one measurement: quartiles, errors by output, launches\n"
      "  triscope show kernel:cpu.fast --format csv\n"
      "  triscope show --step                  what a training step costs");
  command->callback([options, &action] {
    if (options->step && options->format != "table" && options->format != "json")
      refuse_value("--format", options->format, "--step prints a table or JSON", "choose table or json");
    action = [options] { return run(*options); };
  });
}

}  // namespace triscope
