#include <fmt/format.h>

#include <limits>

#include "profiler/store/patience.hpp"
#include "profiler/store/store.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

using namespace tables;

// A sweep with the identity of `source_sweep` in `target`; written, with its note and star, when there is none.
std::int64_t matching_sweep(SQLite::Database& target, SQLite::Database& source, std::int64_t source_sweep,
                            const ImportRules& rules) {
  SweepRow row = select<SweepRow>(source, kSweeps.columns, "FROM sweep WHERE id = ?", source_sweep).front();
  SQLite::Statement find(target, "SELECT id FROM sweep WHERE uuid = ?");
  Binder(find) << row.uuid;
  if (find.executeStep()) {
    const std::int64_t id = find.getColumn(0).getInt64();
    SQLite::Statement finish(target, "UPDATE sweep SET finished_unix_ns = ifnull(finished_unix_ns, ?) WHERE id = ?");
    Binder(finish) << row.finished_unix_ns << id;
    finish.exec();
    return id;
  }
  SQLite::Statement query(source,
                          "SELECT sweep.environment, note.body FROM sweep "
                          "LEFT JOIN note ON note.sweep = sweep.id AND note.measurement IS NULL WHERE sweep.id = ?");
  Binder(query) << source_sweep;
  query.executeStep();
  RowReader reader(query);
  const auto environment = reader.next<std::int64_t>();
  const auto note = reader.next<std::string>();
  if (const std::string fault = rules.request_fault(row.request); !fault.empty()) {
    row.request.clear();
    rules.left_out(
        fmt::format("the request of sweep {} was not copied, so it cannot be resumed: {}", source_sweep, fault));
  }
  InternedTexts texts(target);
  Insert insert(texts, kSweeps, "environment");
  const std::int64_t id = insert(row, intern_environment(target, read_environment(source, environment)));
  write_note(target, id, std::nullopt, note);
  return id;
}

// What was computed when `id` was stored; copied rather than computed anew, so that a copy says the same as its source.
Derived read_derived(SQLite::Database& database, std::int64_t id) {
  return select<Derived>(database, kDerived.columns, "FROM measurement WHERE id = ?", id).front();
}

bool copy_measurement(SQLite::Database& target, std::int64_t sweep, SQLite::Database& source, std::int64_t id,
                      const Measurement& measurement, std::int64_t environment) {
  const std::optional<ExistingRow> existing = find_measurement(target, sweep, measurement.key);
  if (existing && (existing->status == Status::ok || measurement.status != Status::ok)) return false;
  const std::int64_t target_environment = intern_environment(target, read_environment(source, environment));
  const std::int64_t copy = write_measurement(target, sweep, target_environment, measurement, read_derived(source, id),
                                              existing ? std::optional(existing->id) : std::nullopt);
  if (const std::optional<KernelCard> card = read_kernel_card(source, id)) write_kernel_card(target, copy, *card);
  const std::string note = read_note(source, id);
  if (!note.empty()) write_note(target, sweep, copy, note);
  return true;
}

// Runs `copy` of one row with all that belongs to it; false when a value in it cannot be used: then nothing of it is
// there, and `rules` are told. `what` names it.
template <typename Copy>
bool copy_or_leave_out(SQLite::Database& target, const std::string& what, const ImportRules& rules, Copy&& copy) {
  Patience{rules.cancel, {}, {}}.require();  // the statements of one row end before SQLite asks
  target.exec("SAVEPOINT one_row");
  std::string why;
  try {
    copy();
  } catch (const UnusableRow& fault) {
    why = fault.what();
  } catch (const SQLite::Exception& exception) {
    if ((exception.getErrorCode() & 0xff) != SQLITE_CONSTRAINT) throw;
    why = exception.what();
  }
  if (!why.empty()) {
    target.exec("ROLLBACK TO one_row");
    rules.left_out(fmt::format("{} was not copied: {}", what, why));
  }
  target.exec("RELEASE one_row");
  return why.empty();
}

// Row ids come in their order, unless a tree of pages leads to the same rows again and again.
void require_order(std::int64_t& last, std::int64_t id) {
  if (id <= last) throw SQLite::Exception("rows are not in their order", SQLITE_CORRUPT);
  last = id;
}

// The measurements of one sweep; returns how many were copied.
std::int64_t copy_measurements(SQLite::Database& target, std::int64_t sweep, SQLite::Database& source,
                               std::int64_t source_sweep, const ImportRules& rules) {
  std::int64_t copied = 0;
  SQLite::Statement rows(source, "SELECT id, environment FROM measurement WHERE sweep = ? ORDER BY id");
  Binder(rows) << source_sweep;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  while (rows.executeStep()) {
    RowReader row(rows);
    const auto id = row.next<std::int64_t>();
    require_order(last, id);
    const std::string what = fmt::format("measurement {} of sweep {}", id, source_sweep);
    copy_or_leave_out(target, what, rules, [&] {
      const std::optional<Measurement> measurement = read_measurement(source, id);
      if (!measurement) throw UnusableRow("its problem or its kernel is missing");
      copied += copy_measurement(target, sweep, source, id, *measurement, row.next<std::int64_t>()) ? 1 : 0;
    });
  }
  return copied;
}

}  // namespace

std::int64_t copy_sweeps(SQLite::Database& target, SQLite::Database& source, const ImportRules& rules) {
  std::int64_t copied = 0;
  SQLite::Statement sweeps(source, "SELECT id FROM sweep ORDER BY id");
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  while (sweeps.executeStep()) {
    const std::int64_t source_sweep = sweeps.getColumn(0).getInt64();
    require_order(last, source_sweep);
    std::int64_t sweep = 0;
    const bool usable = copy_or_leave_out(target, fmt::format("sweep {}", source_sweep), rules,
                                          [&] { sweep = matching_sweep(target, source, source_sweep, rules); });
    if (usable) copied += copy_measurements(target, sweep, source, source_sweep, rules);
  }
  return copied;
}

}  // namespace triscope
