#include <map>
#include <string_view>

#include "kernels/attention/flops.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_values.hpp"

namespace triscope {
namespace {

// Row ids of interned strings, remembered for the length of one write.
class InternedTexts {
 public:
  explicit InternedTexts(SQLite::Database& database)
      : insert_(database, "INSERT OR IGNORE INTO text(value) VALUES (?)"),
        find_(database, "SELECT id FROM text WHERE value = ?") {}

  std::int64_t id(const std::string& value) {
    const auto known = ids_.find(value);
    if (known != ids_.end()) return known->second;
    Binder(insert_) << value;
    insert_.exec();
    Binder(find_) << value;
    find_.executeStep();
    return ids_.emplace(value, find_.getColumn(0).getInt64()).first->second;
  }
  /// Empty strings become NULL.
  std::optional<std::int64_t> optional_id(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(id(value));
  }

 private:
  SQLite::Statement insert_;
  SQLite::Statement find_;
  std::map<std::string, std::int64_t> ids_;
};

void write_errors(SQLite::Database& database, InternedTexts& texts, std::int64_t id, const Measurement& measurement) {
  SQLite::Statement insert(database, "INSERT INTO output_error(measurement, output, error) VALUES (?, ?, ?)");
  for (const auto& [output, error] : measurement.errors) {
    Binder(insert) << id << texts.id(output) << error;
    insert.exec();
  }
}

void write_samples(SQLite::Database& database, InternedTexts& texts, std::int64_t id, const Measurement& measurement) {
  SQLite::Statement insert(database,
                           "INSERT INTO sample(measurement, ordinal, started_ns, duration_ns, launches, block, "
                           "sm_clock_mhz, power_w, temperature_c, throttle_bits, flag) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t ordinal = 0;
  for (const Sample& sample : measurement.samples) {
    Binder(insert) << id << ordinal++ << sample.started_ns << sample.duration_ns << sample.launches << sample.block
                   << sample.sm_clock_mhz << sample.power_w << sample.temperature_c << sample.throttle_bits
                   << texts.optional_id(sample.flag);
    insert.exec();
  }
}

void write_launches(SQLite::Database& database, InternedTexts& texts, std::int64_t id, const Measurement& measurement) {
  SQLite::Statement insert(database,
                           "INSERT INTO launch(measurement, ordinal, name, grid_x, grid_y, grid_z, block_x, block_y, "
                           "block_z, cluster_x, cluster_y, cluster_z, registers_per_thread, static_shared_bytes, "
                           "dynamic_shared_bytes, local_bytes_per_thread, start_ns, end_ns) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t ordinal = 0;
  for (const LaunchRecord& launch : measurement.launches) {
    Binder bind(insert);
    bind << id << ordinal++ << texts.id(launch.name);
    for (const std::int64_t extent : launch.grid) bind << extent;
    for (const std::int64_t extent : launch.block) bind << extent;
    for (const std::int64_t extent : launch.cluster) bind << extent;
    bind << launch.registers_per_thread << launch.static_shared_bytes << launch.dynamic_shared_bytes
         << launch.local_bytes_per_thread << launch.start_ns << launch.end_ns;
    insert.exec();
  }
}

// The row of `measurement` itself; `id` unset lets SQLite choose.
std::int64_t write_row(SQLite::Database& database, std::optional<std::int64_t> id, std::int64_t sweep,
                       std::int64_t environment, const Measurement& measurement, const Derived& derived) {
  const MeasurementKey& key = measurement.key;
  const Summary& summary = measurement.summary;
  const bool measured = summary.samples > 0;
  const auto of_samples = [&](double value) { return measured ? std::optional(value) : std::nullopt; };
  SQLite::Statement insert(
      database,
      "INSERT INTO measurement(id, sweep, environment, config, kernel, instance, pass, device_id, timing_source, "
      "regime, status, reason, started_unix_ns, interleave_group, workspace_bytes, error, useful_flops, paper_flops, "
      "peak_tflops, median_ms, ci_low_ms, ci_high_ms, quartile1_ms, quartile3_ms, min_ms, samples, flagged, converged, "
      "sm_clock_mhz, counters_note) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Binder(insert) << id << sweep << environment << intern_config(database, key.problem)
                 << intern_kernel(database, key.kernel, measurement.source_hash) << key.instance << to_string(key.pass)
                 << key.device_id << to_string(key.timing_source) << to_string(key.regime)
                 << to_string(measurement.status) << measurement.reason
                 << (measurement.started_unix_ns != 0 ? measurement.started_unix_ns : unix_now_ns())
                 << (measurement.group >= 0 ? std::optional(measurement.group) : std::nullopt)
                 << measurement.workspace_bytes << measurement.error << derived.useful_flops << derived.paper_flops
                 << derived.peak_tflops << of_samples(summary.median_ms) << of_samples(summary.ci_low_ms)
                 << of_samples(summary.ci_high_ms) << of_samples(summary.quartile1_ms)
                 << of_samples(summary.quartile3_ms) << of_samples(summary.min_ms) << summary.samples << summary.flagged
                 << summary.converged << summary.sm_clock_mhz << measurement.counters_note;
  insert.exec();
  return database.getLastInsertRowid();
}

}  // namespace

Derived derive(const Measurement& measurement, const Environment& environment) {
  Derived derived;
  const MeasurementKey& key = measurement.key;
  if (validate(key.problem).empty()) {
    derived.useful_flops = useful_flops(key.problem, key.pass);
    derived.paper_flops = paper_flops(key.problem, key.pass);
  }
  // The peak is that of the environment's device, for bf16; a CPU has none (docs/method.md).
  if (key.device_id != environment.device_id || !environment.peak_tflops) return derived;
  if (key.problem.element != Element::bf16) return derived;
  const std::optional<double> clock = measurement.summary.sm_clock_mhz;
  if (clock && environment.max_sm_clock_mhz) {
    derived.peak_tflops = *environment.peak_tflops * *clock / *environment.max_sm_clock_mhz;
  }
  return derived;
}

std::int64_t intern_environment(SQLite::Database& database, const Environment& environment) {
  constexpr std::string_view kColumns =
      "device_id, device_name, device_uuid, driver_version, cuda_version, cupti_version, power_limit_w, "
      "max_sm_clock_mhz, max_memory_clock_mhz, peak_tflops, host, cpu_model, cpu_threads, os, triscope_version, "
      "git_commit, compiler, compile_flags";
  const auto bind = [&](SQLite::Statement& statement) {
    const Environment& e = environment;
    Binder(statement) << e.device_id << e.device_name << e.device_uuid << e.driver_version << e.cuda_version
                      << e.cupti_version << e.power_limit_w << e.max_sm_clock_mhz << e.max_memory_clock_mhz
                      << e.peak_tflops << e.host << e.cpu_model << e.cpu_threads << e.os << e.triscope_version
                      << e.git_commit << e.compiler << e.compile_flags;
  };
  const std::string columns(kColumns);
  SQLite::Statement find(database, "SELECT id FROM environment WHERE (" + columns +
                                       ") IS (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  bind(find);
  if (find.executeStep()) return find.getColumn(0).getInt64();
  SQLite::Statement insert(database, "INSERT INTO environment(" + columns +
                                         ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  bind(insert);
  insert.exec();
  return database.getLastInsertRowid();
}

std::int64_t intern_config(SQLite::Database& database, const Problem& problem) {
  const auto bind = [&](SQLite::Statement& statement) {
    const Problem& p = problem;
    Binder(statement) << p.window1 << p.window2 << p.seq_len << to_string(p.form) << to_string(p.mask)
                      << to_string(p.element) << p.deterministic << p.batch << p.q_heads << p.kv_heads << p.head_dim
                      << p.k2_bias << p.v2_bias << p.scale << p.sink;
  };
  SQLite::Statement find(database,
                         "SELECT id FROM config WHERE window1 = ? AND window2 = ? AND seq_len = ? AND form = ? AND "
                         "mask = ? AND element = ? AND deterministic = ? AND batch = ? AND q_heads = ? AND "
                         "kv_heads = ? AND head_dim = ? AND k2_bias = ? AND v2_bias = ? AND scale IS ? AND sink IS ?");
  bind(find);
  if (find.executeStep()) return find.getColumn(0).getInt64();
  SQLite::Statement insert(database,
                           "INSERT INTO config(window1, window2, seq_len, form, mask, element, deterministic, batch, "
                           "q_heads, kv_heads, head_dim, k2_bias, v2_bias, scale, sink) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  bind(insert);
  insert.exec();
  return database.getLastInsertRowid();
}

std::int64_t intern_kernel(SQLite::Database& database, const std::string& name, const std::string& source_hash) {
  SQLite::Statement insert(database, "INSERT OR IGNORE INTO kernel(name, source_hash) VALUES (?, ?)");
  Binder(insert) << name << source_hash;
  insert.exec();
  SQLite::Statement find(database, "SELECT id FROM kernel WHERE name = ? AND source_hash = ?");
  Binder(find) << name << source_hash;
  find.executeStep();
  return find.getColumn(0).getInt64();
}

std::optional<ExistingRow> find_measurement(SQLite::Database& database, std::int64_t sweep, const MeasurementKey& key) {
  // By the kernel's name: its source may have changed before the sweep was resumed.
  SQLite::Statement find(
      database,
      "SELECT m.id, m.status, k.source_hash FROM measurement m JOIN kernel k ON k.id = m.kernel WHERE m.sweep = ? "
      "AND m.config = ? AND k.name = ? AND m.instance = ? AND m.pass = ? AND m.device_id = ? AND "
      "m.timing_source = ? AND m.regime = ?");
  Binder(find) << sweep << intern_config(database, key.problem) << key.kernel << key.instance << to_string(key.pass)
               << key.device_id << to_string(key.timing_source) << to_string(key.regime);
  if (!find.executeStep()) return std::nullopt;
  RowReader row(find);
  ExistingRow existing;
  existing.id = row.integer();
  existing.status = row.named(parse_status);
  existing.source_hash = row.text();
  return existing;
}

std::int64_t write_measurement(SQLite::Database& database, std::int64_t sweep, std::int64_t environment,
                               const Measurement& measurement, const Derived& derived,
                               std::optional<std::int64_t> replaced) {
  std::string note;
  if (replaced) {
    note = read_note(database, *replaced);
    SQLite::Statement remove(database, "DELETE FROM measurement WHERE id = ?");
    Binder(remove) << *replaced;
    remove.exec();
  }
  const std::int64_t id = write_row(database, replaced, sweep, environment, measurement, derived);
  InternedTexts texts(database);
  write_errors(database, texts, id, measurement);
  write_samples(database, texts, id, measurement);
  write_launches(database, texts, id, measurement);
  if (measurement.cross_check) write_cross_check(database, id, *measurement.cross_check);
  write_counters(database, id, measurement.counters);
  if (!note.empty()) write_note(database, sweep, id, note);
  return id;
}

void write_cross_check(SQLite::Database& database, std::int64_t measurement, const CrossCheck& check) {
  SQLite::Statement insert(database,
                           "INSERT OR REPLACE INTO cross_check(measurement, timing_source, median_ms, ci_low_ms, "
                           "ci_high_ms, samples, reason) VALUES (?, ?, ?, ?, ?, ?, ?)");
  Binder(insert) << measurement << to_string(check.timing_source) << check.median_ms << check.ci_low_ms
                 << check.ci_high_ms << check.samples << check.reason;
  insert.exec();
}

void write_counters(SQLite::Database& database, std::int64_t measurement, const std::vector<Counter>& counters) {
  SQLite::Statement remove(database, "DELETE FROM counter WHERE measurement = ?");
  Binder(remove) << measurement;
  remove.exec();
  InternedTexts texts(database);
  SQLite::Statement insert(database,
                           "INSERT INTO counter(measurement, ordinal, name, unit, value) VALUES (?, ?, ?, ?, ?)");
  std::int64_t ordinal = 0;
  for (const Counter& counter : counters) {
    Binder(insert) << measurement << ordinal++ << texts.id(counter.name) << texts.id(counter.unit) << counter.value;
    insert.exec();
  }
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
