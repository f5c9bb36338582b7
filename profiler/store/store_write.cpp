#include <fmt/format.h>

#include <set>
#include <string_view>

#include "kernels/attention/flops.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

using namespace tables;

// Rows that belong to a measurement and keep the order of `rows`.
template <typename Columns, typename Rows>
void write_rows(InternedTexts& texts, const Table<Columns>& table, std::int64_t measurement, const Rows& rows,
                std::int64_t ordinal = 0) {
  if (rows.empty()) return;
  Insert insert(texts, table, "measurement", "ordinal");
  for (const auto& row : rows) insert(row, measurement, ordinal++);
}

void delete_rows(SQLite::Database& database, const std::string& table, const std::string& column, std::int64_t value) {
  SQLite::Statement remove(database, "DELETE FROM " + table + " WHERE " + column + " = ?");
  Binder(remove) << value;
  remove.exec();
}

// The row of `measurement` itself; `id` unset lets SQLite choose.
std::int64_t write_row(InternedTexts& texts, std::optional<std::int64_t> id, std::int64_t sweep,
                       std::int64_t environment, const Measurement& measurement, const Derived& derived) {
  struct Row {
    const Measurement& measurement;
    const Derived& derived;
  };
  static constexpr Table kRows{
      "measurement",
      within(
          [](const Row& row) -> auto& { return row.measurement.key; }, kKeys.columns),
      within(
          [](const Row& row) -> auto& { return row.measurement; }, kMeasurements.columns),
      within(
          [](const Row& row) -> auto& { return row.derived; }, kDerived.columns),
  };
  Insert insert(texts, kRows, "id", "sweep", "environment", "config", "kernel");
  return insert(Row{measurement, derived}, id, sweep, environment, intern(texts, kConfigs, measurement.key.problem),
                intern(texts, kKernels, measurement));
}

constexpr const char* kExistingRows =
    "SELECT measurement.id, measurement.status, kernel.source_hash, measurement.environment FROM measurement "
    "JOIN kernel ON kernel.id = measurement.kernel WHERE ";

ExistingRow existing_row(const SQLite::Statement& found) {
  RowReader row(found);
  ExistingRow existing;
  row >> existing.id;
  existing.status = row.named(parse_status);
  row >> existing.source_hash >> existing.environment;
  return existing;
}

}  // namespace

Derived derive(const MeasurementKey& key) {
  Derived derived;
  if (validate(key.problem).empty()) {
    derived.useful_flops = useful_flops(key.problem, key.pass);
    derived.paper_flops = paper_flops(key.problem, key.pass);
  }
  return derived;
}

std::int64_t intern_environment(SQLite::Database& database, const Environment& environment) {
  InternedTexts texts(database);
  return intern(texts, kEnvironments, environment);
}

void write_kernel_card(SQLite::Database& database, std::int64_t measurement, const KernelCard& card) {
  const auto given = [](const auto& one) { return std::string(one.name) + " = ?"; };
  SQLite::Statement update(database, "UPDATE kernel SET " + listed(kCards.columns, ", ", given) +
                                         " WHERE label = '' AND id = (SELECT kernel FROM measurement WHERE id = ?)");
  InternedTexts texts(database);
  Binder binder(update);
  bind_row(binder, texts, kCards.columns, card);
  binder << measurement;
  update.exec();
}

std::optional<ExistingRow> find_measurement(SQLite::Database& database, std::int64_t sweep, const MeasurementKey& key) {
  InternedTexts texts(database);
  // By the kernel's name: its source may have changed before the sweep was resumed.
  SQLite::Statement find(database, kExistingRows +
                                       std::string("measurement.sweep = ? AND measurement.config = ? AND kernel.name "
                                                   "= ? AND ") +
                                       equal_to_row(kKeys.columns));
  Binder binder(find);
  binder << sweep << intern(texts, kConfigs, key.problem) << key.kernel;
  bind_row(binder, texts, kKeys.columns, key);
  return find.executeStep() ? std::optional(existing_row(find)) : std::nullopt;
}

void require_readable_rows(SQLite::Database& database, std::int64_t sweep) {
  SQLite::Statement rows(database, kExistingRows + std::string("measurement.sweep = ?"));
  Binder(rows) << sweep;
  while (rows.executeStep()) {
    try {
      existing_row(rows);
    } catch (const UnusableRow& fault) {
      throw UnusableRow(fmt::format("of m{} {}", rows.getColumn(0).getInt64(), fault.what()));
    }
  }
}

