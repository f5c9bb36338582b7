#include "profiler/store/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>

#include "kernels/base/error.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/open/store_connection.hpp"
#include "profiler/store/open/store_error.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

std::string random_id() {
  std::random_device entropy;
  std::string id;
  for (int word = 0; word < 4; ++word) id += fmt::format("{:08x}", static_cast<std::uint32_t>(entropy()));
  return id;
}

// SQLite calls it a full disk, too, when a table has no row number left.
bool row_numbers_are_used_up(SQLite::Database& database) {
  try {
    return database.execAndGet("SELECT max(seq) FROM sqlite_sequence").getInt64() ==
           std::numeric_limits<std::int64_t>::max();
  } catch (const SQLite::Exception&) {
    return false;
  }
}

}  // namespace

struct Store::Impl {
  Connection connection;
  std::map<std::int64_t, std::int64_t> resumed_in{};  ///< environment row by sweep, see resume_sweep
  std::map<std::string, KernelCard> cards{};          ///< by kernel id, see know_kernels

  /// Runs `body(database)` in one write transaction.
  template <typename Body>
  auto write(Body&& body) {
    return translate_errors("write to", connection.file, [&] {
      connection.require_unmoved();
      // A database that was made for this write, and does not take it, goes again.
      if (connection.made) connection.made->give_up();
      SQLite::Transaction transaction(connection.database, SQLite::TransactionBehavior::IMMEDIATE);
      const auto result = body_or_error(body);
      transaction.commit();
      if (connection.made) connection.made->keep();
      connection.made.reset();
      return result;
    });
  }

  /// `body(database)`; a table without a row number left is not called a full disk.
  template <typename Body>
  auto body_or_error(Body& body) {
    try {
      return body(connection.database);
    } catch (const SQLite::Exception& exception) {
      if (exception.getErrorCode() != SQLITE_FULL || !row_numbers_are_used_up(connection.database)) throw;
      throw Error(fmt::format("cannot write to the database {}", connection.file.string()),
                  "a table in it has no row number left: one stands at 2^63-1, which no measurement brings about",
                  "copy it into a new database with `triscope import`; this one was left as it is");
    }
  }

  /// One UPDATE or DELETE of the row `id` of `table`; throws `Error` when there is none.
  template <typename... Values>
  void change(const std::string& sql, std::string_view noun, std::int64_t id, const Values&... values) {
    const int changed = write([&](SQLite::Database& database) {
      SQLite::Statement statement(database, sql);
      Binder bind(statement);
      ((bind << values), ...);
      bind << id;
      return statement.exec();
    });
    if (changed == 0) throw missing(noun, id);
  }

  Error missing(std::string_view noun, std::int64_t id) const {
    return Error(fmt::format("cannot find {} {}", noun, id),
                 fmt::format("{} has none with that number", connection.file.string()),
                 with_database("choose one that `triscope list` shows", connection.file), ExitCode::usage);
  }

  /// The sweep of `measurement`; throws when there is no such measurement.
  std::int64_t require_measurement(SQLite::Database& database, std::int64_t measurement) const {
    SQLite::Statement query(database, "SELECT sweep FROM measurement WHERE id = ?");
    Binder(query) << measurement;
    if (!query.executeStep()) throw missing("measurement", measurement);
    return query.getColumn(0).getInt64();
  }

  /// The environment row that measurements of `sweep` belong to now.
  std::int64_t environment_of(SQLite::Database& database, std::int64_t sweep) const {
    const auto resumed = resumed_in.find(sweep);
    SQLite::Statement query(database, "SELECT environment FROM sweep WHERE id = ?");
    Binder(query) << sweep;
    if (!query.executeStep()) throw missing("sweep", sweep);
    return resumed != resumed_in.end() ? resumed->second : query.getColumn(0).getInt64();
  }

  /// A remark on a wall clock that was set in between; empty: it was not, as far as one can tell.
  static std::string clock_remark(SQLite::Database& database, std::int64_t sweep, double started_unix_ns) {
    constexpr double kNsOfYear = 365.25 * 24 * 3600 * 1e9;
    SQLite::Statement query(database, "SELECT started_unix_ns FROM sweep WHERE id = ?");
    Binder(query) << sweep;
    if (!query.executeStep()) return "";
    const double began = static_cast<double>(query.getColumn(0).getInt64());
    const double years = (started_unix_ns - began) / kNsOfYear;
    if (std::abs(years) < 10) return "";
    return fmt::format("the clock of this machine jumped: by it, this was measured {:.0f} years {} its sweep began",
                       std::abs(years), years < 0 ? "before" : "after");
  }

