#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "profiler/store/open/patience.hpp"
#include "profiler/store/open/store_error.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "profiler/store/store.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

using namespace tables;

// The database that is copied from. Whatever SQLite refuses while it is read is its fault, and said of its file; all
// the rest is the target's.
struct Source {
  SQLite::Database& database;
  const std::filesystem::path& file;

  template <typename Body>
  decltype(auto) read(Body&& body) const {
    try {
      return body(database);
    } catch (const UnusableRow&) {
      throw;  // this row is left out
    } catch (const SQLite::Exception& exception) {
      throw store_error(exception, "import", file);
    }
  }
};

// Runs `body`, which writes to the target. What SQLite finds too large there is the row that is copied: it is left out.
template <typename Body>
auto write(Body&& body) {
  try {
    return body();
  } catch (const SQLite::Exception& exception) {
    if ((exception.getErrorCode() & 0xff) != SQLITE_TOOBIG) throw;
    throw UnusableRow("its texts together are larger than 32 MiB, which Triscope never stores");
  }
}

// A sweep of the target that measurements are copied into.
struct Target {
  std::int64_t sweep = 0;
  SweepRow source;  // of the sweep that is copied
};

// A sweep with the identity of `source_sweep` in `target`; written, with its note and star, when there is none.
Target matching_sweep(SQLite::Database& target, const std::filesystem::path& target_file, const Source& source,
                      std::int64_t source_sweep, const ImportRules& rules) {
  SweepRow row = source.read([&](SQLite::Database& database) {
    return select<SweepRow>(database, kSweeps.columns, "FROM sweep WHERE id = ?", source_sweep).front();
  });
  SQLite::Statement find(target, "SELECT id FROM sweep WHERE uuid = ?");
  Binder(find) << row.uuid;
  if (find.executeStep()) {
    const std::int64_t id = find.getColumn(0).getInt64();
    if (is_being_measured(target_file, id))
      throw UnusableRow(fmt::format("it is sweep {} here, which is being measured right now", id));
    return {id, std::move(row)};
  }
  const auto of_sweep = source.read([&](SQLite::Database& database) {
    SQLite::Statement query(database,
                            "SELECT sweep.environment, note.body FROM sweep "
                            "LEFT JOIN note ON note.sweep = sweep.id AND note.measurement IS NULL WHERE sweep.id = ?");
    Binder(query) << source_sweep;
    query.executeStep();
    RowReader reader(query);
    const auto id = reader.next<std::int64_t>();
    return std::pair(read_environment(database, id), reader.next_lines());
  });
  if (const std::string fault = rules.request_fault(row.request); !fault.empty()) {
    row.request.clear();
    rules.left_out(
        fmt::format("the request of sweep {} was not copied, so it cannot be resumed: {}", source_sweep, fault));
  }
  return write([&] {
    InternedTexts texts(target);
    Insert insert(texts, kSweeps, "environment");
    const std::int64_t id = insert(row, intern_environment(target, of_sweep.first));
    write_note(target, id, std::nullopt, of_sweep.second);
    return Target{id, std::move(row)};
  });
}

// What the target holds of a row that is copied. A value there that cannot be used is not called the source's.
std::optional<ExistingRow> existing_row(SQLite::Database& target, std::int64_t sweep, const MeasurementKey& key) {
  try {
    return find_measurement(target, sweep, key);
  } catch (const UnusableRow& fault) {
    throw UnusableRow(
        fmt::format("sweep {} here holds it already, in a row that cannot be used: {}", sweep, fault.what()));
  }
}

std::set<std::pair<std::int64_t, std::int64_t>> restarts_in_turns(const Measurement& measurement) {
  std::set<std::pair<std::int64_t, std::int64_t>> restarts;
  for (const auto& [group, samples] : measurement.turns) {
    for (const Sample& sample : samples) restarts.emplace(group, sample.restart);
  }
  return restarts;
}