std::int64_t write_measurement(SQLite::Database& database, std::int64_t sweep, std::int64_t environment,
                               const Measurement& measurement, const Derived& derived,
                               std::optional<std::int64_t> replaced) {
  std::string note;
  if (replaced) {
    note = read_note(database, *replaced);
    delete_rows(database, "measurement", "id", *replaced);
  }
  InternedTexts texts(database);
  const std::int64_t id = write_row(texts, replaced, sweep, environment, measurement, derived);
  Insert insert_error(texts, kOutputErrors, "measurement");
  for (const auto& error : measurement.errors) insert_error(error, id);
  write_rows(texts, kSamples, id, measurement.samples);
  for (const auto& [group, samples] : measurement.turns) write_turns(database, id, group, samples);
  write_rows(texts, kLaunches, id, measurement.launches);
  if (measurement.cross_check) Insert(texts, kCrossChecks, "measurement")(*measurement.cross_check, id);
  write_rows(texts, kCounters, id, measurement.counters);
  if (!note.empty()) write_note(database, sweep, id, note);
  return id;
}

void update_measurement(SQLite::Database& database, const MeasurementUpdate& one) {
  InternedTexts texts(database);
  const auto given = [](const auto& column) { return std::string(column.name) + " = ?"; };
  SQLite::Statement update(database, "UPDATE measurement SET status = ?, reason = ?, " +
                                         listed(kSummaries.columns, ", ", given) + " WHERE id = ?");
  Binder binder(update);
  binder << one.status << one.reason;
  bind_row(binder, texts, kSummaries.columns, one.summary);
  binder << one.row;
  update.exec();
  SQLite::Statement last(database, "SELECT ifnull(max(ordinal), -1) FROM sample WHERE measurement = ?");
  Binder(last) << one.row;
  last.executeStep();
  write_rows(texts, kSamples, one.row, one.samples, last.getColumn(0).getInt64() + 1);
}

void write_turns(SQLite::Database& database, std::int64_t measurement, std::int64_t group,
                 std::span<const Sample> samples) {
  std::set<std::int64_t> restarts;
  for (const Sample& sample : samples) restarts.insert(sample.restart);
  for (const std::int64_t restart : restarts) {
    SQLite::Statement remove(database,
                             "DELETE FROM turn_sample WHERE measurement = ? AND interleave_group = ? AND restart = ?");
    Binder(remove) << measurement << group << restart;
    remove.exec();
  }
  SQLite::Statement last(
      database, "SELECT ifnull(max(ordinal), -1) FROM turn_sample WHERE measurement = ? AND interleave_group = ?");
  Binder(last) << measurement << group;
  last.executeStep();
  std::vector<TurnSample> rows;
  for (const Sample& sample : samples) rows.push_back({group, sample});
  InternedTexts texts(database);
  write_rows(texts, kTurnSamples, measurement, rows, last.getColumn(0).getInt64() + 1);
}

void write_spread(SQLite::Database& database, std::int64_t sweep, const SweepSpread& spread) {
  InternedTexts texts(database);
  const auto given = [](const auto& column) { return std::string(column.name) + " = ?"; };
  SQLite::Statement update(database, "UPDATE sweep SET " + listed(kSpreads.columns, ", ", given) + " WHERE id = ?");
  Binder binder(update);
  bind_row(binder, texts, kSpreads.columns, spread);
  binder << sweep;
  update.exec();
}

void write_cross_check(SQLite::Database& database, std::int64_t measurement, const CrossCheck& check) {
  delete_rows(database, "cross_check", "measurement", measurement);
  InternedTexts texts(database);
  Insert(texts, kCrossChecks, "measurement")(check, measurement);
}

void write_counters(SQLite::Database& database, std::int64_t measurement, const std::vector<Counter>& counters) {
  delete_rows(database, "counter", "measurement", measurement);
  InternedTexts texts(database);
  write_rows(texts, kCounters, measurement, counters);
}

void write_note(SQLite::Database& database, std::int64_t sweep, std::optional<std::int64_t> measurement,
                const std::string& body) {
  SQLite::Statement remove(database, "DELETE FROM note WHERE sweep = ? AND measurement IS ?");
  Binder(remove) << sweep << measurement;
  remove.exec();
  if (body.empty()) return;
  SQLite::Statement insert(database, "INSERT INTO note(sweep, measurement, written_unix_ns, body) VALUES (?, ?, ?, ?)");
  Binder(insert) << sweep << measurement << unix_now_ns() << body;
  insert.exec();
}

}  // namespace triscope
