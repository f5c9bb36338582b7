// `triscope search`, beside the other commands (app/cli/commands/commands.hpp).
#pragma once

#include "app/cli/commands/commands.hpp"

namespace triscope {

void add_search_command(CLI::App& app, Action& action);

}  // namespace triscope
