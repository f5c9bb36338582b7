#include <limits>

#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_values.hpp"

namespace triscope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Columns of `environment`, in the order of `environment_of`.
constexpr char kEnvironmentColumns[] =
    "e.device_id, e.device_name, e.device_uuid, e.driver_version, e.cuda_version, e.cupti_version, e.power_limit_w, "
    "e.max_sm_clock_mhz, e.max_memory_clock_mhz, e.peak_tflops, e.host, e.cpu_model, e.cpu_threads, e.os, "
    "e.triscope_version, e.git_commit, e.compiler, e.compile_flags";

Environment environment_of(RowReader& row) {
  Environment e;
  e.device_id = row.text();
  e.device_name = row.text();
  e.device_uuid = row.text();
  e.driver_version = row.text();
  e.cuda_version = row.text();
  e.cupti_version = row.text();
  e.power_limit_w = row.optional_real();
  e.max_sm_clock_mhz = row.optional_real();
  e.max_memory_clock_mhz = row.optional_real();
  e.peak_tflops = row.optional_real();
  e.host = row.text();
  e.cpu_model = row.text();
  e.cpu_threads = row.integer();
  e.os = row.text();
  e.triscope_version = row.text();
  e.git_commit = row.text();
  e.compiler = row.text();
  e.compile_flags = row.text();
  return e;
}

// Columns of a measurement's key, in the order of `key_of`; FROM measurement m, config c, kernel k.
constexpr char kKeyColumns[] =
    "c.form, c.mask, c.element, c.deterministic, c.batch, c.seq_len, c.q_heads, c.kv_heads, c.head_dim, c.window1, "
    "c.window2, c.scale, c.k2_bias, c.v2_bias, c.sink, m.pass, k.name, m.instance, m.regime, m.timing_source, "
    "m.device_id";
constexpr char kKeyTables[] = " FROM measurement m JOIN config c ON c.id = m.config JOIN kernel k ON k.id = m.kernel ";

MeasurementKey key_of(RowReader& row) {
  MeasurementKey key;
  Problem& p = key.problem;
  p.form = row.named(parse_form);
  p.mask = row.named(parse_mask);
  p.element = row.named(parse_element);
  p.deterministic = row.boolean();
  p.batch = row.integer();
  p.seq_len = row.integer();
  p.q_heads = row.integer();
  p.kv_heads = row.integer();
  p.head_dim = row.integer();
  p.window1 = row.integer();
  p.window2 = row.integer();
  p.scale = row.optional_real();
  p.k2_bias = row.real(0);
  p.v2_bias = row.real(0);
  p.sink = row.optional_real();
  key.pass = row.named(parse_pass);
  key.kernel = row.text();
  key.instance = row.text();
  key.regime = row.named(parse_regime);
  key.timing_source = row.named(parse_timing_source);
  key.device_id = row.text();
  return key;
}

Summary summary_of(RowReader& row) {
  Summary summary;
  summary.samples = row.integer();
  const bool measured = summary.samples > 0;
  summary.median_ms = row.real(measured ? kNaN : 0);
  summary.ci_low_ms = row.real(measured ? -kInfinity : 0);
  summary.ci_high_ms = row.real(measured ? kInfinity : 0);
  summary.quartile1_ms = row.real(measured ? kNaN : 0);
  summary.quartile3_ms = row.real(measured ? kNaN : 0);
  summary.min_ms = row.real(measured ? kNaN : 0);
  summary.flagged = row.integer();
  summary.converged = row.boolean();
  summary.sm_clock_mhz = row.optional_real();
  return summary;
}

void read_errors(SQLite::Database& database, std::int64_t id, Measurement& measurement) {
  SQLite::Statement query(
      database, "SELECT t.value, o.error FROM output_error o JOIN text t ON t.id = o.output WHERE o.measurement = ?");
  Binder(query) << id;
  while (query.executeStep()) {
    RowReader row(query);
    const std::string output = row.text();
    measurement.errors[output] = row.real(kNaN);
  }
}

