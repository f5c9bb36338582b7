#include "app/commands/version.hpp"

#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "build_facts.hpp"

namespace triscope {

int print_version() {
  using namespace build_facts;
  fmt::print("triscope {} (commit {})\n{}, {}\n", kVersion, kGitCommit, kCompiler, kCompileFlags);
  return 0;
}

void add_version_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("version", "Version, commit, compiler and flags of this build");
  command->callback([&action] { action = print_version; });
}

}  // namespace triscope
