#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "profiler/record/same_device.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/store/row_fault.hpp"
#include "profiler/store/sample_summary.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

using namespace tables;

// The rows of `table` that belong to a measurement, in their order.
template <typename Row, typename Columns>
std::vector<Row> rows_of(SQLite::Database& database, const Table<Columns>& table, std::int64_t measurement) {
  const std::string rest = "FROM " + std::string(table.name) + " WHERE measurement = ? ORDER BY ordinal";
  return select<Row>(database, table.columns, rest, measurement);
}

/// What a sweep and its measurements say of its line in the history.
struct SweepLine {
  SweepInfo info;
  std::optional<std::int64_t> started_unix_ns, finished_unix_ns;
  bool has_environment = false;
};
constexpr Table kSweepInfos{
    "sweep",
    column("uuid", &SweepInfo::uuid),
    long_line("command", &SweepInfo::command),
    long_line("request", &SweepInfo::request_json),
    column("planned", &SweepInfo::planned),
    column("starred", &SweepInfo::starred),
    within(&SweepInfo::spread, kSpreads.columns),
    lines("CASE typeof(note.body) WHEN 'text' THEN note.body END", &SweepInfo::note),
};
constexpr auto kSweepLines = columns(
    Table{"sweep",
          column(
              "id", [](auto& line) -> auto& { return line.info.id; }),
          column("started_unix_ns", &SweepLine::started_unix_ns),
          column("finished_unix_ns", &SweepLine::finished_unix_ns)}
        .columns,
    expression("environment.id IS NOT NULL", &SweepLine::has_environment),
    within(&SweepLine::info, columns(kSweepInfos.columns, within(&SweepInfo::environment, kEnvironments.columns))));

/// What became of the measurements of a sweep, and when the first of them was taken.
struct Counted {
  std::int64_t ok = 0, failed = 0, skipped = 0, cancelled = 0;
  std::optional<std::int64_t> first_unix_ns;
};

// One pass over all measurements: grouped in SQL they are looked up one by one.
std::unordered_map<std::int64_t, Counted> count_measurements(SQLite::Database& database,
                                                             std::optional<std::int64_t> sweep) {
  SQLite::Statement query(database, std::string("SELECT sweep, status, median_ms, started_unix_ns FROM measurement") +
                                        (sweep ? " WHERE sweep = ?1" : ""));
  if (sweep) Binder(query) << *sweep;
  std::unordered_map<std::int64_t, Counted> sweeps;
  while (query.executeStep()) {
    Counted& counted = sweeps[query.getColumn(0).getInt64()];
    const std::string_view status = query.getColumn(1).getText();
    if (status == "ok") {
      // Of a row that is called ok and has no possible time every reader says that it failed (`row_fault`).
      const SQLite::Column ms = query.getColumn(2);
      const bool possible = !ms.isText() && !ms.isBlob() && ms.getDouble() >= kLeastMs && ms.getDouble() <= kMostMs;
      ++(possible ? counted.ok : counted.failed);
    } else if (status == "failed") {
      ++counted.failed;
    } else if (status == "skipped") {
      ++counted.skipped;
    } else if (status == "cancelled") {
      ++counted.cancelled;
    }
    if (const SQLite::Column started = query.getColumn(3); started.isInteger())
      counted.first_unix_ns = std::min(counted.first_unix_ns.value_or(started.getInt64()), started.getInt64());
  }
  return sweeps;
}

// What a row says, or nothing: when a value in it cannot be used, it costs no other row.
template <typename Value, typename Read>
std::optional<Value> if_usable(Read&& read) {
  try {
    return read();
  } catch (const UnusableRow&) {
    return std::nullopt;
  }
}

// The measurements with samples of `sweep` for which `condition` holds.
std::vector<StoredMeasurement> read_measured(SQLite::Database& database, std::int64_t sweep,
                                             const std::string& condition) {
  static constexpr auto kColumns =
      columns(kKeyColumns, Table{"measurement", column("id", &StoredMeasurement::row)}.columns);
  return select<StoredMeasurement>(database, kColumns,
                                   kKeyTables + ("WHERE measurement.sweep = ? AND measurement.status = 'ok' AND " +
                                                 condition + " ORDER BY measurement.id"),
                                   sweep);
}