// `there` is `here` at a later time: what followed the samples came in, and nothing is lost.
bool has_more(const Measurement& there, const Measurement& here) {
  if (there.started_unix_ns != here.started_unix_ns || there.samples.size() != here.samples.size()) return false;
  const auto turns_there = restarts_in_turns(there), turns_here = restarts_in_turns(here);
  const bool counted_there = !there.counters.empty() || !there.counters_note.empty();
  const bool counted_here = !here.counters.empty() || !here.counters_note.empty();
  const bool keeps_all = std::ranges::includes(turns_there, turns_here) &&
                         (there.cross_check.has_value() || !here.cross_check) && (counted_there || !counted_here);
  return keeps_all && (turns_there.size() > turns_here.size() || (there.cross_check && !here.cross_check) ||
                       (counted_there && !counted_here));
}

// What becomes of a row that is copied, beside the one that the target holds.
enum class Fate {
  held,    // the target's is as far
  copied,  // in the place of the target's, if there is one
  behind,  // the target's lacks restarts and stays: another version of the kernel measured it later
};

Fate fate_of(SQLite::Database& target, const ExistingRow& existing, const Measurement& measurement) {
  if (measurement.status != Status::ok) return Fate::held;
  if (existing.status != Status::ok) return Fate::copied;
  std::optional<Measurement> here;
  try {
    here = read_measurement(target, existing.id, Times::stored);
  } catch (const UnusableRow&) {  // what it is worth is not known, and it is not the source's
  }
  if (!here) return Fate::held;
  const bool later = measurement.started_unix_ns > here->started_unix_ns;
  if (measurement.summary.restarts > here->summary.restarts)
    return existing.source_hash == measurement.source_hash || later ? Fate::copied : Fate::behind;
  const bool same = existing.source_hash == measurement.source_hash;
  return same && has_more(measurement, *here) ? Fate::copied : Fate::held;
}

Fate copy_measurement(SQLite::Database& target, std::int64_t sweep, const Source& source, std::int64_t id,
                      const Measurement& measurement, std::int64_t environment) {
  const std::optional<ExistingRow> existing = existing_row(target, sweep, measurement.key);
  const Fate fate = existing ? fate_of(target, *existing, measurement) : Fate::copied;
  if (fate != Fate::copied) return fate;
  const auto read = [&](auto of, std::int64_t row) {
    return source.read([&](SQLite::Database& database) { return of(database, row); });
  };
  const Environment of_row = read(read_environment, environment);
  const std::optional<KernelCard> card = read(read_kernel_card, id);
  const std::string note = read(read_note, id);
  write([&] {
    const std::int64_t copy =
        write_measurement(target, sweep, intern_environment(target, of_row), measurement, derive(measurement.key),
                          existing ? std::optional(existing->id) : std::nullopt);
    if (card) write_kernel_card(target, copy, *card);
    if (!note.empty() && read_note(target, copy).empty()) write_note(target, sweep, copy, note);
  });
  return fate;
}

// Why the tables do not take a value, from what SQLite says: "CHECK constraint failed: length(uuid) = 32".
std::string constraint_fault(const SQLite::Exception& exception) {
  const std::string said = exception.what();
  const std::size_t colon = said.find(": ");
  const std::string of = colon == std::string::npos ? said : said.substr(colon + 2);
  if (exception.getExtendedErrorCode() == SQLITE_CONSTRAINT_NOTNULL)
    return fmt::format("its {} is missing", of.substr(of.find('.') + 1));
  if (exception.getExtendedErrorCode() == SQLITE_CONSTRAINT_CHECK)
    return fmt::format("it breaks the rule {} of Triscope's databases", of);
  return "it does not fit beside what is here";
}

// Runs `copy` of one row with all that belongs to it; false when a value in it cannot be used: then nothing of it is
// there, and `rules` are told. `what` names it.
template <typename Copy>
bool copy_or_leave_out(SQLite::Database& target, const Source& source, const std::string& what,
                       const ImportRules& rules, Copy&& copy) {
  // The statements of one row end before SQLite asks.
  source.read([&](SQLite::Database&) { Patience{rules.cancel, {}, {}}.require(); });
  target.exec("SAVEPOINT one_row");
  std::string why;
  try {
    copy();
  } catch (const UnusableRow& fault) {
    why = fault.what();
  } catch (const SQLite::Exception& exception) {
    if ((exception.getErrorCode() & 0xff) != SQLITE_CONSTRAINT) throw;
    why = constraint_fault(exception);
  }
  if (!why.empty()) {
    target.exec("ROLLBACK TO one_row");
    rules.left_out(fmt::format("{} was not copied: {}", what, why));
  }
  target.exec("RELEASE one_row");
  return why.empty();
}