void read_launches(SQLite::Database& database, std::int64_t id, Measurement& measurement) {
  SQLite::Statement query(
      database,
      "SELECT t.value, grid_x, grid_y, grid_z, block_x, block_y, block_z, cluster_x, cluster_y, cluster_z, "
      "registers_per_thread, static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread, start_ns, end_ns "
      "FROM launch JOIN text t ON t.id = name WHERE measurement = ? ORDER BY ordinal");
  Binder(query) << id;
  while (query.executeStep()) {
    RowReader row(query);
    LaunchRecord& launch = measurement.launches.emplace_back();
    launch.name = row.text();
    for (std::int64_t& extent : launch.grid) extent = row.integer();
    for (std::int64_t& extent : launch.block) extent = row.integer();
    for (std::int64_t& extent : launch.cluster) extent = row.integer();
    launch.registers_per_thread = row.integer();
    launch.static_shared_bytes = row.integer();
    launch.dynamic_shared_bytes = row.integer();
    launch.local_bytes_per_thread = row.integer();
    launch.start_ns = row.integer();
    launch.end_ns = row.integer();
  }
}

void read_counters(SQLite::Database& database, std::int64_t id, Measurement& measurement) {
  SQLite::Statement query(database,
                          "SELECT n.value, u.value, c.value FROM counter c JOIN text n ON n.id = c.name "
                          "JOIN text u ON u.id = c.unit WHERE c.measurement = ? ORDER BY c.ordinal");
  Binder(query) << id;
  while (query.executeStep()) {
    RowReader row(query);
    Counter& counter = measurement.counters.emplace_back();
    counter.name = row.text();
    counter.unit = row.text();
    counter.value = row.real(kNaN);
  }
}

void read_cross_check(SQLite::Database& database, std::int64_t id, Measurement& measurement) {
  SQLite::Statement query(
      database,
      "SELECT timing_source, median_ms, ci_low_ms, ci_high_ms, samples, reason FROM cross_check WHERE measurement = ?");
  Binder(query) << id;
  if (!query.executeStep()) return;
  RowReader row(query);
  CrossCheck& check = measurement.cross_check.emplace();
  check.timing_source = row.named(parse_timing_source);
  check.median_ms = row.optional_real();
  check.ci_low_ms = row.optional_real();
  check.ci_high_ms = row.optional_real();
  check.samples = row.integer();
  check.reason = row.text();
}

ResultRow result_of(RowReader row) {
  ResultRow r;
  r.measurement = row.integer();
  r.sweep = row.integer();
  r.started = row.text();
  r.device = row.text();
  r.kernel = row.text();
  r.instance = row.text();
  r.source_hash = row.text();
  r.pass = row.named(parse_pass);
  r.problem.form = row.named(parse_form);
  r.problem.mask = row.named(parse_mask);
  r.problem.element = row.named(parse_element);
  r.problem.batch = row.integer();
  r.problem.seq_len = row.integer();
  r.problem.q_heads = row.integer();
  r.problem.kv_heads = row.integer();
  r.problem.head_dim = row.integer();
  r.problem.window1 = row.integer();
  r.problem.window2 = row.integer();
  r.problem.scale = row.optional_real();
  r.problem.k2_bias = row.real(0);
  r.problem.v2_bias = row.real(0);
  r.problem.sink = row.optional_real();
  r.problem.deterministic = row.boolean();
  r.timing_source = row.named(parse_timing_source);
  r.regime = row.named(parse_regime);
  r.median_ms = row.optional_real();
  r.ci_low_ms = row.optional_real();
  r.ci_high_ms = row.optional_real();
  r.samples = row.integer();
  r.flagged = row.integer();
  r.sm_clock_mhz = row.optional_real();
  r.tflops = row.optional_real();
  r.tflops_paper_count = row.optional_real();
  r.peak_fraction = row.optional_real();
  r.error = row.optional_real();
  r.status = row.named(parse_status);
  r.reason = row.text();
  r.events_ms = row.optional_real();
  return r;
}

}  // namespace

