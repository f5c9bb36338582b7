// `triscope check`: every available kernel against the fp64 oracle.
#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/stop/stop_signal.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/supervise/worker_jobs.hpp"

namespace triscope {
namespace {

struct CheckCommandOptions {
  WorkerOptions worker;
  CheckRequest request;
  std::string device = "auto";
  bool all = false;
  bool json = false;
};

struct CheckTally {
  std::int64_t ok = 0, failed = 0, skipped = 0, cancelled = 0;
  void count(Status status) {
    switch (status) {
      case Status::ok:
        ++ok;
        break;
      case Status::failed:
        ++failed;
        break;
      case Status::skipped:
        ++skipped;
        break;
      case Status::cancelled:
        ++cancelled;
        break;
    }
  }
};

std::string row_text(const CheckRow& row) {
  std::string text = fmt::format("{:<9} {} {} {}, {}, {} inputs", to_string(row.status), row.kernel, row.instance,
                                 to_string(row.pass), describe(row.problem), to_string(row.inputs));
  std::string errors;
  for (const auto& [output, error] : row.errors) errors += fmt::format(" {} {}", output, significant_text(error, 2));
  if (!errors.empty()) text += ":" + errors;
  return row.reason.empty() ? text : text + " (" + row.reason + ")";
}

std::string row_json(const CheckRow& row) {
  const nlohmann::json object = {{"type", "check"},
                                 {"kernel", row.kernel},
                                 {"instance", row.instance},
                                 {"pass", to_string(row.pass)},
                                 {"problem", describe(row.problem)},
                                 {"inputs", to_string(row.inputs)},
                                 {"status", to_string(row.status)},
                                 {"reason", row.reason},
                                 {"errors", row.errors}};
  return dump_line(object);
}

int run(const CheckCommandOptions& options) {
  StopSignal stop;
  CheckTally tally;
  const bool bar = !options.json && is_terminal(stderr);
  const auto show = [&](const CheckRow& row) {
    tally.count(row.status);
    if (bar) write_status_line("");
    if (options.json) {
      write_json_line(row_json(row));
    } else if (options.all || row.status == Status::failed) {
      print_output("{}\n", row_text(row));
    }
    std::fflush(stdout);
    if (bar) write_status_line(fmt::format("{}/{}", row.index + 1, row.total));
  };
  run_check(options.worker, options.device, options.request, show, stop.token());
  if (bar) write_status_line("");
  if (!options.json) {
    print_output("{} comparisons with the fp64 oracle passed, {} failed, {} skipped as unsupported\n", tally.ok,
                 tally.failed, tally.skipped);
  }
  if (stop.requested()) print_error("triscope: the check was stopped before its end.");
  const bool passed = tally.failed == 0 && tally.ok > 0 && !stop.requested();
  return static_cast<int>(passed ? ExitCode::done : ExitCode::measured_failed);
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Compare every kernel that runs here with the fp64 oracle");
  auto options = std::make_shared<CheckCommandOptions>();
  command
      ->add_option_function<std::string>(
          "--kernel",
          [options](const std::string& text) {
            options->request.kernels = text == "auto" ? std::vector<std::string>{} : parse_list("--kernel", text);
          },
          "auto, or ids that `triscope kernels` prints (default: auto)")
      ->type_name("LIST");
  command->add_option("--instance", options->request.instance, "auto, all, or an instance's name (default: all)")
      ->type_name("NAME");
  command
      ->add_option("--device", options->device,
                   "auto (each kernel on the device it runs on), cpu, or a GPU's number (default: auto)")
      ->type_name("ID");
  command
      ->add_option_function<std::string>(
          "--seed", [options](const std::string& text) { options->request.seed = parse_seed("--seed", text); },
          "Seed of the generated inputs (default: 1)")
      ->type_name("N");
  command->add_flag("--quick", options->request.quick, "Check only a few shapes");
  command->add_flag("--all", options->all, "Also print the comparisons that passed");
  command->add_flag("--json", options->json, "Print one JSON object per line");
  add_table_or_json(*command, options->json);
  add_worker_prefix_option(*command, options->worker.prefix);
  command->footer(
      "Exit 1 when a comparison fails. Tolerances and shapes: docs/method.md.\n"
      "\n"
      "Examples:\n"
      "  triscope check\n"
      "  triscope check --kernel cpu.fast --all");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
