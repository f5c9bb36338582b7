#include <fmt/format.h>

#include "profiler/store/row_fault.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

using namespace tables;

// A sweep with the identity of `source_sweep` in `target`; written, with its note and star, when there is none.
std::int64_t matching_sweep(SQLite::Database& target, SQLite::Database& source, std::int64_t source_sweep) {
  const SweepRow row = select<SweepRow>(source, kSweeps.columns, "FROM sweep WHERE id = ?", source_sweep).front();
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

}  // namespace

std::int64_t copy_sweeps(SQLite::Database& target, SQLite::Database& source,
                         const std::function<void(const std::string&)>& left_out) {
  std::int64_t copied = 0;
  SQLite::Statement sweeps(source, "SELECT id FROM sweep ORDER BY id");
  while (sweeps.executeStep()) {
    const std::int64_t source_sweep = sweeps.getColumn(0).getInt64();
    const std::int64_t sweep = matching_sweep(target, source, source_sweep);
    SQLite::Statement rows(source, "SELECT id, environment FROM measurement WHERE sweep = ? ORDER BY id");
    Binder(rows) << source_sweep;
    while (rows.executeStep()) {
      RowReader row(rows);
      const auto id = row.next<std::int64_t>();
      std::optional<Measurement> measurement;
      try {
        measurement = read_measurement(source, id);
      } catch (const UnusableRow& fault) {
        left_out(fmt::format("measurement {} of sweep {} was not copied: {}", id, source_sweep, fault.what()));
      }
      if (!measurement) continue;
      copied += copy_measurement(target, sweep, source, id, *measurement, row.next<std::int64_t>()) ? 1 : 0;
    }
  }
  return copied;
}

}  // namespace triscope
