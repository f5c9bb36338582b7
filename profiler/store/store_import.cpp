#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_values.hpp"

namespace triscope {
namespace {

// A sweep with the identity of `source_sweep` in `target`; written, with its note and star, when there is none.
std::int64_t matching_sweep(SQLite::Database& target, SQLite::Database& source, std::int64_t source_sweep) {
  SQLite::Statement query(source,
                          "SELECT s.uuid, s.started_unix_ns, s.finished_unix_ns, s.command, s.request, s.planned, "
                          "s.starred, s.environment, ifnull(n.body, '') FROM sweep s "
                          "LEFT JOIN note n ON n.sweep = s.id AND n.measurement IS NULL WHERE s.id = ?");
  Binder(query) << source_sweep;
  query.executeStep();
  RowReader row(query);
  const std::string uuid = row.text();
  const std::int64_t started = row.integer();
  const std::optional<std::int64_t> finished = row.optional_integer();

  SQLite::Statement find(target, "SELECT id FROM sweep WHERE uuid = ?");
  Binder(find) << uuid;
  if (find.executeStep()) {
    const std::int64_t id = find.getColumn(0).getInt64();
    SQLite::Statement finish(target, "UPDATE sweep SET finished_unix_ns = ifnull(finished_unix_ns, ?) WHERE id = ?");
    Binder(finish) << finished << id;
    finish.exec();
    return id;
  }
  const std::string command = row.text();
  const std::string request = row.text();
  const std::int64_t planned = row.integer();
  const bool starred = row.boolean();
  const std::int64_t environment = intern_environment(target, read_environment(source, row.integer()));
  SQLite::Statement insert(target,
                           "INSERT INTO sweep(uuid, started_unix_ns, finished_unix_ns, command, request, environment, "
                           "planned, starred) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  Binder(insert) << uuid << started << finished << command << request << environment << planned << starred;
  insert.exec();
  const std::int64_t id = target.getLastInsertRowid();
  write_note(target, id, std::nullopt, row.text());
  return id;
}

// What was computed when `id` was stored; copied rather than computed anew, so that a copy says the same as its source.
Derived read_derived(SQLite::Database& database, std::int64_t id) {
  SQLite::Statement query(database, "SELECT useful_flops, paper_flops, peak_tflops FROM measurement WHERE id = ?");
  Binder(query) << id;
  query.executeStep();
  RowReader row(query);
  Derived derived;
  derived.useful_flops = row.optional_real();
  derived.paper_flops = row.optional_real();
  derived.peak_tflops = row.optional_real();
  return derived;
}

bool copy_measurement(SQLite::Database& target, std::int64_t sweep, SQLite::Database& source, std::int64_t id,
                      std::int64_t environment) {
  const std::optional<Measurement> measurement = read_measurement(source, id);
  if (!measurement) return false;
  const std::optional<ExistingRow> existing = find_measurement(target, sweep, measurement->key);
  if (existing && (existing->status == Status::ok || measurement->status != Status::ok)) return false;
  const std::int64_t target_environment = intern_environment(target, read_environment(source, environment));
  const std::int64_t copy = write_measurement(target, sweep, target_environment, *measurement, read_derived(source, id),
                                              existing ? std::optional(existing->id) : std::nullopt);
  const std::string note = read_note(source, id);
  if (!note.empty()) write_note(target, sweep, copy, note);
  return true;
}

}  // namespace

std::int64_t copy_sweeps(SQLite::Database& target, SQLite::Database& source) {
  std::int64_t copied = 0;
  SQLite::Statement sweeps(source, "SELECT id FROM sweep ORDER BY id");
  while (sweeps.executeStep()) {
    const std::int64_t source_sweep = sweeps.getColumn(0).getInt64();
    const std::int64_t sweep = matching_sweep(target, source, source_sweep);
    SQLite::Statement rows(source, "SELECT id, environment FROM measurement WHERE sweep = ? ORDER BY id");
    Binder(rows) << source_sweep;
    while (rows.executeStep()) {
      RowReader row(rows);
      const std::int64_t id = row.integer();
      copied += copy_measurement(target, sweep, source, id, row.integer()) ? 1 : 0;
    }
  }
  return copied;
}

}  // namespace triscope
