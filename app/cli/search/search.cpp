// `triscope search`: everything with these words, and what shows it. The window's search (views/command/palette) finds
// by the same rules.
#include "app/cli/search/search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/options/values.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/text/shell_word.hpp"
#include "profiler/plan/sweep_search.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/search/documents.hpp"
#include "profiler/search/word_finder.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

struct SearchOptions {
  std::vector<std::string> words;
  std::shared_ptr<std::string> database;
  std::int64_t limit = 8;
  bool json = false;
};

struct Hit {
  std::string kind, name, shown_by;
};
/// How many of a kind were left out.
struct More {
  std::string kind;
  std::size_t count = 0;
};

class Search {
 public:
  Search(const std::string& query, std::int64_t limit)
      : query_(query), finder_(query), limit_(static_cast<std::size_t>(limit)) {}

  void look_at(const Snapshot& snapshot, const std::string& database);
  void look_at_counters(const std::string& database);
  void look_at_documents();
  void look_at_commands(const CLI::App& app);

  /// Names that hold the phrase first.
  std::vector<Hit> hits() const {
    std::vector<Hit> sorted = hits_;
    put_phrases_first(sorted);
    return sorted;
  }
  const std::vector<More>& more() const { return more_; }

 private:
  void put_phrases_first(std::vector<Hit>& hits) const {
    finder_.phrases_first(hits.begin(), hits.end(), [](const Hit& hit) { return hit.name; });
  }
  /// All that was found of one kind.
  void add(std::vector<Hit> of_kind) {
    put_phrases_first(of_kind);
    if (of_kind.size() > limit_) {
      more_.push_back({of_kind.front().kind, of_kind.size() - limit_});
      of_kind.resize(limit_);
    }
    hits_.insert(hits_.end(), of_kind.begin(), of_kind.end());
  }
  void add_sweeps(const std::vector<SweepInfo>& sweeps, const std::string& database);
  void add_rows(std::vector<ResultRow> rows, const std::string& database);
  void add_kernels(const std::vector<ResultRow>& rows, const std::string& database);
  void add_windows(const std::vector<ResultRow>& rows, const std::string& database);

  std::string query_;
  WordFinder finder_;
  std::size_t limit_;
  std::vector<Hit> hits_;
  std::vector<More> more_;
};

void Search::add_sweeps(const std::vector<SweepInfo>& sweeps, const std::string& database) {
  const SweepSearch search(plain_words(query_), std::time(nullptr));
  std::vector<Hit> found;
  for (const SweepInfo& sweep : sweeps) {
    const std::string title = sweep_title(sweep);
    if (!search.finds(searched_text(sweep, title))) continue;
    const std::vector<std::string> tags = tags_of(sweep.note);
    found.push_back(
        {"sweep",
         fmt::format("{}, {}{}{}", title, sweep.started.substr(0, 10), tags.empty() ? "" : " #", fmt::join(tags, " #")),
         fmt::format("triscope show {}{}", sweep.id, database)});
  }
  add(std::move(found));
}

void Search::add_rows(std::vector<ResultRow> rows, const std::string& database) {
  std::ranges::stable_sort(rows, [](const ResultRow& a, const ResultRow& b) {
    return std::pair(a.started, a.measurement) > std::pair(b.started, b.measurement);
  });
  std::vector<Hit> found;
  for (const ResultRow& row : rows) {
    if (row.status == Status::skipped || row.measurement <= 0) continue;
    const std::int64_t tokens = row.problem.seq_len;
    const std::string windows = windows_text(row.problem);
    const std::string name =
        fmt::format("{}{}{} {}, {} tokens, {}/{} heads, sweep {}", windows, windows.empty() ? "" : " ", row.card.label,
                    to_string(row.pass), count_text(tokens), row.problem.q_heads, row.problem.kv_heads, row.sweep);
    const std::string thousands = tokens % 1024 == 0 ? fmt::format("{}k", tokens / 1024) : std::string();
    if (finder_.matches(fmt::format("{} {} {} {} m{}", name, row.kernel, tokens, thousands, row.measurement)))
      found.push_back({"row", name, fmt::format("triscope show m{}{}", row.measurement, database)});
  }
  add(std::move(found));
}

void Search::add_kernels(const std::vector<ResultRow>& rows, const std::string& database) {
  std::set<std::string> met;
  std::vector<Hit> found;
  for (const ResultRow& row : rows) {
    if (!met.insert(row.kernel).second) continue;
    const std::string name =
        row.card.label == row.kernel ? row.kernel : fmt::format("{} ({})", row.card.label, row.kernel);
    if (finder_.matches(name))
      found.push_back(
          {"kernel", name, fmt::format("triscope show {}{}", shell_word("kernel:" + row.kernel), database)});
  }
  add(std::move(found));
}