// Of a measurement whose problem and kernel are there: whether its environment and its sweep are, too.
void require_parts(SQLite::Database& database, std::int64_t measurement) {
  for (const char* part : {"environment", "sweep"}) {
    SQLite::Statement query(
        database,
        fmt::format("SELECT 1 FROM measurement JOIN {0} ON {0}.id = measurement.{0} WHERE measurement.id = ?", part));
    Binder(query) << measurement;
    if (!query.executeStep()) throw UnusableRow(fmt::format("its {} is missing", part));
  }
}

// What belongs to a measurement besides its samples. Says which parts cannot be used and are not there.
std::vector<std::string> read_parts(SQLite::Database& database, std::int64_t id, Measurement& measurement) {
  std::vector<std::string> unusable;
  const auto read = [&](std::string_view part, auto&& into) {
    try {
      into();
    } catch (const UnusableRow& fault) {
      unusable.push_back(without_part(part, fault.what()));
    }
  };
  read("turns", [&] { measurement.turns = read_turns(database, id); });
  read("errors by output", [&] {
    for (auto& error : select<std::pair<std::string, double>>(database, kOutputErrors.columns,
                                                              "FROM output_error WHERE measurement = ?", id))
      measurement.errors.insert(std::move(error));
  });
  read("cross-check", [&] {
    const auto checks =
        select<CrossCheck>(database, kCrossChecks.columns, "FROM cross_check WHERE measurement = ?", id);
    if (checks.empty()) return;
    if (const std::string fault = cross_check_fault(checks.front()); !fault.empty()) throw UnusableRow(fault);
    measurement.cross_check = checks.front();
  });
  read("launches", [&] { measurement.launches = rows_of<LaunchRecord>(database, kLaunches, id); });
  read("counters", [&] { measurement.counters = rows_of<Counter>(database, kCounters, id); });
  std::erase_if(measurement.counters, [&](const Counter& one) {
    const std::string fault = counter_fault(one.name, one.value);
    if (!fault.empty()) unusable.push_back(without_part("counter", fault));
    return !fault.empty();
  });
  return unusable;
}

// What a measurement's samples come with.
struct SeriesRow {
  std::int64_t measurement = 0;
  std::optional<std::int64_t> group;
  bool converged = false;
};

// Of the sweep that a measurement belongs to.
SweepSpread spread_of_row(SQLite::Database& database, std::int64_t measurement) {
  SQLite::Statement query(database, "SELECT sweep FROM measurement WHERE id = ?");
  Binder(query) << measurement;
  return query.executeStep() ? read_spread(database, query.getColumn(0).getInt64()) : SweepSpread{};
}

}  // namespace

Environment read_environment(SQLite::Database& database, std::int64_t id) {
  std::vector<Environment> found =
      select<Environment>(database, kEnvironments.columns, "FROM environment WHERE id = ?", id);
  if (found.empty()) throw UnusableRow("its environment is missing");
  if (const std::string fault = environment_fault(found.front()); !fault.empty())
    throw UnusableRow("of its environment " + fault);
  return std::move(found.front());
}

SweepSpread read_spread(SQLite::Database& database, std::int64_t sweep) {
  const auto found = if_usable<std::vector<SweepSpread>>(
      [&] { return select<SweepSpread>(database, kSpreads.columns, "FROM sweep WHERE id = ?", sweep); });
  return found && !found->empty() ? found->front() : SweepSpread{};  // "not known"
}

std::vector<Sample> read_samples(SQLite::Database& database, std::int64_t measurement) {
  return rows_of<Sample>(database, kSamples, measurement);
}

std::map<std::int64_t, std::vector<Sample>> read_turns(SQLite::Database& database, std::int64_t measurement) {
  std::map<std::int64_t, std::vector<Sample>> turns;
  for (TurnSample& one :
       select<TurnSample>(database, kTurnSamples.columns,
                          "FROM turn_sample WHERE measurement = ? ORDER BY interleave_group, ordinal", measurement)) {
    if (const std::string fault = sample_fault(one.sample); !fault.empty()) throw UnusableRow(fault);
    turns[one.group].push_back(std::move(one.sample));
  }
  return turns;
}

