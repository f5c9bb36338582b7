#include <fmt/format.h>
#include <sys/stat.h>

#include "kernels/base/error.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/open/private_folder.hpp"
#include "profiler/store/open/store_connection.hpp"
#include "profiler/store/open/store_error.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "profiler/store/store.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_values.hpp"
#include "profiler/store/unusable_measurement.hpp"

namespace triscope {
namespace {

// A number that changes with the file, its journal and its log; for connections that do not see other processes'
// writes by themselves.
std::int64_t file_version(const std::filesystem::path& file) {
  std::int64_t version = 0;
  for (const char* end : {"", "-journal", "-wal"}) {
    struct stat facts {};
    if (::stat((file.string() + end).c_str(), &facts) == 0)
      version += facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec + facts.st_size;
  }
  return version;
}

}  // namespace

struct Snapshot::Impl {
  Connection connection;
  std::chrono::milliseconds busy_timeout;
  std::stop_token cancel;
  std::int64_t file_version_read;

  // What single measurements of a sweep are asked for, one after the other, is read once.
  struct {
    std::int64_t sweep = 0, version = 0;
    TurnGroups groups;
  } known = {};

  /// Inside a read transaction.
  const TurnGroups& turn_groups(std::int64_t sweep) {
    const std::int64_t version = connection.database.execAndGet("PRAGMA data_version").getInt64();
    if (known.sweep != sweep || known.version != version)
      known = {sweep, version, read_turn_groups(connection.database, sweep)};
    return known.groups;
  }

  /// Runs `body(database)` in one read transaction.
  template <typename Body>
  auto read(Body&& body) {
    return translate_errors("read", connection.file, [&] {
      connection.begin_read();
      SQLite::Transaction transaction(connection.database);
      try {
        return body(connection.database);
      } catch (const UnusableRow& fault) {  // which is no damage of the file
        throw UnusableMeasurement(fmt::format("a row of the database {} cannot be used", connection.file.string()),
                                  fault.what(),
                                  with_database("use the others, which `triscope show` lists", connection.file));
      }
    });
  }

  std::vector<SweepInfo> sweeps(std::optional<std::int64_t> id) {
    std::vector<SweepInfo> found = read([id](SQLite::Database& database) { return read_sweeps(database, id); });
    for (SweepInfo& sweep : found) {
      sweep.running = sweep.finished.empty() && is_being_measured(connection.file, sweep.id);
    }
    return found;
  }
};

Snapshot::Snapshot(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout, std::stop_token cancel)
    : impl_(std::make_unique<Impl>(Impl{open_for_reading(file, busy_timeout, cancel), busy_timeout, cancel, 0, {}})) {
  impl_->file_version_read = file_version(impl_->connection.file);
}
Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;

std::vector<SweepInfo> Snapshot::sweeps() const { return impl_->sweeps(std::nullopt); }

std::optional<SweepInfo> Snapshot::sweep(std::int64_t id) const {
  std::vector<SweepInfo> found = impl_->sweeps(id);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<ResultRow> Snapshot::results(std::optional<std::int64_t> sweep) const {
  return impl_->read([sweep](SQLite::Database& database) { return read_results(database, sweep); });
}

std::optional<Measurement> Snapshot::measurement(std::int64_t id) const {
  return impl_->read([id](SQLite::Database& database) { return read_measurement(database, id, Times::stored); });
}

std::map<std::int64_t, std::string> Snapshot::times_faults(const std::vector<ResultRow>& rows) const {
  return impl_->read([&rows](SQLite::Database& database) { return read_times_faults(database, rows); });
}

std::vector<Sample> Snapshot::samples(std::int64_t measurement) const {
  return impl_->read([measurement](SQLite::Database& database) { return read_samples(database, measurement); });
}

std::optional<ResultRow> Snapshot::result(std::int64_t measurement) const {
  return impl_->read([measurement](SQLite::Database& database) { return read_result(database, measurement); });
}

SampleSeries Snapshot::series(std::int64_t measurement) const {
  return impl_->read([this, measurement](SQLite::Database& database) {
    auto found = read_series(database, "measurement.id = ?", measurement);
    if (found.empty()) return SampleSeries();
    SQLite::Statement query(database, "SELECT sweep FROM measurement WHERE id = ?");
    Binder(query) << measurement;
    SampleSeries& series = found.begin()->second;
    if (query.executeStep()) set_companions(series, measurement, impl_->turn_groups(query.getColumn(0).getInt64()));
    return std::move(series);
  });
}

std::unordered_map<std::int64_t, std::set<std::string>> Snapshot::companions(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) {
    const TurnGroups groups = read_turn_groups(database, sweep);
    SQLite::Statement query(
        database, "SELECT id, interleave_group FROM measurement WHERE sweep = ? AND interleave_group NOTNULL");
    Binder(query) << sweep;
    std::unordered_map<std::int64_t, std::set<std::string>> all;
    while (query.executeStep()) {
      const std::int64_t measurement = query.getColumn(0).getInt64();
      const auto group = groups.find(query.getColumn(1).getInt64());
      if (group != groups.end()) all.emplace(measurement, group->second.beside(measurement));
    }
    return all;
  });
}

