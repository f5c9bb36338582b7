// `triscope explore`: any value of all measurements of one or several databases over any other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/checked_times.hpp"
#include "app/cli/text/exploration_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/error.hpp"
#include "profiler/explore/exploration.hpp"
#include "profiler/explore/explore_filter.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/verdict/reference.hpp"

namespace triscope {
namespace {

struct ExploreOptions {
  std::vector<std::string> databases;
  ExploreQuery query;
  std::string baseline = "auto", format = "table";
  std::string picture, width, height, font_size, theme;
  std::optional<std::string> title, caption;
};

/// One database as it was read.
struct Read {
  std::string name;
  std::vector<ResultRow> rows;
  std::map<std::int64_t, Comparison> beside;
  std::map<std::int64_t, std::string> notes;
  CounterValues counters;
};

/// A name for each file, as short as it may be.
std::string name_of(const std::filesystem::path& file, const std::vector<std::string>& all) {
  const auto same = std::count_if(all.begin(), all.end(), [&](const std::string& other) {
    return std::filesystem::path(other).filename() == file.filename();
  });
  return same > 1 ? file.string() : file.filename().string();
}

/// One file under two names is one database, under the first of them.
void leave_each_once(std::vector<std::string>& databases) {
  std::vector<std::string> first;
  for (std::string& database : databases) {
    const bool known = std::ranges::any_of(first, [&](const std::string& other) {
      std::error_code none;
      return other == database || std::filesystem::equivalent(other, database, none);
    });
    if (!known) first.push_back(std::move(database));
  }
  databases = std::move(first);
}

/// Sweep by sweep, as `show` compares them.
void add_verdicts(ReferenceSide& side, Read& read, bool& found) {
  const Reference& reference = side.reference();
  std::map<std::int64_t, std::vector<ResultRow>> sweeps;
  for (const ResultRow& row : read.rows) sweeps[row.sweep].push_back(row);
  for (const auto& [sweep, rows] : sweeps) {
    const bool has =
        reference.kind != Reference::Kind::kernel ||
        std::any_of(rows.begin(), rows.end(), [&](const ResultRow& row) { return row.kernel == reference.name; });
    if (!has) continue;
    Verdicts verdicts = side.beside(rows);
    found = found || !verdicts.baseline.empty();
    read.beside.merge(verdicts.by_measurement);
  }
}

/// The window's program draws it, as it draws that of the panel.
[[noreturn]] void draw(const ExploreOptions& options) {
  if (options.databases.size() > 1 || options.baseline != "auto")
    throw Error("--picture cannot be used", "it draws one database beside its usual references",
                "leave the others and --baseline out", ExitCode::usage);
  if (options.format != "table")
    throw Error("--picture cannot be used", "it writes the chart in place of the numbers",
                "leave --json and --format out, or run both", ExitCode::usage);
  const ExploreQuery& query = options.query;
  const auto or_none = [](const std::string& field) { return field.empty() ? std::string("none") : field; };
  std::vector<std::string> words{std::filesystem::absolute(existing_database(options.databases.front())).string(),
                                 "--panel", "explore", "--picture", options.picture};
  for (const auto& [name, value] :
       {std::pair("--x", query.x), std::pair("--y", query.y), std::pair("--color", or_none(query.color)),
        std::pair("--panels", or_none(query.panels)), std::pair("--rows", or_none(query.rows)),
        std::pair("--where", query.where), std::pair("--width", options.width), std::pair("--height", options.height),
        std::pair("--font-size", options.font_size), std::pair("--theme", options.theme)}) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  }
  if (query.best) words.emplace_back("--best");
  if (options.title) words.insert(words.end(), {"--title", *options.title});
  if (options.caption) words.insert(words.end(), {"--caption", *options.caption});
  become_window(std::move(words));
}

int run(const ExploreOptions& options) {
  const bool beside = needs_reference(options.query);  // first of all, so that a wrong field is named at once
  explore({}, options.query);
  if (!options.picture.empty()) draw(options);
  for (const auto& [name, given] :
       {std::pair("--width", !options.width.empty()), std::pair("--height", !options.height.empty()),
        std::pair("--font-size", !options.font_size.empty()), std::pair("--theme", !options.theme.empty()),
        std::pair("--title", options.title.has_value()), std::pair("--caption", options.caption.has_value())}) {
    if (given)
      throw Error(fmt::format("{} cannot be used", name), "it belongs to --picture", "add --picture FILE",
                  ExitCode::usage);
  }
  std::list<Read> all;  // sources refer to what is in it
  std::vector<ExploreSource> sources;
  bool found = false;
  std::vector<std::filesystem::path> files;
  std::vector<Snapshot> opened;
  for (const std::string& database : options.databases)
    opened.emplace_back(files.emplace_back(existing_database(database)));
  const Reference reference = parse_reference(options.baseline);
  if (files.size() > 1 && (reference.kind == Reference::Kind::row || reference.kind == Reference::Kind::sweep))
    throw Error(fmt::format("--baseline '{}'", options.baseline), "each database has one of that number",
                "leave the other databases out, or give a kernel", ExitCode::usage);
  std::vector<ReferenceSide> sides;
  for (std::size_t n = 0; n < files.size(); ++n) {
    const bool is_one_of_several = files.size() > 1 && is_itself(reference, files[n]);
    sides.emplace_back(opened[n], files[n], is_one_of_several ? Reference{Reference::Kind::none} : reference);
  }
  std::vector<std::filesystem::path> readable = files;
  if (reference.kind == Reference::Kind::database) readable.emplace_back(reference.name);
  give_up_other_rights(readable);
  for (std::size_t n = 0; n < files.size(); ++n) {
    const std::filesystem::path& file = files[n];
    const Snapshot& snapshot = opened[n];
    Read& read = all.emplace_back(Read{name_of(file, options.databases), snapshot.results(), {}, {}, {}});
    remark_times_aloud(snapshot, read.rows, file);
    for (SweepInfo& sweep : snapshot.sweeps()) read.notes.emplace(sweep.id, std::move(sweep.note));
    for (const std::string& name : needed_counters(options.query))
      read.counters.emplace(name, snapshot.counter_values(name));
    if (beside) add_verdicts(sides[n], read, found);
    sources.push_back({read.name, read.rows, &read.beside, &read.notes, &read.counters});
  }
  if (beside && !found)
    throw Error(fmt::format("--baseline '{}'", options.baseline), "no sweep holds that kernel beside others",
                with_database("give a kernel of a sweep, see `triscope show`", files.front()), ExitCode::usage);
  const Exploration made = explore(sources, options.query);
  if (made.drawn == 0 && options.format != "table") say_aside(nothing_drawn_text(made), true);
  if (options.format == "json") {
    write_json(exploration_json(made, sources));
  } else if (options.format == "csv") {
    write_output(exploration_csv(made, sources));
  } else {
    print_output("{}", exploration_table(made, sources, terminal_width(stdout, kUnlimitedWidth)));
  }
  return 0;
}

/// One line a field: its name and what it means.
std::string fields_text() {
  std::string text;
  for (const ExploreField& field : explore_fields()) {
    text += fmt::format("  {:<14} {}{}\n", field.id, field.unit.empty() ? "" : fmt::format("[{}] ", field.unit),
                        field.meaning);
  }
  return text;
}

void add_field(CLI::App& command, const char* name, const char* description, std::string& field, bool may_be_none) {
  add_text(command, name, "FIELD", description, [name, &field, may_be_none](const std::string& text) {
    field = may_be_none && text == "none" ? std::string() : std::string(require_explore_field(name, text).id);
  });
}

/// The options of `--picture`.
void add_picture_options(CLI::App& command, const std::shared_ptr<ExploreOptions>& options) {
  const auto text = [&](const char* name, const char* type, const char* description, std::string& value) {
    add_text(command, name, type, description, [name, &value](const std::string& given) {
      if (given.empty()) refuse_value(name, "", "it is empty", "leave it out, or give it a value");
      value = given;
    });
  };
  text("--picture", "FILE", "Write the chart for print, as .svg or .pdf, in place of the numbers", options->picture);
  text("--width", "LENGTH", "Its width on paper, such as 8.5cm (default: 17cm)", options->width);
  text("--height", "LENGTH", "Its height on paper (default: as fits the width and the words)", options->height);
  text("--font-size", "SIZE", "Size of its words on paper (default: 8pt)", options->font_size);
  add_text(command, "--theme", "{light,dark}", "Its colours (default: light)", [options](const std::string& given) {
    const std::vector<std::string> known{"light", "dark"};
    if (std::ranges::find(known, given) == known.end()) refuse_choice("--theme", given, "this is not a theme", known);
    options->theme = given;
  });
  add_text(command, "--title", "TEXT", "Its title in place of the chart's own; empty: none",
           [options](const std::string& given) { options->title = given; });
  add_text(command, "--caption", "TEXT", "Its caption in place of the chart's own; empty: none",
           [options](const std::string& given) { options->caption = given; });
}

}  // namespace