std::optional<Measurement> read_measurement(SQLite::Database& database, std::int64_t id, Times times,
                                            std::vector<std::string>* left_out) {
  std::optional<ResultRow> row;
  if (times == Times::stored) row = read_usable_result(database, id);
  static constexpr auto kColumns = columns(kKeyColumns, kMeasurements.columns);
  std::vector<Measurement> found =
      select<Measurement>(database, kColumns, std::string(kKeyTables) + "WHERE measurement.id = ?", id);
  if (found.empty()) return std::nullopt;
  require_parts(database, id);
  Measurement& measurement = found.front();
  measurement.reason = row ? row->reason : corrected_reason(std::move(measurement.reason));
  measurement.samples = read_samples(database, id);
  const std::vector<std::string> unusable = read_parts(database, id, measurement);
  for (const std::string& sentence : unusable) add_remark(measurement.reason, sentence);
  if (left_out != nullptr) *left_out = unusable;
  const Spread pooled = spread_of_row(database, id).times;
  if (times == Times::of_samples) {
    std::string corrected = correct_by_samples(measurement, pooled);
    if (left_out != nullptr && !corrected.empty()) left_out->push_back(std::move(corrected));
  } else {
    add_remark(measurement.reason, stored_times_fault(measurement.summary, measurement.samples, pooled));
  }
  std::string fault = row_fault(measurement);
  if (fault.empty()) fault = no_time_fault(measurement.status, measurement.summary.median_ms);
  if (!fault.empty()) throw UnusableRow(fault);
  return std::move(measurement);
}

std::vector<SweepInfo> read_sweeps(SQLite::Database& database, std::optional<std::int64_t> sweep) {
  const std::unordered_map<std::int64_t, Counted> counts = count_measurements(database, sweep);
  SQLite::Statement query(database, "SELECT " + select_list(kSweepLines) +
                                        " FROM sweep LEFT JOIN environment ON environment.id = sweep.environment "
                                        "LEFT JOIN note ON note.sweep = sweep.id AND note.measurement IS NULL" +
                                        (sweep ? " WHERE sweep.id = ?1" : ""));
  if (sweep) Binder(query) << *sweep;
  std::vector<SweepLine> lines;
  while (query.executeStep()) {
    SweepLine& line = lines.emplace_back();
    SweepInfo& one = line.info;
    std::string fault;
    try {
      RowReader reader(query);
      read_row(reader, kSweepLines, line);
      if (const auto found = counts.find(one.id); found != counts.end()) {
        const Counted& counted = found->second;
        one.ok = counted.ok, one.failed = counted.failed, one.skipped = counted.skipped;
        one.cancelled = counted.cancelled;
        // Resuming may have measured all of it again: then the first of its measurements is its start.
        if (line.started_unix_ns)
          line.started_unix_ns = std::max(*line.started_unix_ns, counted.first_unix_ns.value_or(0));
      }
      if (line.started_unix_ns) one.started = utc_date(*line.started_unix_ns);
      if (line.finished_unix_ns) one.finished = utc_date(*line.finished_unix_ns);
      fault = line.has_environment ? sweep_fault(one) : "its environment is missing";
    } catch (const UnusableRow& unusable) {
      fault = unusable.what();
    }
    if (!fault.empty()) one = unusable_sweep(one.id, fault);
  }
  std::ranges::sort(lines, std::greater(),
                    [](const SweepLine& line) { return std::pair(line.started_unix_ns, line.info.id); });
  std::vector<SweepInfo> sweeps;
  for (SweepLine& line : lines) sweeps.push_back(std::move(line.info));
  return sweeps;
}

std::map<std::int64_t, std::string> read_times_faults(SQLite::Database& database, const std::vector<ResultRow>& rows) {
  static constexpr Table kTimes{"sample",  // what a median and its interval are made of
                                column("duration_ns", &Sample::duration_ns),
                                column("launches", &Sample::launches),
                                column("block", &Sample::block),
                                column("restart", &Sample::restart),
                                interned("flag", &Sample::flag, EmptyText::null)};
  SQLite::Statement query(
      database, "SELECT " + select_list(kTimes.columns) + " FROM sample WHERE measurement = ? ORDER BY ordinal");
  RowReader reader(query);
  std::map<std::int64_t, Spread> pooled;  // of sweeps
  std::map<std::int64_t, std::string> faults;
  std::vector<Sample> samples;  // whose room is used again
  for (const ResultRow& row : rows) {
    if (!row.median_ms) continue;
    const auto [spread, is_new] = pooled.try_emplace(row.sweep);
    if (is_new) spread->second = read_spread(database, row.sweep).times;
    Binder(query) << row.measurement;
    samples.clear();
    std::string fault;
    try {
      while (fault.empty() && query.executeStep()) {
        reader.next_row();
        read_row(reader, kTimes.columns, samples.emplace_back());
        fault = sample_fault(samples.back());
      }
    } catch (const UnusableRow& unusable) {
      fault = unusable.what();
    }
    fault = fault.empty() ? stored_times_fault(row, samples, spread->second) : "its samples cannot be used: " + fault;
    if (!fault.empty()) faults.emplace(row.measurement, std::move(fault));
  }
  return faults;
}

