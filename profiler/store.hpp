// The SQLite database: one writer, any number of readers. Schema: assets/schema.sql, docs/schema.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measurement.hpp"

namespace triscope {

/// $XDG_DATA_HOME/triscope/results.db, or ~/.local/share/triscope/results.db.
std::filesystem::path default_database();

/// Read and write access. Creates the file and folders when absent, migrates older schemas in a transaction (after a
/// copy beside the file), refuses newer ones and files that are no Triscope database. Not thread-safe: one per thread.
/// Errors (throws `Error`): unreadable, read-only, locked for longer than 5 s, not a database, wrong application_id,
/// newer user_version, disk full. A failed write leaves the file as it was.
class Store {
 public:
  explicit Store(const std::filesystem::path& file);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Starts a sweep; `planned` is the number of measurements in its plan.
  std::int64_t begin_sweep(const std::string& command, const std::string& request_json, const Environment& environment,
                           std::int64_t planned);
  /// Writes one measurement with all it carries in one short transaction; returns its row id. A non-ok row of the same
  /// key in the same sweep is replaced (that is what resuming does); a second ok row for one key is refused.
  std::int64_t add(std::int64_t sweep, const Measurement& measurement);
  void finish_sweep(std::int64_t sweep);
  void set_note(std::int64_t sweep, const std::string& note);
  void set_starred(std::int64_t sweep, bool starred);
  void set_measurement_note(std::int64_t measurement, const std::string& note);
  /// Deletes a sweep and all that belongs to it.
  void delete_sweep(std::int64_t sweep);
  /// Copies sweeps of `file` that this database does not hold yet (identity: a random id given at begin_sweep), and the
  /// measurements that partly copied sweeps lack. Returns how many measurements were copied. All or nothing.
  std::int64_t import(const std::filesystem::path& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Consistent read-only view of a database: opens immutable when the folder or file is read-only and no WAL lies beside it.
/// Safe beside a writer in another process. Not thread-safe: one per thread.
class Snapshot {
 public:
  explicit Snapshot(const std::filesystem::path& file);
  ~Snapshot();
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;

  std::vector<SweepInfo> sweeps() const;                      ///< newest first
  std::optional<SweepInfo> sweep(std::int64_t id) const;
  /// Rows of the `result` view, of one sweep or of all, in measurement order.
  std::vector<ResultRow> results(std::optional<std::int64_t> sweep = std::nullopt) const;
  /// One measurement with samples, launches and counters; nullopt when there is none.
  std::optional<Measurement> measurement(std::int64_t id) const;
  std::vector<Sample> samples(std::int64_t measurement) const;
  /// Keys of `sweep` that are finished (ok or skipped) and need no re-measuring.
  std::vector<MeasurementKey> finished_keys(std::int64_t sweep) const;
  std::string note(std::int64_t measurement) const;
  /// SQLite's data_version: changes when another connection has written.
  std::int64_t data_version() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triscope
