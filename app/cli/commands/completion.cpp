#include "app/cli/options/completion.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/terminal.hpp"

namespace triscope {

void add_completion_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("completion", "A completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("{bash,zsh,fish}");
  command->footer(
      "Examples:\n"
      "  source <(triscope completion bash)                          for this shell\n"
      "  triscope completion bash > ~/.local/share/bash-completion/completions/triscope\n"
      "  triscope completion zsh > ~/.zfunc/_triscope                with ~/.zfunc in fpath\n"
      "  triscope completion fish > ~/.config/fish/completions/triscope.fish");
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      write_output(completion_script(app, *shell));
      return 0;
    };
  });
}

}  // namespace triscope