  /// `reason` of a measurement that started then, with that remark where there is one.
  static std::string with_clock_remark(SQLite::Database& database, std::int64_t sweep, double started_unix_ns,
                                       const std::string& reason) {
    const std::string remark = clock_remark(database, sweep, started_unix_ns);
    if (remark.empty() || reason.find(remark) != std::string::npos) return reason;
    return reason + (reason.empty() ? "" : "; ") + remark;
  }

  /// `Store::update` of one measurement inside a transaction. The clock may have been set before any of its processes.
  void update(SQLite::Database& database, std::int64_t sweep, MeasurementUpdate one) const {
    SQLite::Statement query(
        database,
        "SELECT started_unix_ns, ifnull((SELECT min(started_ns) FROM sample WHERE measurement = id), "
        "0), ifnull((SELECT max(started_ns) FROM sample WHERE measurement = id), 0) FROM "
        "measurement WHERE id = ?");
    Binder(query) << one.row;
    if (!query.executeStep()) throw missing("measurement", one.row);
    const auto started = static_cast<double>(query.getColumn(0).getInt64());  // in a sum with what a file says
    std::int64_t earliest = query.getColumn(1).getInt64(), latest = query.getColumn(2).getInt64();
    for (const Sample& sample : one.samples) {
      earliest = std::min(earliest, sample.started_ns);
      latest = std::max(latest, sample.started_ns);
    }
    for (const std::int64_t since : {std::int64_t{0}, earliest, latest})
      one.reason = with_clock_remark(database, sweep, started + static_cast<double>(since), one.reason);
    update_measurement(database, one);
  }

  /// `Store::add` inside a transaction.
  std::int64_t add(SQLite::Database& database, std::int64_t sweep, const Measurement& given) const {
    Measurement measurement = given;
    if (measurement.started_unix_ns == 0) measurement.started_unix_ns = unix_now_ns();
    measurement.reason =
        with_clock_remark(database, sweep, static_cast<double>(measurement.started_unix_ns), measurement.reason);
    const std::int64_t environment = environment_of(database, sweep);
    const std::optional<ExistingRow> existing = find_measurement(database, sweep, measurement.key);
    if (existing && existing->status == Status::ok) {
      if (existing->source_hash == measurement.source_hash && existing->environment == environment) {
        throw Error(fmt::format("cannot store a second result of {} {} for {} in sweep {}", measurement.key.kernel,
                                to_string(measurement.key.pass), describe(measurement.key.problem), sweep),
                    fmt::format("measurement {} already holds one", existing->id), "measure it again in a new sweep");
      }
      if (measurement.status == Status::cancelled) return existing->id;
      // What it sampled in turns with other groups stays theirs.
      if (existing->source_hash == measurement.source_hash) measurement.turns = read_turns(database, existing->id);
    }
    const std::int64_t row = write_measurement(database, sweep, environment, measurement, derive(measurement.key),
                                               existing ? std::optional(existing->id) : std::nullopt);
    const auto card = cards.find(measurement.key.kernel);
    if (card != cards.end()) write_kernel_card(database, row, card->second);
    return row;
  }
};

Store::Store(const fs::path& file, std::chrono::milliseconds busy_timeout)
    : impl_(std::make_unique<Impl>(Impl{open_for_writing(file, busy_timeout)})) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

std::int64_t Store::begin_sweep(const std::string& command, const std::string& request_json,
                                const Environment& environment, std::int64_t planned) {
  return impl_->write([&](SQLite::Database& database) {
    tables::SweepRow row{random_id(), unix_now_ns(), std::nullopt, command, request_json, planned, false, {}};
    InternedTexts texts(database);
    sql::Insert insert(texts, tables::kSweeps, "environment");
    return insert(row, intern_environment(database, environment));
  });
}

void Store::resume_sweep(std::int64_t sweep, const Environment& environment) {
  impl_->resumed_in[sweep] = impl_->write([&](SQLite::Database& database) {
    SQLite::Statement update(database, "UPDATE sweep SET finished_unix_ns = NULL WHERE id = ?");
    Binder(update) << sweep;
    if (update.exec() == 0) throw impl_->missing("sweep", sweep);
    return intern_environment(database, environment);
  });
}

