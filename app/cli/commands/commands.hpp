// One function a command: adds its options to the tree and, when it is chosen, sets the action that runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace triscope {

/// What the parsed command line asks for; returns the exit code (kernels/base/error.hpp).
using Action = std::function<int()>;

/// Becomes triscope-window, which lies beside this program; returns only by throwing.
[[noreturn]] void become_window(std::vector<std::string> arguments);

void add_gui_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_sweep_command(CLI::App& app, Action& action);
void add_list_command(CLI::App& app, Action& action);
void add_note_command(CLI::App& app, Action& action);
void add_show_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_explore_command(CLI::App& app, Action& action);
void add_advise_command(CLI::App& app, Action& action);
void add_paper_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_import_command(CLI::App& app, Action& action);
void add_eval_command(CLI::App& app, Action& action);
void add_inspect_command(CLI::App& app, Action& action);
void add_plugin_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
void add_devices_command(CLI::App& app, Action& action);
void add_kernels_command(CLI::App& app, Action& action);
void add_version_command(CLI::App& app, Action& action);
void add_completion_command(CLI::App& app, Action& action);

}  // namespace triscope
