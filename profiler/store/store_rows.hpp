// Rows of the database as plain data: what Store writes, Snapshot reads and import copies. Callers hold the
// transaction.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/store/stored_measurement.hpp"

namespace triscope {

struct ImportRules;

/// Numbers computed once, when a measurement is stored, so that the `result` view is plain SQL.
struct Derived {
  std::optional<double> useful_flops;  ///< of one launch, exact count
  std::optional<double> paper_flops;   ///< of one launch, the paper's count
};
Derived derive(const MeasurementKey& key);

/// Row id of an equal row, which is written when there is none.
std::int64_t intern_environment(SQLite::Database& database, const Environment& environment);

/// How the kernel of a stored measurement is shown: writes what is not known yet, reads what is (nullopt: nothing).
void write_kernel_card(SQLite::Database& database, std::int64_t measurement, const KernelCard& card);
std::optional<KernelCard> read_kernel_card(SQLite::Database& database, std::int64_t measurement);

/// A measurement of `sweep` with the same key, if there is one.
struct ExistingRow {
  std::int64_t id = 0;
  Status status = Status::ok;
  std::string source_hash;
  std::int64_t environment = 0;  ///< its row
};
std::optional<ExistingRow> find_measurement(SQLite::Database& database, std::int64_t sweep, const MeasurementKey& key);
/// Throws `UnusableRow`, which names the row, when `find_measurement` could not read one of `sweep`.
void require_readable_rows(SQLite::Database& database, std::int64_t sweep);

/// Writes `measurement` and all it carries; takes the place, row id and note of `replaced`. Returns the row id.
std::int64_t write_measurement(SQLite::Database& database, std::int64_t sweep, std::int64_t environment,
                               const Measurement& measurement, const Derived& derived,
                               std::optional<std::int64_t> replaced);

/// Adds samples to a measurement that is there, and replaces its summary, status and reason.
void update_measurement(SQLite::Database& database, const MeasurementUpdate& one);
/// Puts what a reference sampled in turns with `group` into the place of what is there of the same restarts.
void write_turns(SQLite::Database& database, std::int64_t measurement, std::int64_t group,
                 std::span<const Sample> samples);
void write_spread(SQLite::Database& database, std::int64_t sweep, const SweepSpread& spread);

/// Writes, or replaces, what is learnt about `measurement` after it was stored.
void write_cross_check(SQLite::Database& database, std::int64_t measurement, const CrossCheck& check);
void write_counters(SQLite::Database& database, std::int64_t measurement, const std::vector<Counter>& counters);

/// Notes: `measurement` unset means the sweep's. An empty body deletes.
void write_note(SQLite::Database& database, std::int64_t sweep, std::optional<std::int64_t> measurement,
                const std::string& body);
std::string read_note(SQLite::Database& database, std::int64_t measurement);

Environment read_environment(SQLite::Database& database, std::int64_t id);
/// Which times a measurement has where those that are stored disagree with its samples; its reason then says so.
enum class Times {
  stored,      ///< as in every table
  of_samples,  ///< computed again
};
/// Throws `UnusableRow`: with stored times where the row itself cannot be used in a table either, and always where its
/// samples cannot. Of what else belongs to it the parts that cannot be used are left out: its reason says which, and
/// so does `left_out`, a sentence for each.
std::optional<Measurement> read_measurement(SQLite::Database& database, std::int64_t id, Times times,
                                            std::vector<std::string>* left_out = nullptr);
/// As `Snapshot::times_faults`.
std::map<std::int64_t, std::string> read_times_faults(SQLite::Database& database, const std::vector<ResultRow>& rows);
SweepSpread read_spread(SQLite::Database& database, std::int64_t sweep);
std::vector<Sample> read_samples(SQLite::Database& database, std::int64_t measurement);
std::map<std::int64_t, std::vector<Sample>> read_turns(SQLite::Database& database, std::int64_t measurement);
std::vector<SweepInfo> read_sweeps(SQLite::Database& database, std::optional<std::int64_t> sweep);
std::vector<ResultRow> read_results(SQLite::Database& database, std::optional<std::int64_t> sweep);
std::optional<ResultRow> read_result(SQLite::Database& database, std::int64_t measurement);
/// The same. Throws `UnusableRow` instead of a row that says so.
std::optional<ResultRow> read_usable_result(SQLite::Database& database, std::int64_t measurement);
/// Of all measurements that have the counter `name`.
std::unordered_map<std::int64_t, double> read_counter_values(SQLite::Database& database, const std::string& name);
/// A file may hold a group of more kernels than any sweep measures: of such a group those that come first by name.
inline constexpr std::size_t kMostCompanions = 100;

/// The measurements of a group of turns.
struct TurnGroup {
  std::unordered_map<std::int64_t, std::string> kernel_of;
  std::map<std::string, std::size_t> measurements;  ///< of each kernel

  void add(std::int64_t measurement, std::string kernel);
  /// The kernels of all but one.
  std::set<std::string> beside(std::int64_t measurement) const;
};
using TurnGroups = std::unordered_map<std::int64_t, TurnGroup>;  ///< by their number

/// The groups of a sweep, with those rows of other groups that took turns with them. Reads all its measurements.
TurnGroups read_turn_groups(SQLite::Database& database, std::int64_t sweep);
/// The series of the measurements for which `condition` on `measurement` holds; its parameter is `value`. Without their
/// companions.
std::unordered_map<std::int64_t, SampleSeries> read_series(SQLite::Database& database, const char* condition,
                                                           std::int64_t value);
void set_companions(SampleSeries& series, std::int64_t measurement, const TurnGroups& groups);
std::vector<std::pair<Environment, std::vector<std::int64_t>>> read_environments(SQLite::Database& database,
                                                                                 std::int64_t sweep);
std::vector<FinishedKey> read_finished_keys(SQLite::Database& database, std::int64_t sweep);
std::vector<StoredMeasurement> read_without_cross_check(SQLite::Database& database, std::int64_t sweep);
std::vector<StoredMeasurement> read_without_counters(SQLite::Database& database, std::int64_t sweep);

/// Copies what `from`, which is open as `file`, holds and `target`, which is `target_file`, lacks, see Store::import.
/// Returns the number of measurements copied. Throws `Error`, which names `file`, when `from` cannot be read; SQLite's
/// exceptions are the target's.
std::int64_t copy_sweeps(SQLite::Database& target, const std::filesystem::path& target_file, SQLite::Database& from,
                         const std::filesystem::path& file, const ImportRules& rules);

}  // namespace triscope
