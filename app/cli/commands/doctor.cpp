// `triscope doctor`: what works here, what does not, and what to do about it.
#include "app/cli/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/json.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

struct DoctorOptions {
  std::shared_ptr<std::string> database;
  std::vector<std::string> worker_prefix;
  bool json = false;
  bool rebuild_view = false;
};

int run(const DoctorOptions& options) {
  if (options.rebuild_view) {
    const std::filesystem::path database = existing_database(*options.database);
    rebuild_view(database);
    print_output("the view `result` of {} was made anew from its tables\n", database.string());
    return 0;
  }
  const std::vector<Finding> findings = diagnose(gather_facts(database_path(*options.database), options.worker_prefix));
  for (const Finding& finding : findings) {
    if (options.json) {
      const nlohmann::json object = {{"subject", finding.subject},
                                     {"health", to_string(finding.health)},
                                     {"found", finding.found},
                                     {"advice", finding.advice}};
      write_json_line(dump_line(object));
      continue;
    }
    print_output("{:<8} {:<16} {}\n", to_string(finding.health), finding.subject, finding.found);
    if (!finding.advice.empty()) print_output("{:<25} -> {}\n", "", finding.advice);
  }
  const bool broken =
      std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.health == Health::broken; });
  if (!options.json) {
    print_output("\n{}\n", broken ? "A sweep cannot run here yet: see what is BROKEN above."
                                  : with_database("A sweep can run here: `triscope sweep`. To check the kernels: "
                                                  "`triscope check`.",
                                                  *options.database));
  }
  return static_cast<int>(broken ? ExitCode::environment : ExitCode::done);
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("doctor", "What works here, what does not, and what to do about it");
  auto options = std::make_shared<DoctorOptions>();
  options->database = add_database_option(*command);
  add_worker_prefix_option(*command, options->worker_prefix);
  command->add_flag("--json", options->json, "Print one JSON object per line");
  command->add_flag("--rebuild-view", options->rebuild_view,
                    "Make the view `result` of the database anew from its tables, and nothing else");
  add_table_or_json(*command, options->json);
  command->footer("Exit 3 when a sweep cannot run here.");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