void Search::add_windows(const std::vector<ResultRow>& rows, const std::string& database) {
  std::set<std::string> met;
  std::vector<Hit> found;
  for (const ResultRow& row : rows) {
    const std::string windows = windows_text(row.problem);
    const std::string name = "windows " + windows;
    if (row.problem.form == Form::gemm || row.problem.form == Form::dot_product || !met.insert(windows).second ||
        !finder_.matches(name))
      continue;
    found.push_back({"window", name, fmt::format("triscope explore --where window={}{}", windows, database)});
  }
  add(std::move(found));
}

void Search::look_at(const Snapshot& snapshot, const std::string& database) {
  add_sweeps(snapshot.sweeps(), database);
  const std::vector<ResultRow> rows = snapshot.results();
  add_rows(rows, database);
  add_kernels(rows, database);
  add_windows(rows, database);
}

void Search::look_at_counters(const std::string& database) {
  std::vector<Hit> counters;
  for (const CounterMetric& counter : counter_metrics()) {
    const std::string name(counter.label);
    if (finder_.matches(fmt::format("{} {} {} {}", name, counter.name, counter.id, counter.meaning)))
      counters.push_back({"counter", name, fmt::format("triscope explore --y {}{}", counter.id, database)});
  }
  add(std::move(counters));
}

void Search::look_at_documents() {
  std::vector<Hit> headings;
  for (const DocumentHeading& one : document_headings()) {
    if (finder_.matches(one.heading + " " + one.page)) headings.push_back({"manual", one.heading, "docs/" + one.page});
  }
  add(std::move(headings));
}

void Search::look_at_commands(const CLI::App& app) {
  std::vector<Hit> found;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    const std::string name = fmt::format("{}: {}", command->get_name(), command->get_description());
    std::string searched = name;
    for (const CLI::Option* option : command->get_options())
      searched += fmt::format(" {} {}", option->get_name(), option->get_description());
    if (finder_.matches(searched))
      found.push_back({"command", name, fmt::format("triscope {} --help", command->get_name())});
  }
  add(std::move(found));
}

void print_json(const Search& search) {
  for (const Hit& hit : search.hits())
    write_json_line(dump_line({{"type", "found"}, {"kind", hit.kind}, {"name", hit.name}, {"shown_by", hit.shown_by}}));
  for (const More& more : search.more())
    write_json_line(dump_line({{"type", "more"}, {"kind", more.kind}, {"count", more.count}}));
}

void print_table(const Search& search) {
  constexpr std::size_t kLongest = 100;  // one long name would widen every line
  TerminalTable table;
  table.columns = {{"kind", Align::left, 90, false},
                   {"name", Align::left, 100, true, kLongest},
                   {"shown by", Align::left, 95, false}};
  for (const Hit& hit : search.hits()) table.rows.push_back({hit.kind, hit.name, hit.shown_by});
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  for (const More& more : search.more())
    print_output("{} more of kind {}: --limit lists them\n", more.count, more.kind);
}

int run(const SearchOptions& options, const CLI::App& app) {
  const std::string query = fmt::format("{}", fmt::join(options.words, " "));
  Search search(query, options.limit);
  std::error_code ignored;
  const bool none_yet = options.database->empty() && !std::filesystem::exists(database_path(""), ignored);
  if (!none_yet) {
    const std::filesystem::path file = existing_database(*options.database);
    const Snapshot snapshot(file);
    give_up_other_rights({file});
    search.look_at(snapshot, database_words(*options.database));
  }
  search.look_at_counters(database_words(*options.database));
  search.look_at_documents();
  search.look_at_commands(app);
  if (search.hits().empty()) {
    say_aside(fmt::format("Nothing holds all of '{}'.", query), options.json);
  } else if (options.json) {
    print_json(search);
  } else {
    print_table(search);
  }
  return 0;
}

}  // namespace

void add_search_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("search", "Sweeps, rows, kernels, windows, counters, pages and commands by words");
  auto options = std::make_shared<SearchOptions>();
  command->add_option("WORDS", options->words, "All of them must stand in what is found")->required()->type_name("");
  options->database = add_database_option(*command);
  add_text(*command, "--limit", "N", "At most so many of each kind (default: 8)",
           [options](const std::string& text) { options->limit = parse_count("--limit", text); });
  add_table_or_json(*command, options->json);
  command->footer(
      "Sweeps are found by number, title, note, #tags, device, date or command, as `triscope list --search` does; "
      "rows\n"
      "of all sweeps, the newest first, by windows, kernel, pass, tokens and number. What has the words as one phrase "
      "in\n"
      "its name comes first. The last column is the command that shows it, or the page that has the heading.\n"
      "\n"
      "Examples:\n"
      "  triscope search hopper 512x32 backward\n"
      "  triscope search '#paper' --db run.db\n"
      "  triscope search shared memory --limit 20");
  command->callback([options, &app, &action] {
    if (WordFinder(fmt::format("{}", fmt::join(options->words, " "))).words().empty())
      refuse_value("search", "", "there is no word in it", "write what to look for");
    action = [options, &app] { return run(*options, app); };
  });
}

}  // namespace triscope