Environment read_environment(SQLite::Database& database, std::int64_t id) {
  SQLite::Statement query(database,
                          std::string("SELECT ") + kEnvironmentColumns + " FROM environment e WHERE e.id = ?");
  Binder(query) << id;
  if (!query.executeStep()) throw SQLite::Exception("an environment is missing", SQLITE_CORRUPT);
  RowReader row(query);
  return environment_of(row);
}

std::vector<Sample> read_samples(SQLite::Database& database, std::int64_t measurement) {
  SQLite::Statement query(database,
                          "SELECT started_ns, duration_ns, launches, block, sm_clock_mhz, power_w, temperature_c, "
                          "throttle_bits, ifnull(t.value, '') FROM sample LEFT JOIN text t ON t.id = flag "
                          "WHERE measurement = ? ORDER BY ordinal");
  Binder(query) << measurement;
  std::vector<Sample> samples;
  while (query.executeStep()) {
    RowReader row(query);
    Sample& sample = samples.emplace_back();
    sample.started_ns = row.integer();
    sample.duration_ns = row.integer();
    sample.launches = row.integer();
    sample.block = row.integer();
    sample.sm_clock_mhz = row.optional_real();
    sample.power_w = row.optional_real();
    sample.temperature_c = row.optional_real();
    if (const auto bits = row.optional_integer()) sample.throttle_bits = static_cast<std::uint64_t>(*bits);
    sample.flag = row.text();
  }
  return samples;
}

std::optional<Measurement> read_measurement(SQLite::Database& database, std::int64_t id) {
  SQLite::Statement query(database,
                          std::string("SELECT ") + kKeyColumns +
                              ", k.source_hash, m.status, m.reason, m.error, m.workspace_bytes, m.started_unix_ns, "
                              "ifnull(m.interleave_group, -1), m.samples, m.median_ms, m.ci_low_ms, m.ci_high_ms, "
                              "m.quartile1_ms, m.quartile3_ms, m.min_ms, m.flagged, m.converged, m.sm_clock_mhz, "
                              "m.counters_note" +
                              kKeyTables + "WHERE m.id = ?");
  Binder(query) << id;
  if (!query.executeStep()) return std::nullopt;
  RowReader row(query);
  Measurement measurement;
  measurement.key = key_of(row);
  measurement.source_hash = row.text();
  measurement.status = row.named(parse_status);
  measurement.reason = row.text();
  measurement.error = row.optional_real();
  measurement.workspace_bytes = row.integer();
  measurement.started_unix_ns = row.integer();
  measurement.group = row.integer();
  measurement.summary = summary_of(row);
  measurement.counters_note = row.text();
  measurement.samples = read_samples(database, id);
  read_errors(database, id, measurement);
  read_cross_check(database, id, measurement);
  read_launches(database, id, measurement);
  read_counters(database, id, measurement);
  return measurement;
}

