#include "app/cli/commands/version.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "build_facts.hpp"
#include "kernels/base/third_party.hpp"

namespace triscope {

int print_version() {
  using namespace build_facts;
  print_output("triscope {} (commit {})\n{}, {}\n", kVersion, kGitCommit, kCompiler, kCompileFlags);
  return 0;
}

namespace {

int print_licences() {
  TerminalTable table;
  table.columns = {{"part", Align::left, 100, false},
                   {"version", Align::left, 90, false},
                   {"licence", Align::left, 80, false},
                   {"use", Align::left, 60, true}};
  for (const ThirdPartyPart& part : third_party_parts()) {
    table.rows.push_back(
        {std::string(part.name), std::string(part.version), std::string(part.licence), std::string(part.use)});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  for (const ThirdPartyPart& part : third_party_parts()) {
    if (!part.command.empty()) print_output("\n{} downloads {}.\n", part.command, part.download);
  }
  return 0;
}

}  // namespace

void add_version_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("version", "Version, commit, compiler and flags of this build");
  auto licences = std::make_shared<bool>(false);
  command->add_flag("--licences", *licences,
                    "Third-party parts that are compiled in or loaded at run time, with their licences");
  command->callback([licences, &action] { action = *licences ? print_licences : print_version; });
}

}  // namespace triscope