void TurnGroup::add(std::int64_t measurement, std::string kernel) {
  const auto [place, is_new] = kernel_of.try_emplace(measurement, std::move(kernel));
  if (is_new) ++measurements[place->second];
}

std::set<std::string> TurnGroup::beside(std::int64_t measurement) const {
  const auto own = kernel_of.find(measurement);
  std::set<std::string> kernels;
  for (const auto& [kernel, count] : measurements) {
    if (kernels.size() == kMostCompanions) break;
    if (own == kernel_of.end() || own->second != kernel || count > 1) kernels.insert(kernels.end(), kernel);
  }
  return kernels;
}

TurnGroups read_turn_groups(SQLite::Database& database, std::int64_t sweep) {
  SQLite::Statement query(
      database,
      "SELECT measurement.id, interleave_group, kernel.name FROM measurement JOIN kernel ON kernel.id = "
      "measurement.kernel WHERE measurement.sweep = ?1 AND interleave_group IS NOT NULL UNION ALL "
      "SELECT DISTINCT measurement.id, turn_sample.interleave_group, kernel.name FROM measurement CROSS JOIN "
      "turn_sample ON turn_sample.measurement = measurement.id JOIN kernel ON kernel.id = measurement.kernel WHERE "
      "measurement.sweep = ?1");
  Binder(query) << sweep;
  TurnGroups groups;
  while (query.executeStep()) {
    if_usable<bool>([&] {
      RowReader reader(query);
      const auto measurement = reader.next<std::int64_t>();
      const auto group = reader.next<std::int64_t>();
      groups[group].add(measurement, reader.next<std::string>());
      return true;
    });
  }
  return groups;
}

void set_companions(SampleSeries& series, std::int64_t measurement, const TurnGroups& groups) {
  const auto group = groups.find(series.group);
  if (group != groups.end()) series.companions = group->second.beside(measurement);
}

std::unordered_map<std::int64_t, SampleSeries> read_series(SQLite::Database& database, const char* condition,
                                                           std::int64_t value) {
  static constexpr Table kRows{"measurement", column("id", &SeriesRow::measurement),
                               column("interleave_group", &SeriesRow::group),
                               column("converged", &SeriesRow::converged)};
  // Measurement by measurement, as their samples lie in the file: joined to another order they would have to be sorted.
  SQLite::Statement rows(database, "SELECT " + select_list(kRows.columns) + " FROM measurement WHERE " + condition +
                                       " ORDER BY measurement.id");
  Binder(rows) << value;
  SQLite::Statement samples(
      database, "SELECT " + select_list(kSamples.columns) + " FROM sample WHERE measurement = ? ORDER BY ordinal");
  std::unordered_map<std::int64_t, SampleSeries> all;
  std::unordered_set<std::int64_t> unusable;  // one sample that cannot be used costs its measurement's, not the others'
  RowReader of_row(rows), of_sample(samples);
  std::vector<Sample> found;  // whose room is used again: each measurement's own grew in five steps and was too large
  while (rows.executeStep()) {
    const std::int64_t measurement = rows.getColumn(0).getInt64();
    samples.reset();
    Binder(samples) << measurement;
    SampleSeries series;
    of_row.next_row();
    found.clear();
    const bool usable = if_usable<bool>([&] {
                          while (samples.executeStep()) {
                            of_sample.next_row();
                            read_row(of_sample, kSamples.columns, found.emplace_back());
                            if (!sample_fault(found.back()).empty()) return false;
                          }
                          series.samples.assign(std::move_iterator(found.begin()), std::move_iterator(found.end()));
                          SeriesRow row;
                          if (!series.samples.empty()) read_row(of_row, kRows.columns, row);
                          series.group = row.group.value_or(-1);
                          series.converged = row.converged;
                          return true;
                        }).value_or(false);
    if (!usable) {
      unusable.insert(measurement);
    } else if (!series.samples.empty()) {
      all.emplace(measurement, std::move(series));
    }
  }
  const std::string references = fmt::format(
      "SELECT DISTINCT turn_sample.measurement FROM measurement CROSS JOIN turn_sample ON "
      "turn_sample.measurement = measurement.id WHERE {}",
      condition);
  SQLite::Statement with_turns(database, references);
  Binder(with_turns) << value;
  while (with_turns.executeStep()) {
    const std::int64_t measurement = with_turns.getColumn(0).getInt64();
    auto turns =
        if_usable<std::map<std::int64_t, std::vector<Sample>>>([&] { return read_turns(database, measurement); });
    if (turns) all[measurement].turns = std::move(*turns);
  }
  for (const std::int64_t measurement : unusable) all.erase(measurement);
  return all;
}

