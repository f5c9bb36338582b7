// `triscope import`: takes over the sweeps of another database.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/plan/done_count.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/json.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

/// The file to copy from, found readable before anything is done to the target.
std::filesystem::path readable_source(const std::string& name, const std::filesystem::path& target) {
  const auto what = [&name] { return fmt::format("import '{}'", name); };
  if (name.empty()) throw Error(what(), "the name is empty", "name the database to copy from", ExitCode::usage);
  std::error_code missing;
  if (std::filesystem::equivalent(name, target, missing)) {
    throw Error(what(), "it is the database that would be written to", "name another file, or another target with --db",
                ExitCode::usage);
  }
  try {
    Snapshot{name};
  } catch (const Error& e) {
    throw Error(what(), e.why(), e.fix(), e.code());
  }
  return name;
}

/// Under which number each sweep of `source` is found here, oldest first, and what `latest` means.
void print_ids(const Snapshot& source, const Snapshot& target, bool json) {
  const std::vector<SweepInfo> here = target.sweeps();
  std::vector<SweepInfo> imported = source.sweeps();
  std::reverse(imported.begin(), imported.end());
  for (const SweepInfo& sweep : imported) {
    const auto same =
        std::find_if(here.begin(), here.end(), [&](const SweepInfo& one) { return one.uuid == sweep.uuid; });
    if (same == here.end()) continue;
    if (json) {
      write_json_line(dump_line({{"type", "sweep"}, {"there", sweep.id}, {"here", same->id}}));
    } else {
      print_output("sweep {} of that file is sweep {} here\n", sweep.id, same->id);
    }
  }
  if (here.empty()) return;
  if (json) {
    write_json_line(dump_line({{"type", "latest"}, {"sweep", here.front().id}, {"started", here.front().started}}));
  } else {
    print_output("`latest` is sweep {}, the one that was measured last, on {}\n", here.front().id,
                 here.front().started.substr(0, 10));
  }
}

/// Why an import has copied nothing. It is a failure only where something was left out.
std::string nothing_copied_text(const Snapshot& source, const std::string& file, const std::filesystem::path& target,
                                bool left_out) {
  std::int64_t held = 0;
  for (const SweepInfo& sweep : source.sweeps()) held += done_count(sweep) + sweep.cancelled;
  if (left_out) return fmt::format("nothing was copied: what {} lacks of {} was left out", target.string(), file);
  if (held == 0) return fmt::format("nothing was copied: {} holds no measurement", file);
  return fmt::format("nothing was copied: {} held all {} of {} before", target.string(), number_of(held, "measurement"),
                     file);
}

}  // namespace

void add_import_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("import", "Copy the sweeps of another database into this one");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "The other database")->required()->type_name("FILE");
  auto database = add_database_option(*command);
  command->footer(
      "What this database already holds is left alone: importing a file twice changes nothing.\n"
      "\n"
      "Examples:\n"
      "  triscope import node7.db\n"
      "  triscope import node7.db --db all.db");
  auto json = std::make_shared<bool>(false);
  add_table_or_json(*command, *json);
  command->callback([file, database, json, &action] {
    action = [file, database, json] {
      const std::filesystem::path target = writable_database(*database);
      const std::filesystem::path source = readable_source(*file, target);
      constexpr std::int64_t kNamed = 3;
      std::int64_t left_out_rows = 0;
      const auto left_out = [&left_out_rows](const std::string& sentence) {
        if (++left_out_rows <= kNamed) print_error("triscope: {}.", sentence);
      };
      const std::int64_t copied = Store(target).import(source, {request_fault, left_out, {}});
      if (left_out_rows > kNamed)
        print_error("triscope: {} more {} not copied, or not as that file has {}.", left_out_rows - kNamed,
                    left_out_rows - kNamed == 1 ? "was" : "were", left_out_rows - kNamed == 1 ? "it" : "them");
      if (*json) {
        write_json_line(dump_line({{"type", "import"}, {"copied", copied}, {"database", target.string()}}));
      } else if (copied == 0) {
        print_output("{}\n", nothing_copied_text(Snapshot(source), *file, target, left_out_rows > 0));
      } else {
        print_output("{} copied into {}\n", number_of(copied, "measurement"), target.string());
      }
      print_ids(Snapshot(source), Snapshot(target), *json);
      return static_cast<int>(copied == 0 && left_out_rows > 0 ? ExitCode::measured_failed : ExitCode::done);
    };
  });
}

}  // namespace triscope
