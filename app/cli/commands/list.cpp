// `triscope list`: the history.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "app/cli/text/training_step.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/sweep_search.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/step_verdicts.hpp"

namespace triscope {
namespace {

struct ListOptions {
  std::shared_ptr<std::string> database;
  bool json = false;
  bool step = false;
  std::string search;
};

/// "2026-11-21 13:55" of an ISO 8601 time.
std::string minute_text(const std::string& time) {
  std::string text = time.substr(0, 16);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string state_text(const SweepInfo& sweep) {
  if (!why_unusable(sweep).empty()) return "unusable";  // the title says why
  if (sweep.running) return "running";
  if (sweep.finished.empty()) return "interrupted";
  return sweep.failed > 0 ? "failures" : "done";
}

/// As they are typed and as the window shows them.
std::string tags_text(const SweepInfo& sweep) {
  const std::vector<std::string> tags = tags_of(sweep.note);
  return tags.empty() ? "" : fmt::format("#{}", fmt::join(tags, " #"));
}

/// Why it cannot be resumed, whoever asks; empty: it can.
std::string resume_fault(const SweepInfo& sweep) {
  const std::string fault = why_unusable(sweep);
  return fault.empty() ? request_fault(sweep.request_json) : fault;
}

/// Of each sweep what its training steps cost, in a few words.
using StepWords = std::map<std::int64_t, std::string>;

StepWords step_words(const Snapshot& snapshot, const std::vector<SweepInfo>& sweeps) {
  StepWords words;
  for (const SweepInfo& sweep : sweeps) {
    if (!why_unusable(sweep).empty()) continue;
    const std::vector<ResultRow> rows = snapshot.results(sweep.id);
    words[sweep.id] = training_steps_words(steps_in_turns(snapshot, addresses_of(rows), "auto"));
  }
  return words;
}

/// Of each sweep how many of its rows lack a part that cannot be used.
using LackingRows = std::map<std::int64_t, std::int64_t>;

/// Counts the rows as `show` has them: one that cannot be used has failed, whatever its file calls it.
LackingRows count_rows(const Snapshot& snapshot, std::vector<SweepInfo>& sweeps) {
  std::map<std::int64_t, std::map<Status, std::int64_t>> counts;
  LackingRows lacking;
  for (const ResultRow& row : snapshot.results()) {
    ++counts[row.sweep][row.status];
    if (row.lacks_part) ++lacking[row.sweep];
  }
  for (SweepInfo& sweep : sweeps) {
    if (!why_unusable(sweep).empty()) continue;
    std::map<Status, std::int64_t>& of_sweep = counts[sweep.id];
    sweep.ok = of_sweep[Status::ok], sweep.failed = of_sweep[Status::failed];
    sweep.skipped = of_sweep[Status::skipped], sweep.cancelled = of_sweep[Status::cancelled];
  }
  return lacking;
}

/// "2 rows of sweep 3" and the like, as far as a line goes.
void print_lacking(const std::vector<SweepInfo>& sweeps, const LackingRows& lacking, const std::string& database) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> named;
  std::int64_t first = 0;
  std::size_t more = 0;
  for (const SweepInfo& sweep : sweeps) {
    const auto found = lacking.find(sweep.id);
    if (found == lacking.end()) continue;
    if (named.empty()) first = sweep.id;
    if (named.size() == kMost)
      ++more;
    else
      named.push_back(fmt::format("{} of sweep {}", number_of(found->second, "row"), sweep.id));
  }
  if (named.empty()) return;
  if (more > 0) named.push_back(fmt::format("rows of {} more", number_of(static_cast<std::int64_t>(more), "sweep")));
  print_output("left out because it cannot be used: a part of {}; `triscope show {}{}` says which\n",
               fmt::join(named, ", "), first, database);
}

void print_table(const std::vector<SweepInfo>& sweeps, const StepWords& steps, const LackingRows& lacking,
                 const std::string& database) {
  constexpr std::size_t kLongest = 60;  // one long name would widen every line
  TerminalTable table;
  table.columns = {{"sweep", Align::right, 100, false},         {"started (UTC)", Align::left, 80, false},
                   {"state", Align::left, 90, false},           {"ok", Align::right, 70, false},
                   {"failed", Align::right, 60, false},         {"skipped", Align::right, 40, false},
                   {"left", Align::right, 65, false},           {"training step", Align::left, 95, true},
                   {"device", Align::left, 50, true, kLongest}, {"title", Align::left, 85, true, kLongest},
                   {"tags", Align::left, 45, true, kLongest}};
  for (const SweepInfo& sweep : sweeps) {
    const auto count = [](std::int64_t value) { return value > 0 ? fmt::format("{}", value) : std::string(); };
    const std::int64_t left = sweep.planned - sweep.ok - sweep.failed - sweep.skipped;
    const bool bad_request = why_unusable(sweep).empty() && !request_fault(sweep.request_json).empty();
    table.rows.push_back({fmt::format("{}{}", sweep.starred ? "*" : "", sweep.id), minute_text(sweep.started),
                          state_text(sweep) + (bad_request ? ", bad request" : ""), fmt::format("{}", sweep.ok),
                          count(sweep.failed), count(sweep.skipped), count(left),
                          steps.contains(sweep.id) ? steps.at(sweep.id) : std::string(),
                          short_device(sweep.environment.device_name), sweep_title(sweep), tags_text(sweep)});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  if (std::any_of(sweeps.begin(), sweeps.end(), [](const SweepInfo& sweep) { return sweep.starred; }))
    print_output("* starred in the window\n");
  print_lacking(sweeps, lacking, database);
  const auto no_step = [&](const SweepInfo& sweep) { return steps.contains(sweep.id) && steps.at(sweep.id).empty(); };
  if (std::ranges::any_of(sweeps, no_step))
    print_output(
        "A sweep has a training step where it measured a problem in both passes; `triscope show --step{}` takes the "
        "passes of all sweeps together.\n",
        database);
  const auto cut_short = std::ranges::find_if(
      sweeps, [](const SweepInfo& sweep) { return state_text(sweep) == "interrupted" && resume_fault(sweep).empty(); });
  if (cut_short != sweeps.end())
    print_output("interrupted: `triscope sweep --resume {}{}` measures what is left\n", cut_short->id, database);
}

void print_json(const std::vector<SweepInfo>& sweeps, const StepWords& steps, const LackingRows& lacking) {
  for (const SweepInfo& sweep : sweeps) {
    const auto found = lacking.find(sweep.id);
    nlohmann::json object = {{"sweep", sweep.id},
                             {"started", sweep.started},
                             {"finished", sweep.finished},
                             {"state", state_text(sweep)},
                             {"request_problem", resume_fault(sweep)},
                             {"planned", sweep.planned},
                             {"ok", sweep.ok},
                             {"failed", sweep.failed},
                             {"skipped", sweep.skipped},
                             {"cancelled", sweep.cancelled},
                             {"lack_a_part", found == lacking.end() ? 0 : found->second},
                             {"device", sweep.environment.device_name},
                             {"host", sweep.environment.host},
                             {"command", sweep.command},
                             {"title", sweep_title(sweep)},
                             {"tags", tags_of(sweep.note)},
                             {"note", sweep.note},
                             {"starred", sweep.starred}};
    if (steps.contains(sweep.id)) object["training_step"] = steps.at(sweep.id);
    write_json_line(dump_line(object));
  }
}

int run(const ListOptions& options) {
  const std::filesystem::path file = existing_database(*options.database);
  const Snapshot snapshot(file);
  give_up_other_rights({file});
  std::vector<SweepInfo> sweeps = snapshot.sweeps();
  const bool none = sweeps.empty();
  std::erase_if(sweeps, [&](const SweepInfo& sweep) {
    return !sweep_matches(sweep, sweep_title(sweep), options.search, std::time(nullptr));
  });
  if (sweeps.empty()) {
    say_aside(none ? no_sweep_text(*options.database) : fmt::format("No sweep holds all of '{}'.", options.search),
              options.json);
    return 0;
  }
  const LackingRows lacking = count_rows(snapshot, sweeps);
  const StepWords steps = options.step ? step_words(snapshot, sweeps) : StepWords();
  if (options.json) {
    print_json(sweeps, steps, lacking);
  } else {
    print_table(sweeps, steps, lacking, database_words(*options.database));
  }
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("list", "The sweeps of a database, newest first");
  auto options = std::make_shared<ListOptions>();
  options->database = add_database_option(*command);
  add_table_or_json(*command, options->json);
  command->add_flag("--step", options->step, "What the training steps of each sweep cost; reads all its measurements");
  add_text(*command, "--search", "WORDS",
           "Only sweeps with all these words in number, title, note, #tags, device, date or command",
           [options](const std::string& text) { options->search = text; });
  command->footer(
      "The title says what a sweep measures; the window shows the same. `triscope note` gives a sweep a note in its\n"
      "place. Words of a note that begin with # are tags. --format json has the whole title and\n"
      "the whole command.\n"
      "A sweep that was interrupted is continued with `triscope sweep --resume`.\n"
      "One with a bad request cannot be: what was asked for is not stored, or is nothing that can be measured. Nor "
      "can\n"
      "one that is unusable, whose title says what of it is missing or impossible.\n"
      "\n"
      "Examples:\n"
      "  triscope list\n"
      "  triscope list --db run.db --format json\n"
      "  triscope list --step                  with what a training step costs in each sweep\n"
      "  triscope list --search \"h200 #paper\"");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
