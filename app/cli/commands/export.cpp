// `triscope export`: results as text that other programs read.
#include "profiler/export/export.hpp"

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/checked_times.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/base/files/output_file.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

struct ExportOptions {
  std::optional<std::string> selection;  ///< unset: everything in the database
  std::shared_ptr<std::string> database;
  ExportFormat format = ExportFormat::csv;
  std::vector<const ResultColumn*> columns;  ///< empty: the format's own choice
  bool table = false;
  std::string file;
};

std::vector<const ResultColumn*> parse_columns(const std::string& text) {
  std::vector<const ResultColumn*> columns;
  for (const std::string& id : parse_list("--columns", text)) {
    const ResultColumn* column = find_result_column(id);
    if (column == nullptr) {
      std::vector<std::string> known;
      for (const ResultColumn& candidate : result_columns()) known.emplace_back(candidate.id);
      refuse_choice("--columns", id, "the result view has no such column", known);
    }
    columns.push_back(column);
  }
  return columns;
}

int run(const ExportOptions& options) {
  if (options.table && !options.columns.empty()) {
    refuse_value("--columns", "", "--table chooses its own columns", "leave one of the two out");
  }
  if (!options.file.empty()) require_output(options.file, file_kind(options.format), "-o");
  const std::optional<Selection> selection =
      options.selection ? std::optional(parse_selection(*options.selection)) : std::nullopt;
  const std::filesystem::path file = existing_database(*options.database);
  const Snapshot snapshot(file);
  give_up_other_rights({file}, options.file);
  std::vector<ResultRow> rows = selection ? select(snapshot, *selection) : snapshot.results();
  if (rows.empty())
    say_aside(selection ? nothing_measured(snapshot, *selection, *options.database) : no_sweep_text(*options.database),
              true);
  remark_times_aloud(snapshot, rows, file);
  std::string text;
  if (options.table) {
    text = export_latency_table(make_latency_table(rows), options.format);
  } else if (options.columns.empty()) {
    text = export_rows(rows, options.format);
  } else {
    text = export_rows(rows, options.format, options.columns);
  }
  if (options.file.empty()) {
    write_output(text);
  } else {
    write_whole_file(options.file, text);
    say_written(options.file);
  }
  return 0;
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("export", "Results as CSV, JSON, Markdown or LaTeX");
  auto options = std::make_shared<ExportOptions>();
  command->add_option_function<std::string>(
      "WHAT", [options](const std::string& text) { options->selection = text; },
      "Sweep (3, latest), measurement (m12) or kernel (kernel:cpu.fast@3); default: the whole database");
  options->database = add_database_option(*command);
  const auto set_format = [options](const std::string& text) {
    const std::optional<ExportFormat> format = parse_export_format(text);
    if (!format)
      refuse_choice("--format", text, "this is not a format", std::vector<std::string>{"csv", "json", "md", "latex"});
    options->format = *format;
  };
  command->add_option_function<std::string>("--format", set_format, "csv, json, md, latex (default: csv)")
      ->type_name("{csv,json,md,latex}");
  add_json_flag(*command, [options] { options->format = ExportFormat::json; });
  command
      ->add_option_function<std::string>(
          "--columns", [options](const std::string& text) { options->columns = parse_columns(text); },
          "Columns of the result view, in this order (docs/schema.md)")
      ->type_name("LIST");
  command->add_flag("--table", options->table, "A table for a paper: windows down, kernels across");
  const auto set_file = [options](const std::string& text) {
    if (text.empty()) refuse_value("-o", text, "the name is empty", "name a file, or leave -o out for stdout");
    options->file = text == "-" ? "" : text;
  };
  command->add_option_function<std::string>("-o,--output", set_file, "File to write (default, or -: stdout)")
      ->type_name("FILE");
  command->footer(
      "csv and json hold every column at full precision; md and latex hold the main columns, rounded.\n"
      "\n"
      "Examples:\n"
      "  triscope export latest --format csv -o sweep.csv\n"
      "  triscope export --format json | jq '.[] | select(.status == \"ok\") | .median_ms'\n"
      "  triscope export 3 --table --format latex -o table.tex");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
