// `triscope note`: what a person writes about a sweep or a measurement; the window shows and changes the same.
#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

struct NoteOptions {
  std::string what;
  std::optional<std::string> text;
  std::shared_ptr<std::string> database;
};

/// A sweep or a measurement that is there.
struct Noted {
  std::int64_t sweep = 0, measurement = 0;  ///< one of them is 0
  std::string note;
};

Noted find(const Snapshot& snapshot, const std::string& what) {
  const Selection selection = parse_selection(what);
  if (!selection.kernel.empty())
    throw Error(fmt::format("note '{}'", what), "a note belongs to a sweep or a measurement",
                "write 3 or latest for a sweep, m12 for a measurement", ExitCode::usage);
  const std::vector<ResultRow> rows = select(snapshot, selection);  // says what is not there
  if (selection.measurement) return {0, *selection.measurement, snapshot.note(*selection.measurement)};
  const SweepInfo sweep = selection.sweep ? *snapshot.sweep(*selection.sweep) : snapshot.sweeps().front();
  return {sweep.id, 0, sweep.note};
}

int run(const NoteOptions& options) {
  const std::filesystem::path file = existing_database(*options.database);
  const Noted noted = find(Snapshot(file), options.what);
  if (!options.text) {
    if (!noted.note.empty()) print_output("{}\n", noted.note);
    return 0;
  }
  Store store(writable_database(*options.database));
  if (noted.measurement != 0) {
    store.set_measurement_note(noted.measurement, *options.text);
  } else {
    store.set_note(noted.sweep, *options.text);
  }
  return 0;
}

}  // namespace

void add_note_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("note", "Print or write the note of a sweep or a measurement");
  auto options = std::make_shared<NoteOptions>();
  command->add_option("WHAT", options->what, "Sweep (3, latest) or measurement (m12)")->required()->type_name("");
  command->add_option("TEXT", options->text, "The note; \"\" deletes it; left out: the note is printed")->type_name("");
  options->database = add_database_option(*command);
  command->footer(
      "The note of a sweep is its title in lists. Its words that begin with # are tags: `triscope list --search`,\n"
      "`triscope explore --where note~#paper` and the window's History find them.\n"
      "\n"
      "Examples:\n"
      "  triscope note latest \"after the rewrite #paper\"\n"
      "  triscope note m12 \"the fan stood still\"\n"
      "  triscope note latest");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