std::vector<SweepInfo> read_sweeps(SQLite::Database& database, std::optional<std::int64_t> sweep) {
  SQLite::Statement query(
      database,
      // Resuming may have measured all of it again: then the first of its measurements is its start.
      std::string("SELECT s.id, s.uuid, strftime('%Y-%m-%dT%H:%M:%SZ', "
                  "max(s.started_unix_ns, ifnull(min(m.started_unix_ns), 0)) / 1000000000, 'unixepoch'), "
                  "ifnull(strftime('%Y-%m-%dT%H:%M:%SZ', s.finished_unix_ns / 1000000000, 'unixepoch'), ''), "
                  "s.command, s.request, s.planned, ifnull(n.body, ''), s.starred, "
                  "count(*) FILTER (WHERE m.status = 'ok'), count(*) FILTER (WHERE m.status = 'failed'), "
                  "count(*) FILTER (WHERE m.status = 'skipped'), count(*) FILTER (WHERE m.status = 'cancelled'), ") +
          kEnvironmentColumns +
          " FROM sweep s JOIN environment e ON e.id = s.environment "
          "LEFT JOIN note n ON n.sweep = s.id AND n.measurement IS NULL LEFT JOIN measurement m ON m.sweep = s.id "
          "WHERE ?1 IS NULL OR s.id = ?1 GROUP BY s.id "
          "ORDER BY max(s.started_unix_ns, ifnull(min(m.started_unix_ns), 0)) DESC, s.id DESC");
  Binder(query) << sweep;
  std::vector<SweepInfo> sweeps;
  while (query.executeStep()) {
    RowReader row(query);
    SweepInfo& info = sweeps.emplace_back();
    info.id = row.integer();
    info.uuid = row.text();
    info.started = row.text();
    info.finished = row.text();
    info.command = row.text();
    info.request_json = row.text();
    info.planned = row.integer();
    info.note = row.text();
    info.starred = row.boolean();
    info.ok = row.integer();
    info.failed = row.integer();
    info.skipped = row.integer();
    info.cancelled = row.integer();
    info.environment = environment_of(row);
  }
  return sweeps;
}

std::vector<ResultRow> read_results(SQLite::Database& database, std::optional<std::int64_t> sweep) {
  SQLite::Statement query(database, sweep ? "SELECT * FROM result WHERE sweep = ? ORDER BY measurement"
                                          : "SELECT * FROM result ORDER BY measurement");
  if (sweep) Binder(query) << *sweep;
  std::vector<ResultRow> rows;
  while (query.executeStep()) rows.push_back(result_of(RowReader(query)));
  return rows;
}

std::vector<FinishedKey> read_finished_keys(SQLite::Database& database, std::int64_t sweep) {
  SQLite::Statement query(database, std::string("SELECT ") + kKeyColumns + ", k.source_hash" + kKeyTables +
                                        "WHERE m.sweep = ? AND m.status IN ('ok', 'skipped') ORDER BY m.id");
  Binder(query) << sweep;
  std::vector<FinishedKey> keys;
  while (query.executeStep()) {
    RowReader row(query);
    FinishedKey& finished = keys.emplace_back();
    finished.key = key_of(row);
    finished.source_hash = row.text();
  }
  return keys;
}

namespace {

// The measurements with samples of `sweep` for which `condition` holds.
std::vector<StoredMeasurement> read_measured(SQLite::Database& database, std::int64_t sweep,
                                             const std::string& condition) {
  SQLite::Statement query(database, std::string("SELECT ") + kKeyColumns + ", k.source_hash, m.id" + kKeyTables +
                                        "WHERE m.sweep = ? AND m.status = 'ok' AND " + condition + " ORDER BY m.id");
  Binder(query) << sweep;
  std::vector<StoredMeasurement> found;
  while (query.executeStep()) {
    RowReader row(query);
    StoredMeasurement& stored = found.emplace_back();
    stored.key = key_of(row);
    stored.source_hash = row.text();
    stored.row = row.integer();
  }
  return found;
}

}  // namespace

std::vector<StoredMeasurement> read_without_cross_check(SQLite::Database& database, std::int64_t sweep) {
  return read_measured(database, sweep,
                       "m.timing_source = 'cupti' AND NOT EXISTS (SELECT 1 FROM cross_check WHERE measurement = m.id)");
}

std::vector<StoredMeasurement> read_without_counters(SQLite::Database& database, std::int64_t sweep) {
  return read_measured(database, sweep,
                       "m.counters_note = '' AND NOT EXISTS (SELECT 1 FROM counter WHERE measurement = m.id)");
}

std::string read_note(SQLite::Database& database, std::int64_t measurement) {
  SQLite::Statement query(database, "SELECT body FROM note WHERE measurement = ?");
  Binder(query) << measurement;
  return query.executeStep() ? query.getColumn(0).getString() : std::string();
}

}  // namespace triscope
