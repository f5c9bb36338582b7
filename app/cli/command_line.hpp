// The command line: tree of commands, errors to sentences and exit codes.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace triscope {

/// `arguments` (without the program's name) with "gui" put in front when they start with no command: nothing at all, an
/// option of the window (`window_options`, such as "--screenshot"), or the path of a file that exists. Throws `Error`
/// (usage) for anything else that is no command, naming the nearest command or option.
std::vector<std::string> with_default_command(std::vector<std::string> arguments, std::span<const std::string> commands,
                                              std::span<const std::string> window_options);

/// Runs one command line; returns the program's exit code. Errors become one sentence on stderr.
int run_command_line(int argc, const char* const* argv);

}  // namespace triscope
