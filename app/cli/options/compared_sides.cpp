#include "app/cli/options/compared_sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/cli/options/database_option.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/verdict/pairing.hpp"
#include "profiler/verdict/step_verdicts.hpp"

namespace triscope {
namespace {

/// Reads "3", "m12", "kernel:..." as `parse_selection` does, else the name of a database: "old.db", or "old.db@3" for
/// one sweep of it. `database` is that of all other words.
Side parse_side(const std::string& word, const std::string& database) {
  Side side;
  std::filesystem::path& file = side.file;
  side.word = word;
  try {
    side.selection = parse_selection(word);
  } catch (const Error&) {
    std::error_code ignored;
    const std::size_t at = word.rfind('@');
    const bool plain = std::filesystem::exists(word, ignored);
    file = plain || at == std::string::npos ? word : word.substr(0, at);
    if (!std::filesystem::exists(file, ignored)) {
      if (file.extension() != ".db" && word.find('/') == std::string::npos) throw;
      throw Error(fmt::format("there is no database {}", file.string()), "the file does not exist", "check its name");
    }
    if (!plain) side.selection = parse_selection(word.substr(at + 1));
    side.is_file = true;
    return side;
  }
  file = database_path(database);
  return side;
}

/// Hints name the database of this side.
std::vector<ResultRow> selected(SweepRows& from, const Side& side) {
  try {
    return select(from, *side.selection);
  } catch (const Error& error) {
    throw Error(error.summary(), error.why(), with_database(error.fix(), side.file), error.code());
  }
}

std::string minute(const std::string& time) {
  return time.size() < 16 ? time : time.substr(0, 10) + " " + time.substr(11, 5);
}

/// Of two versions the older one is what the other is judged against, whichever was named first.
void put_older_last(Side& a, Side& b) {
  const auto first = [](const Side& side) {
    const auto when = [](const ResultRow& row) { return std::pair(row.started, row.measurement); };
    return when(*std::ranges::min_element(side.rows, {}, when));
  };
  if (are_versions(a, b) && !a.rows.empty() && !b.rows.empty() && first(a) < first(b)) std::swap(a, b);
}

}  // namespace

std::string label_of(const Side& side) {
  std::set<std::int64_t> sweeps;
  std::string first, last;
  for (const ResultRow& row : side.rows) {
    sweeps.insert(row.sweep);
    if (first.empty() || row.started < first) first = row.started;
    last = std::max(last, row.started);
  }
  if (side.rows.empty()) return side.word + ", which holds no measurement";
  const std::string until = minute(first) == minute(last) ? "" : " to " + minute(last);
  const std::string older =
      side.left_out == 0 ? "" : fmt::format("; {} older of the same configurations left out", side.left_out);
  return fmt::format("{}, {} of sweep{} {}, {}{} UTC{}", side.word, number_of(side.rows.size(), "measurement"),
                     sweeps.size() == 1 ? "" : "s", fmt::join(sweeps, ", "), minute(first), until, older);
}

bool are_versions(const Side& a, const Side& b) {
  return a.from == b.from && a.selection && b.selection && !a.selection->version.empty() &&
         !b.selection->version.empty() && a.selection->kernel == b.selection->kernel;
}

std::pair<Side, Side> open_sides(const std::string& word_a, const std::string& word_b, const std::string& database) {
  Side a = parse_side(word_a, database), b = parse_side(word_b, database);
  if (a.is_file && b.is_file) {
    if (!database.empty())
      throw Error("--db cannot be used", "both sides are databases of their own", "leave it out", ExitCode::usage);
    std::swap(a, b);
  }
  std::shared_ptr<const Snapshot> common;
  std::vector<std::filesystem::path> files;
  for (Side* side : {&a, &b}) {
    if (side->is_file) {
      side->from = std::make_shared<const Snapshot>(files.emplace_back(side->file));
    } else {
      if (!common) common = std::make_shared<const Snapshot>(files.emplace_back(existing_database(database)));
      side->from = common;
    }
  }
  give_up_other_rights(files);
  SweepRows of_a(*a.from), of_b(*b.from);
  for (Side* side : {&a, &b}) {
    SweepRows& from = side->from == a.from ? of_a : of_b;
    std::vector<ResultRow> all = side->selection ? selected(from, *side) : side->from->results();
    side->rows = newest_of_each(all);
    if (side->selection) side->left_out = all.size() - side->rows.size();
    if (are_versions(a, b)) side->rows = std::move(all);  // of each device the newest, chosen with their partners
  }
  put_older_last(a, b);
  return {std::move(a), std::move(b)};
}

std::vector<TrainingStep> steps_beside(const Side& a, const Side& b) {
  const auto is_dot_product = [](const ResultRow& row) { return row.problem.form == Form::dot_product; };
  if (b.rows.empty() || !std::ranges::all_of(b.rows, is_dot_product)) return {};
  std::vector<const ResultRow*> both = addresses_of(a.rows);
  std::ranges::copy(addresses_of(b.rows), std::back_inserter(both));
  const std::string& kernel = b.rows.front().kernel;
  return a.from == b.from ? steps_in_turns(*a.from, both, kernel) : training_steps(both, kernel);
}

}  // namespace triscope
