#include "app/cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/cli/commands/commands.hpp"
#include "app/cli/commands/version.hpp"
#include "app/cli/search/search.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/system_limit.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "kernels/base/text/shell_word.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

constexpr char kFooter[] =
    "Start here:\n"
    "  triscope doctor                      what works on this machine\n"
    "  triscope sweep --windows table1      measure the paper's windows\n"
    "  triscope show                        the newest results\n"
    "\n"
    "`triscope COMMAND --help` explains a command with examples. Exit codes: 0 done, 1 a measurement failed,\n"
    "2 the request is malformed, 3 this machine cannot serve it.";

void build_tree(CLI::App& app, Action& action) {
  app.name("triscope");
  app.description("Measures 2-simplicial attention: latency, TFLOP/s and verdicts, kept in a database.");
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  app.set_help_flag("-h,--help", "Explain the command");
  app.add_flag_callback(
      "--version", [&action] { action = print_version; }, "Print version and build");
  add_gui_command(app, action);
  add_report_command(app, action);
  add_sweep_command(app, action);
  add_list_command(app, action);
  add_search_command(app, action);
  add_note_command(app, action);
  add_show_command(app, action);
  add_compare_command(app, action);
  add_explore_command(app, action);
  add_advise_command(app, action);
  add_paper_command(app, action);
  add_export_command(app, action);
  add_import_command(app, action);
  add_eval_command(app, action);
  add_inspect_command(app, action);
  add_check_command(app, action);
  add_plugin_command(app, action);
  add_doctor_command(app, action);
  add_devices_command(app, action);
  add_kernels_command(app, action);
  add_version_command(app, action);
  add_completion_command(app, action);
  app.footer(kFooter);  // last, since commands inherit what is set before them
}

/// Refuses `extras`, arguments that `command` does not know.
[[noreturn]] void refuse_extras(const CLI::App& command, const std::string& name,
                                const std::vector<std::string>& extras) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  }
  std::string fix = fmt::format("see `{} --help`", name);
  for (const std::string& extra : extras) {
    if (!extra.starts_with("--")) continue;
    fix = nearest_name_hint(extra.substr(0, extra.find('=')), known) + fix;
    break;
  }
  throw Error("the command line cannot be read",
              fmt::format("'{}' {} not expected", fmt::join(extras, "', '"), extras.size() == 1 ? "was" : "were"), fix,
              ExitCode::usage);
}

/// Refuses an option of `command` that was given more often than it may be, if that is what went wrong.
void refuse_repeated(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    const int most = option->get_expected_max();
    if (most < 1 || static_cast<int>(option->count()) <= most) continue;
    throw Error("the command line cannot be read",
                fmt::format("{} was given {} times", option->get_name(), option->count()),
                fmt::format("give it once (lists are separated by commas), see `{} --help`", name), ExitCode::usage);
  }
}

/// Parses `arguments`; true when `action` is to be run, false when help was printed.
bool parse(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
    return true;
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    write_output(chosen.empty() ? app.help() : chosen.front()->help(app.get_name()));
    return false;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string name = chosen.empty() ? "triscope" : "triscope " + chosen.front()->get_name();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      refuse_extras(chosen.empty() ? app : *chosen.front(), name, app.remaining(true));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
      refuse_repeated(chosen.empty() ? app : *chosen.front(), name);
    throw Error("the command line cannot be read", error.what(), fmt::format("see `{} --help`", name), ExitCode::usage);
  }
}

/// Refuses --json beside a --format that is another one.
void refuse_two_formats(const CLI::App& command) {
  const CLI::Option *json = command.get_option_no_throw("--json"), *format = command.get_option_no_throw("--format");
  if (json == nullptr || format == nullptr || json->count() == 0 || format->count() == 0) return;
  const std::string& other = format->results().back();
  if (other == "json") return;
  throw Error(fmt::format("--json beside --format {}", other), "they ask for different output", "leave one of them out",
              ExitCode::usage);
}

/// The database that was named, for the hints of a refusal: empty where none was, and for `import`, which has two.
std::filesystem::path named_database(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty() || chosen.front()->get_name() == "import") return {};
  const CLI::Option* option = chosen.front()->get_option_no_throw("--db");
  if (option == nullptr || option->count() == 0) return {};
  return option->results().back();
}

int run(std::vector<std::string> arguments, CLI::App& app) {
  Action action;
  build_tree(app, action);
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) commands.push_back(command->get_name());
  std::vector<std::string> window_options;
  for (const CLI::Option* option : app.get_subcommand("gui")->get_options()) {
    for (const std::string& name : option->get_lnames()) window_options.push_back("--" + name);
  }
  const bool go = parse(app, with_default_command(std::move(arguments), commands, window_options));
  if (go) std::ranges::for_each(app.get_subcommands(), [](const CLI::App* chosen) { refuse_two_formats(*chosen); });
  const int code = go ? action() : 0;
  finish_output();
  return code;
}

}  // namespace

std::vector<std::string> with_default_command(std::vector<std::string> arguments, std::span<const std::string> commands,
                                              std::span<const std::string> window_options) {
  const auto gui = [&] {
    arguments.insert(arguments.begin(), "gui");
    return arguments;
  };
  if (arguments.empty()) return gui();
  const std::string& first = arguments.front();
  if (first == "-h" || first == "--help" || first == "--version") return arguments;
  if (first.starts_with('-')) {
    const std::string option = first.substr(0, first.find('='));
    if (std::find(window_options.begin(), window_options.end(), option) != window_options.end()) return gui();
    std::vector<std::string> known{"--help", "--version"};
    known.insert(known.end(), window_options.begin(), window_options.end());
    const std::optional<std::string> nearest = option.starts_with("--") ? nearest_name(option, known) : std::nullopt;
    throw Error(fmt::format("'{}' is unknown", option), "it is neither an option of triscope nor one of the window",
                nearest ? fmt::format("did you mean `triscope {}`", *nearest) : "see `triscope --help`",
                ExitCode::usage);
  }
  if (std::find(commands.begin(), commands.end(), first) != commands.end()) return arguments;
  std::error_code ignored;
  if (std::filesystem::exists(first, ignored)) return gui();
  const std::optional<std::string> nearest = nearest_name(first, commands);
  throw Error(fmt::format("'{}' is unknown", first), "it is neither a command nor a database file",
              nearest ? fmt::format("did you mean `triscope {}`", *nearest) : "see `triscope --help`", ExitCode::usage);
}

int run_command_line(int argc, const char* const* argv) {
  CLI::App app;
  try {
    return run(with_empty_values({argv + 1, argv + argc}), app);
  } catch (const Error& error) {
    print_error("triscope: {}", with_database(error.what(), named_database(app)));
    return static_cast<int>(error.code());
  } catch (const std::exception& exception) {
    print_error("triscope: {}", unforeseen(exception));
  }
  return static_cast<int>(ExitCode::environment);
}

}  // namespace triscope