void Store::set_request(std::int64_t sweep, const std::string& request_json) {
  impl_->change("UPDATE sweep SET request = ? WHERE id = ?", "sweep", sweep, request_json);
}

void Store::know_kernels(const std::vector<KernelInfo>& kernels) {
  for (const KernelInfo& kernel : kernels) impl_->cards[kernel.id] = kernel.card;
}

std::int64_t Store::add(std::int64_t sweep, const Measurement& measurement) {
  return add(sweep, std::span(&measurement, 1)).front();
}

std::vector<std::int64_t> Store::add(std::int64_t sweep, std::span<const Measurement> measurements) {
  return impl_->write([&](SQLite::Database& database) {
    std::vector<std::int64_t> rows;
    for (const Measurement& measurement : measurements) rows.push_back(impl_->add(database, sweep, measurement));
    return rows;
  });
}

void Store::set_cross_check(std::int64_t measurement, const CrossCheck& check) {
  impl_->write([&](SQLite::Database& database) {
    impl_->require_measurement(database, measurement);
    write_cross_check(database, measurement, check);
    return 0;
  });
}

void Store::set_counters(std::int64_t measurement, const std::vector<Counter>& counters, const std::string& note) {
  impl_->write([&](SQLite::Database& database) {
    impl_->require_measurement(database, measurement);
    write_counters(database, measurement, counters);
    SQLite::Statement update(database, "UPDATE measurement SET counters_note = ? WHERE id = ?");
    Binder(update) << note << measurement;
    return update.exec();
  });
}

void Store::update(std::int64_t sweep, std::span<const MeasurementUpdate> updates, const SweepSpread& spread) {
  impl_->write([&](SQLite::Database& database) {
    for (const MeasurementUpdate& one : updates) impl_->update(database, sweep, one);
    write_spread(database, sweep, spread);
    return 0;
  });
}

void Store::set_turns(std::int64_t measurement, std::int64_t group, std::span<const Sample> samples) {
  impl_->write([&](SQLite::Database& database) {
    impl_->require_measurement(database, measurement);
    write_turns(database, measurement, group, samples);
    return 0;
  });
}

void Store::finish_sweep(std::int64_t sweep) {
  impl_->change("UPDATE sweep SET finished_unix_ns = ? WHERE id = ?", "sweep", sweep, unix_now_ns());
}

void Store::set_starred(std::int64_t sweep, bool starred) {
  impl_->change("UPDATE sweep SET starred = ? WHERE id = ?", "sweep", sweep, starred);
}

void Store::delete_sweep(std::int64_t sweep) {
  if (is_being_measured(impl_->connection.file, sweep)) {
    throw Error(fmt::format("sweep {} was not deleted", sweep),
                "it is being measured right now, or its lock cannot be read", "stop it first", ExitCode::usage);
  }
  impl_->change("DELETE FROM sweep WHERE id = ?", "sweep", sweep);
}

void Store::set_note(std::int64_t sweep, const std::string& note) {
  impl_->write([&](SQLite::Database& database) {
    impl_->environment_of(database, sweep);  // throws when there is no such sweep
    write_note(database, sweep, std::nullopt, note);
    return 0;
  });
}

void Store::set_measurement_note(std::int64_t measurement, const std::string& note) {
  impl_->write([&](SQLite::Database& database) {
    write_note(database, impl_->require_measurement(database, measurement), measurement, note);
    return 0;
  });
}

std::int64_t Store::import(const fs::path& file, const ImportRules& rules) {
  Connection source = open_for_reading(file, kBusyTimeout, rules.cancel);
  if (source.identity == impl_->connection.identity) {
    throw Error(fmt::format("cannot import {}", file.string()), "it is the database that is being written to",
                "name another file, or another target", ExitCode::usage);
  }
  return translate_errors("import", source.file, [&] {
    source.begin_read();
    const SQLite::Transaction reading(source.database);
    return impl_->write([&](SQLite::Database& target) {
      return copy_sweeps(target, impl_->connection.file, source.database, source.file, rules);
    });
  });
}

void rebuild_view(const fs::path& file, std::chrono::milliseconds busy_timeout) {
  rebuild_result_view(file, busy_timeout);
}

void require_unlocked(const fs::path& file, std::chrono::milliseconds busy_timeout) {
  require_lockable(file, busy_timeout);
}

}  // namespace triscope
