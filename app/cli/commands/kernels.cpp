// `triscope kernels`: what this build contains.
#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/json.hpp"
#include "profiler/supervise/worker_jobs.hpp"

namespace triscope {
namespace {

std::string shown(const std::string& source_hash) { return source_hash.empty() ? "-" : source_hash; }

int print_json(const std::vector<KernelInfo>& kernels) {
  for (const KernelInfo& kernel : kernels) {
    write_json_line(dump_line({{"type", "kernel"},
                               {"id", kernel.id},
                               {"name", kernel.name},
                               {"kind", to_string(kernel.card.kind)},
                               {"device", to_string(kernel.device)},
                               {"instances", kernel.instances},
                               {"forward_source", kernel.source_hash.forward},
                               {"backward_source", kernel.source_hash.backward}}));
  }
  return 0;
}

}  // namespace

void add_kernels_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("kernels", "The kernels of this build");
  auto options = std::make_shared<WorkerOptions>();
  auto json = std::make_shared<bool>(false);
  add_worker_prefix_option(*command, options->prefix);
  add_table_or_json(*command, *json);
  command->footer("Their ids are what --kernel takes, their instances what --instance takes.");
  command->callback([options, json, &action] {
    action = [options, json] {
      if (*json) return print_json(query_catalog(*options).kernels);
      TerminalTable table;
      table.columns = {{"id", Align::left, 100, false},
                       {"name", Align::left, 60, true},
                       {"kind", Align::left, 50, false},
                       {"runs on", Align::left, 80, false},
                       {"instances", Align::left, 70, true},
                       {"forward source", Align::left, 20, false},
                       {"backward source", Align::left, 20, false}};
      for (const KernelInfo& kernel : query_catalog(*options).kernels) {
        const std::vector<std::string> instances = wrapped_list(kernel.instances, 60);
        table.rows.push_back({kernel.id, kernel.name, std::string(to_string(kernel.card.kind)),
                              std::string(to_string(kernel.device)), instances.front(),
                              shown(kernel.source_hash.forward), shown(kernel.source_hash.backward)});
        for (std::size_t n = 1; n < instances.size(); ++n) table.rows.push_back({"", "", "", "", instances[n], "", ""});
      }
      print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
      return 0;
    };
  });
}

}  // namespace triscope