std::vector<std::pair<Environment, std::vector<std::int64_t>>> read_environments(SQLite::Database& database,
                                                                                 std::int64_t sweep) {
  SQLite::Statement query(database, "SELECT id, environment FROM measurement WHERE sweep = ? ORDER BY id");
  Binder(query) << sweep;
  std::vector<std::pair<Environment, std::vector<std::int64_t>>> places;
  std::unordered_map<std::int64_t, std::size_t> place_of;
  while (query.executeStep()) {
    RowReader reader(query);
    const auto measurement = reader.next<std::int64_t>();
    const auto environment = reader.next<std::int64_t>();
    const auto [place, is_new] = place_of.try_emplace(environment, places.size());
    if (is_new) {
      const auto known = if_usable<Environment>([&] { return read_environment(database, environment); });
      places.push_back({known.value_or(Environment{.device_name = kUnknownDevice}), {}});
    }
    places[place->second].second.push_back(measurement);
  }
  return places;
}

std::optional<KernelCard> read_kernel_card(SQLite::Database& database, std::int64_t measurement) {
  std::vector<KernelCard> found = select<KernelCard>(
      database, kCards.columns,
      "FROM kernel JOIN measurement ON measurement.kernel = kernel.id WHERE measurement.id = ? AND kernel.label != ''",
      measurement);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<FinishedKey> read_finished_keys(SQLite::Database& database, std::int64_t sweep) {
  static constexpr auto kColumns = columns(
      kKeyColumns,
      Table{"measurement", column("id", &FinishedKey::row), column("restarts", &FinishedKey::restarts)}.columns);
  require_readable_rows(database, sweep);  // what is measured next to them looks for them
  return select<FinishedKey>(database, kColumns,
                             std::string(kKeyTables) +
                                 "WHERE measurement.sweep = ? AND measurement.status IN ('ok', 'skipped') "
                                 "ORDER BY measurement.id",
                             sweep);
}

std::vector<StoredMeasurement> read_without_cross_check(SQLite::Database& database, std::int64_t sweep) {
  return read_measured(database, sweep,
                       "measurement.timing_source = 'cupti' AND NOT EXISTS "
                       "(SELECT 1 FROM cross_check WHERE cross_check.measurement = measurement.id)");
}

std::vector<StoredMeasurement> read_without_counters(SQLite::Database& database, std::int64_t sweep) {
  return read_measured(database, sweep,
                       "measurement.counters_note = '' AND NOT EXISTS "
                       "(SELECT 1 FROM counter WHERE counter.measurement = measurement.id)");
}

std::unordered_map<std::int64_t, double> read_counter_values(SQLite::Database& database, const std::string& name) {
  SQLite::Statement query(
      database,
      "SELECT measurement, value FROM counter WHERE name = (SELECT id FROM text WHERE value = ?) AND "
      "typeof(value) IN ('real', 'integer')");
  Binder(query) << name;
  std::unordered_map<std::int64_t, double> values;
  while (query.executeStep()) {
    const double value = query.getColumn(1).getDouble();
    if (counter_fault(name, value).empty()) values[query.getColumn(0).getInt64()] = value;
  }
  return values;
}

std::string read_note(SQLite::Database& database, std::int64_t measurement) {
  SQLite::Statement query(database, "SELECT body FROM note WHERE measurement = ? AND typeof(body) = 'text'");
  Binder(query) << measurement;
  return query.executeStep() ? RowReader(query).next_lines() : std::string();
}

}  // namespace triscope