// Goes to the next row of `rows`, which begin with their id; false at the end. Ids come in their order, unless a tree
// of pages leads to the same rows again and again.
bool next_row(const Source& source, SQLite::Statement& rows, std::int64_t& id) {
  return source.read([&](SQLite::Database&) {
    if (!rows.executeStep()) return false;
    const std::int64_t last = std::exchange(id, rows.getColumn(0).getInt64());
    if (id <= last) throw SQLite::Exception("rows are not in their order", SQLITE_CORRUPT);
    return true;
  });
}

// A sweep that the target holds, and not less of it than the source does, is as finished as there. The spread that is
// known of more rows goes with it.
void finish_as(SQLite::Database& target, const Target& into) {
  SQLite::Statement query(target, "SELECT finished_unix_ns FROM sweep WHERE id = ?");
  Binder(query) << into.sweep;
  if (!query.executeStep() || !query.getColumn(0).isNull() || !into.source.finished_unix_ns) return;
  SQLite::Statement finish(target, "UPDATE sweep SET finished_unix_ns = ? WHERE id = ?");
  Binder(finish) << into.source.finished_unix_ns << into.sweep;
  finish.exec();
  write_spread(target, into.sweep, into.source.spread);
}

// The measurements of one sweep; returns how many were copied.
std::int64_t copy_measurements(SQLite::Database& target, const Target& into, const Source& source,
                               std::int64_t source_sweep, const ImportRules& rules) {
  std::int64_t copied = 0;
  bool behind = false;
  SQLite::Statement rows = source.read([&](SQLite::Database& database) {
    return SQLite::Statement(database, "SELECT id, environment FROM measurement WHERE sweep = ? ORDER BY id");
  });
  Binder(rows) << source_sweep;
  std::int64_t id = std::numeric_limits<std::int64_t>::min();
  while (next_row(source, rows, id)) {
    const std::string what = fmt::format("measurement {} of sweep {}", id, source_sweep);
    const bool usable = copy_or_leave_out(target, source, what, rules, [&] {
      std::vector<std::string> left_out;
      const std::optional<Measurement> measurement = source.read(
          [&](SQLite::Database& database) { return read_measurement(database, id, Times::of_samples, &left_out); });
      if (!measurement) throw UnusableRow("its problem or its kernel is missing");
      RowReader row(rows);
      row.next<std::int64_t>();  // the id
      const Fate fate = copy_measurement(target, into.sweep, source, id, *measurement, row.next<std::int64_t>());
      if (fate == Fate::behind)
        throw UnusableRow("what is here of it was measured later, from another version of the kernel");
      copied += fate == Fate::copied;
      if (fate == Fate::copied && !left_out.empty())
        rules.left_out(fmt::format("{} was copied, but not as it is there: {}", what, fmt::join(left_out, "; ")));
    });
    behind |= !usable;
  }
  if (!behind) finish_as(target, into);
  return copied;
}

}  // namespace

std::int64_t copy_sweeps(SQLite::Database& target, const std::filesystem::path& target_file, SQLite::Database& from,
                         const std::filesystem::path& file, const ImportRules& rules) {
  const Source source{from, file};
  std::int64_t copied = 0;
  SQLite::Statement sweeps = source.read(
      [](SQLite::Database& database) { return SQLite::Statement(database, "SELECT id FROM sweep ORDER BY id"); });
  std::int64_t source_sweep = std::numeric_limits<std::int64_t>::min();
  while (next_row(source, sweeps, source_sweep)) {
    Target into;
    const bool usable = copy_or_leave_out(target, source, fmt::format("sweep {}", source_sweep), rules, [&] {
      into = matching_sweep(target, target_file, source, source_sweep, rules);
    });
    if (usable) copied += copy_measurements(target, into, source, source_sweep, rules);
  }
  return copied;
}

}  // namespace triscope
