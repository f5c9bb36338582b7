// The SQLite database: one writer at a time, any number of readers. Schema: assets/schema.sql, docs/schema.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/stored_measurement.hpp"

namespace triscope {

/// How long a write waits for another process's write to end.
inline constexpr std::chrono::milliseconds kBusyTimeout{5000};

/// How `Store::import` treats what comes from elsewhere.
struct ImportRules {
  /// Why a stored request cannot be used (JSON, as in `SweepInfo::request_json`); empty: it can.
  std::function<std::string(const std::string&)> request_fault = [](const std::string&) { return std::string(); };
  /// Told what was left out and why, one sentence each, without a full stop.
  std::function<void(const std::string&)> left_out = [](const std::string&) {};
  std::stop_token cancel{};  ///< after a stop it ends with an `Error`, and nothing is copied
};

/// Read and write access. Creates the file and folders when absent, migrates older schemas in a transaction (after a
/// copy beside the file), refuses newer ones and files that are no Triscope database. Several stores may be open on one
/// file, in one or more processes: each write is one short transaction. Not thread-safe: one per thread.
/// Errors (throws `Error`): a folder or special file, unreadable, read-only, locked for longer than `busy_timeout`, not
/// a database, wrong application_id, newer user_version, damaged, moved or deleted while open, disk full.
/// A failed write leaves the file as it was; a committed one survives kill -9 and a power cut.
class Store {
 public:
  explicit Store(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout = kBusyTimeout);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Starts a sweep; `planned` is the number of measurements in its plan. Returns its row id.
  std::int64_t begin_sweep(const std::string& command, const std::string& request_json, const Environment& environment,
                           std::int64_t planned);
  /// Continues `sweep`: it is unfinished again, and what `add` writes from here on was measured in `environment` (which
  /// may differ from the sweep's first: another driver, another build). Throws `Error` (usage) when there is no such
  /// sweep.
  void resume_sweep(std::int64_t sweep, const Environment& environment);
  /// Replaces the stored request of `sweep`. Throws `Error` (usage) when there is no such sweep.
  void set_request(std::int64_t sweep, const std::string& request_json);
  /// How kernels are shown (`KernelInfo::card`): stored with the first measurement of each that `add` writes.
  void know_kernels(const std::vector<KernelInfo>& kernels);
  /// Writes one measurement with all it carries in one short transaction; returns its row id. A non-ok row of the same
  /// key in the same sweep is replaced and keeps its row id and note (that is what resuming does). An ok row is
  /// replaced only when the kernel has changed since (another `source_hash`) or it is of another environment, and not
  /// by a cancelled one, which is dropped; a second row of the same kernel and environment is refused.
  std::int64_t add(std::int64_t sweep, const Measurement& measurement);
  /// The same for several, in one transaction; returns their row ids.
  std::vector<std::int64_t> add(std::int64_t sweep, std::span<const Measurement> measurements);
  /// What other processes add to a stored measurement: its time by another clock; hardware counters, or in
  /// `note` why there are none. Replaces what was there. Throw `Error` (usage) when there is no such measurement.
  void set_cross_check(std::int64_t measurement, const CrossCheck& check);
  void set_counters(std::int64_t measurement, const std::vector<Counter>& counters, const std::string& note);
  /// Adds a restart's samples to stored measurements of `sweep`, with the summaries and the spread that follow from it;
  /// all in one transaction. Throws `Error` (usage) when there is no such measurement.
  void update(std::int64_t sweep, std::span<const MeasurementUpdate> updates, const SweepSpread& spread);
  /// Stores what the reference `measurement` sampled in turns with the measurements of `group`, in the place of what is
  /// there of the same restarts. Throws `Error` (usage) when there is no such measurement.
  void set_turns(std::int64_t measurement, std::int64_t group, std::span<const Sample> samples);
  void finish_sweep(std::int64_t sweep);
  /// An empty note deletes it.
  void set_note(std::int64_t sweep, const std::string& note);
  void set_starred(std::int64_t sweep, bool starred);
  void set_measurement_note(std::int64_t measurement, const std::string& note);
  /// Deletes a sweep and all that belongs to it. Throws `Error` (usage) while it is being measured.
  void delete_sweep(std::int64_t sweep);
  /// Copies sweeps of `file` that this database does not hold yet (identity: a random id given at begin_sweep), and the
  /// measurements that partly copied sweeps lack; a row here is replaced by one of `file` that is further (ok,
  /// restarts, turns, cross-check, counters). Returns how many were copied. All or nothing; `file` is only read. Left
  /// out: a row that cannot be used, a sweep without environment or measured right now, a request that cannot be
  /// resumed.
  std::int64_t import(const std::filesystem::path& file, const ImportRules& rules = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Throws `Error` when another program keeps the existing database `file` locked for longer than `busy_timeout`, so
/// that nothing could be stored. Writes nothing.
void require_unlocked(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout = kBusyTimeout);

/// Makes the view `result` of the existing database `file` anew from its tables, whatever stands in its place. Throws
/// `Error`: as `Store`, and when the tables are not ours either.
void rebuild_view(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout = kBusyTimeout);

/// Read-only view of a database, safe beside writers in other processes. Each call reads one consistent state;
/// `results` and the like see what was committed before the call. Opens immutable when the folder or file is read-only
/// or there is no room, and no write-ahead log lies beside it. Never changes the contents. A database with an older
/// schema is read through a migrated copy in memory. Every file but the default database counts as a stranger's:
/// SECURITY.md says how it is read. A row that cannot be used is `failed` and says why. Not thread-safe: one per
/// thread. Errors: as `Store`, and a file that does not exist or is empty.
class Snapshot {
 public:
  /// After a stop of `cancel`, also while it waits for a lock, opening and reading end with an `Error`.
  explicit Snapshot(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout = kBusyTimeout,
                    std::stop_token cancel = {});
  ~Snapshot();
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;

  std::vector<SweepInfo> sweeps() const;  ///< newest first
  std::optional<SweepInfo> sweep(std::int64_t id) const;
  /// Rows of the `result` view, of one sweep or of all, in measurement order.
  std::vector<ResultRow> results(std::optional<std::int64_t> sweep = std::nullopt) const;
  /// Of those of `rows` whose stored median or interval is not that of their samples, by row id: what it says and what
  /// they say, as the reason of `measurement` has it. Reads the samples of all `rows`.
  std::map<std::int64_t, std::string> times_faults(const std::vector<ResultRow>& rows) const;
  /// One measurement with samples, launches and counters; nullopt when there is none. Throws `Error` when its row
  /// cannot be used.
  std::optional<Measurement> measurement(std::int64_t id) const;
  std::vector<Sample> samples(std::int64_t measurement) const;
  /// The row of one measurement in the `result` view; nullopt when there is none.
  std::optional<ResultRow> result(std::int64_t measurement) const;
  /// The samples of one measurement (empty when there is none), and of all of a sweep in one pass, by row id.
  SampleSeries series(std::int64_t measurement) const;
  std::unordered_map<std::int64_t, SampleSeries> series_of_sweep(std::int64_t sweep) const;
  /// The kernels that each measurement of `sweep` took turns with, as its series has them; without its samples.
  std::unordered_map<std::int64_t, std::set<std::string>> companions(std::int64_t sweep) const;
  /// Where the measurements of `sweep` were taken: each environment with its row ids, both in measurement order.
  std::vector<std::pair<Environment, std::vector<std::int64_t>>> environments(std::int64_t sweep) const;
  /// Where `measurement` was taken, unless nobody can say; differs from its sweep's after resuming elsewhere.
  std::optional<Environment> environment(std::int64_t measurement) const;
  /// Measurements of `sweep` that are finished (ok or skipped). They are not repeated unless the kernel has changed.
  std::vector<FinishedKey> finished_keys(std::int64_t sweep) const;
  /// Measurements of `sweep` that CUPTI timed and that have no cross-check yet, because the sweep ended before it.
  std::vector<StoredMeasurement> without_cross_check(std::int64_t sweep) const;
  /// Measurements of `sweep` that have neither hardware counters nor a reason why there are none.
  std::vector<StoredMeasurement> without_counters(std::int64_t sweep) const;
  /// Of the hardware counter `name` ("dram__bytes_read.sum"): its value by measurement, of those that have one.
  std::unordered_map<std::int64_t, double> counter_values(const std::string& name) const;
  /// How much the rows of `sweep` change between restarts; nothing known when there is no such sweep.
  SweepSpread spread(std::int64_t sweep) const;
  std::string note(std::int64_t measurement) const;  ///< empty when there is none
  /// Changes when another connection has written. Throws `Error` when the file was moved, deleted or replaced: open it
  /// anew.
  std::int64_t data_version() const;
  /// Writes the whole database to `file`, replacing it; works while the connection lives, even when the database's own
  /// file was deleted. Throws `Error` when it cannot be written (the old `file` then stays) or when a write-ahead log
  /// of another database lies beside it.
  void save_copy(const std::filesystem::path& file) const;
  /// What SQLite's integrity and foreign key checks find wrong, one sentence each; empty: sound. Reads the whole file.
  std::vector<std::string> damage() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triscope