std::unordered_map<std::int64_t, SampleSeries> Snapshot::series_of_sweep(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) {
    auto all = read_series(database, "measurement.sweep = ?", sweep);
    const TurnGroups groups = read_turn_groups(database, sweep);
    for (auto& [measurement, series] : all) set_companions(series, measurement, groups);
    return all;
  });
}

std::vector<std::pair<Environment, std::vector<std::int64_t>>> Snapshot::environments(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) { return read_environments(database, sweep); });
}

std::optional<Environment> Snapshot::environment(std::int64_t measurement) const {
  return impl_->read([measurement](SQLite::Database& database) -> std::optional<Environment> {
    SQLite::Statement query(database, "SELECT environment FROM measurement WHERE id = ?");
    Binder(query) << measurement;
    if (!query.executeStep()) return std::nullopt;
    try {
      return read_environment(database, query.getColumn(0).getInt64());
    } catch (const UnusableRow&) {
      return std::nullopt;
    }
  });
}

std::vector<FinishedKey> Snapshot::finished_keys(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) { return read_finished_keys(database, sweep); });
}

std::vector<StoredMeasurement> Snapshot::without_cross_check(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) { return read_without_cross_check(database, sweep); });
}

std::vector<StoredMeasurement> Snapshot::without_counters(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) { return read_without_counters(database, sweep); });
}

std::unordered_map<std::int64_t, double> Snapshot::counter_values(const std::string& name) const {
  return impl_->read([&name](SQLite::Database& database) { return read_counter_values(database, name); });
}

SweepSpread Snapshot::spread(std::int64_t sweep) const {
  return impl_->read([sweep](SQLite::Database& database) { return read_spread(database, sweep); });
}

std::string Snapshot::note(std::int64_t measurement) const {
  return impl_->read([measurement](SQLite::Database& database) { return read_note(database, measurement); });
}

std::int64_t Snapshot::data_version() const {
  impl_->connection.require_unmoved();
  if (!impl_->connection.immutable && !impl_->connection.in_memory) {
    return translate_errors("read", impl_->connection.file,
                            [&] { return impl_->connection.database.execAndGet("PRAGMA data_version").getInt64(); });
  }
  const std::int64_t now = file_version(impl_->connection.file);
  if (now != impl_->file_version_read) {
    impl_->connection = open_for_reading(impl_->connection.file, impl_->busy_timeout, impl_->cancel);
    impl_->known = {};
    impl_->file_version_read = now;
  }
  return now;
}

void Snapshot::save_copy(const std::filesystem::path& file) const {
  const std::string what = fmt::format("the copy {} was not saved", file.string());
  for (const char* end : {"-journal", "-wal", "-shm"}) {
    const std::filesystem::path companion = file.string() + end;
    if (!std::filesystem::exists(std::filesystem::symlink_status(companion))) continue;
    throw Error(what, fmt::format("{} exists and belongs to another database", companion.filename().string()),
                "choose another name", ExitCode::usage);
  }
  try {
    const PrivateFolder unfinished(std::filesystem::absolute(file).parent_path());
    translate_errors("write to", file, [&] {
      SQLite::Database copy(unfinished.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      copy_pages(copy, impl_->connection.database, *impl_->connection.patience);
    });
    std::filesystem::rename(unfinished.database(), file);
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(what, error.code().message(), "choose another place");
  }
}

std::vector<std::string> Snapshot::damage() const {
  return impl_->read([](SQLite::Database& database) {
    std::vector<std::string> found;
    try {
      SQLite::Statement integrity(database, "PRAGMA integrity_check(20)");
      while (integrity.executeStep()) {
        const std::string line = integrity.getColumn(0).getString();
        if (line != "ok") found.push_back(line);
      }
      if (!found.empty()) return found;  // the next check would stumble over the same pages
      SQLite::Statement keys(database, "PRAGMA foreign_key_check");
      while (keys.executeStep()) {
        found.push_back("a row of " + keys.getColumn(0).getString() + " refers to a missing row of " +
                        keys.getColumn(2).getString());
      }
    } catch (const SQLite::Exception& exception) {
      if ((exception.getErrorCode() & 0xff) != SQLITE_CORRUPT) throw;
      found.emplace_back(exception.what());
    }
    return found;
  });
}

}  // namespace triscope
