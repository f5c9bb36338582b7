// `triscope devices`: where a sweep can run.
#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/supervise/worker_jobs.hpp"

namespace triscope {
namespace {

std::string unit_text(const std::optional<double>& value, std::string_view unit) {
  return value ? fmt::format("{} {}", significant_text(*value, 4), unit) : std::string();
}

void print_devices(const Catalog& catalog) {
  const std::vector<Device>& devices = catalog.devices;
  TerminalTable table;
  table.columns = {{"id", Align::left, 100, false},           {"name", Align::left, 90, true},
                   {"capability", Align::left, 50, false},    {"memory", Align::right, 70, false},
                   {"SMs, threads", Align::right, 60, false}, {"peak", Align::right, 65, false},
                   {"clock", Align::right, 40, false},        {"power limit", Align::right, 30, false},
                   {"UUID", Align::left, 10, false}};
  for (const Device& device : devices) {
    table.rows.push_back(
        {device.id, device.name, device.compute_capability, bytes_text(static_cast<double>(device.memory_bytes)),
         fmt::format("{}", device.multiprocessors), unit_text(device.peak_tflops_at_max_clock, "TFLOP/s"),
         unit_text(device.max_sm_clock_mhz, "MHz"), unit_text(device.power_limit_w, "W"), device.uuid});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  for (const Device& device : devices) {
    for (const std::string& limit : device.limits) print_output("{}: {}\n", device.id, limit);
  }
  if (!catalog.gpu_problem.empty()) print_output("no GPU can be used: {}\n", catalog.gpu_problem);
}

void print_json(const Catalog& catalog) {
  for (const Device& device : catalog.devices) {
    write_json_line(dump_line({{"type", "device"},
                               {"id", device.id},
                               {"name", device.name},
                               {"compute_capability", device.compute_capability},
                               {"memory_bytes", device.memory_bytes},
                               {"multiprocessors", device.multiprocessors},
                               {"peak_tflops", device.peak_tflops_at_max_clock},
                               {"max_sm_clock_mhz", device.max_sm_clock_mhz},
                               {"power_limit_w", device.power_limit_w},
                               {"uuid", device.uuid},
                               {"limits", device.limits}}));
  }
  if (!catalog.gpu_problem.empty())
    write_json_line(dump_line({{"type", "gpu_problem"}, {"text", catalog.gpu_problem}}));
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "The devices a sweep can run on, and their limits");
  auto options = std::make_shared<WorkerOptions>();
  auto json = std::make_shared<bool>(false);
  add_worker_prefix_option(*command, options->prefix);
  add_table_or_json(*command, *json);
  command->footer("Their ids are what --device takes.");
  command->callback([options, json, &action] {
    action = [options, json] {
      *json ? print_json(query_catalog(*options)) : print_devices(query_catalog(*options));
      return 0;
    };
  });
}

}  // namespace triscope