void add_explore_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("explore", "Any value of all measurements over any other");
  auto options = std::make_shared<ExploreOptions>();
  command->add_option("DB", options->databases, "Databases, side by side (default: the usual one)")
      ->type_name("FILE")
      ->check(empty_database_fault);
  const auto named = add_database_option(*command);
  ExploreQuery& query = options->query;
  add_field(*command, "--x", "What stands along the axis (default: seq)", query.x, false);
  add_field(*command, "--y", "What is shown (default: ms)", query.y, false);
  add_field(*command, "--color", "What the series are, or none (default: kernel)", query.color, true);
  add_field(*command, "--panels", "What tells charts apart, or none (default: pass)", query.panels, true);
  add_field(*command, "--rows", "What tells rows of charts apart, or none (default: none)", query.rows, true);
  add_text(*command, "--where", "FILTER", "Which measurements (default: all)",
           [&query](const std::string& text) { query.where = text; });
  command->add_flag(
      "--best", query.best,
      "Of each x and series only what took the shortest time, or has the highest rate where y is one, within one "
      "pass, regime, device and clock");
  add_text(*command, "--baseline", "REFERENCE",
           "What `ratio` is beside: a kernel, row:N, sweep:N, database:FILE, paper or auto (default: auto)",
           [options](const std::string& text) { options->baseline = text; });
  add_text(*command, "--format", "{table,csv,json}", "table, csv, json (default: table)",
           [options](const std::string& text) {
             const std::vector<std::string> known{"table", "csv", "json"};
             if (std::find(known.begin(), known.end(), text) == known.end())
               refuse_choice("--format", text, "this is not a format", known);
             options->format = text;
           });
  add_json_flag(*command, [options] { options->format = "json"; });
  add_picture_options(*command, options);
  command->footer(
      "A filter holds terms between blanks, and all must hold: FIELD and =, !=, ~ (contains), !~, <, <=, > or >=, "
      "then\n"
      "values separated by commas. A word alone is looked for in every setting. One configuration that was measured\n"
      "several times is one line with the median. The fields are\n" +
      fields_text() +
      "\n"
      "Examples:\n"
      "  triscope explore --where \"form=trilinear window=512x32,256x32 seq>=8k kernel~hopper\" --color window\n"
      "  triscope explore old.db new.db --color database --where \"kernel=cuda.hopper window=512x32\"\n"
      "  triscope explore --x date --y tflops --color version --best --format csv\n"
      "  triscope explore run.db --y tflops --where \"window=512x32,causal pass=forward\" --picture rates.pdf --width "
      "8.5cm");
  command->callback([options, named, &action] {
    std::vector<std::string>& databases = options->databases;
    if (!named->empty() || databases.empty()) databases.push_back(*named);
    leave_each_once(databases);
    action = [options] { return run(*options); };
  });
}

}  // namespace triscope
