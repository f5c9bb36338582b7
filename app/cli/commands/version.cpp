#include "app/cli/commands/version.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "build_facts.hpp"
#include "kernels/base/third_party.hpp"
#include "profiler/record/json.hpp"

namespace triscope {

int print_version() {
  using namespace build_facts;
  print_output("triscope {} (commit {})\n{}, {}\n", kVersion, kGitCommit, kCompiler, kCompileFlags);
  return 0;
}

namespace {

int print_json() {
  using namespace build_facts;
  write_json_line(dump_line({{"type", "version"},
                             {"version", kVersion},
                             {"commit", kGitCommit},
                             {"compiler", kCompiler},
                             {"compile_flags", kCompileFlags}}));
  return 0;
}

int print_licences_json() {
  for (const ThirdPartyPart& part : third_party_parts()) {
    write_json_line(dump_line({{"type", "part"},
                               {"name", part.name},
                               {"version", part.version},
                               {"licence", part.licence},
                               {"use", part.use}}));
  }
  return 0;
}

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
  auto json = std::make_shared<bool>(false);
  add_table_or_json(*command, *json);
  command->callback([licences, json, &action] {
    if (*json) {
      action = *licences ? print_licences_json : print_json;
    } else {
      action = *licences ? print_licences : print_version;
    }
  });
}

}  // namespace triscope
