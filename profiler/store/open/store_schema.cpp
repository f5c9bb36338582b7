#include "profiler/store/open/store_schema.hpp"

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "kernels/base/error.hpp"
#include "schema_sql.hpp"

namespace triscope {
namespace {

std::int64_t pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt64();
}

std::filesystem::path unused_backup_name(const std::filesystem::path& file, std::int64_t version) {
  std::filesystem::path name = file;
  name += fmt::format(".schema{}.bak", version);
  // A link is taken, wherever it leads: the copy must not go through it. So is a name that SQLite would use beside it.
  const auto taken = [&name] {
    return std::ranges::any_of(std::array{"", "-journal", "-wal", "-shm"}, [&name](const char* end) {
      return std::filesystem::exists(std::filesystem::symlink_status(name.string() + end));
    });
  };
  for (int n = 2; taken(); ++n) {
    name = file;
    name += fmt::format(".schema{}.{}.bak", version, n);
  }
  return name;
}

// Through a connection of its own, so that it also holds what still lies in the write-ahead log.
void copy_database(const std::filesystem::path& file, const std::filesystem::path& copy) {
  SQLite::Database source(file.string(), SQLite::OPEN_READWRITE, 5000);
  SQLite::Database target(copy.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOFOLLOW);
  SQLite::Backup backup(target, source);
  backup.executeStep(-1);
}

}  // namespace

namespace {

constexpr std::string_view kSteps[] = {
    // 1 to 2
    "CREATE TABLE cross_check (measurement INTEGER PRIMARY KEY REFERENCES measurement(id) ON DELETE CASCADE, "
    "timing_source TEXT NOT NULL CHECK (timing_source IN ('cupti', 'cuda_events', 'cpu_clock')), median_ms REAL, "
    "ci_low_ms REAL, ci_high_ms REAL, samples INTEGER NOT NULL, reason TEXT NOT NULL) STRICT; "
    "ALTER TABLE measurement ADD COLUMN counters_note TEXT NOT NULL DEFAULT ''",
    // 2 to 3: how kernels are shown, which programs knew by their ids until then
    "ALTER TABLE kernel ADD COLUMN label TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE kernel ADD COLUMN short_label TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE kernel ADD COLUMN kind TEXT NOT NULL DEFAULT 'simplicial' "
    "CHECK (kind IN ('simplicial', 'oracle', 'dot_product', 'gemm')); "
    "ALTER TABLE kernel ADD COLUMN colour INTEGER; "
    "ALTER TABLE kernel ADD COLUMN rank INTEGER; "
    "UPDATE kernel SET (label, short_label, kind, colour, rank) = (known.column2, known.column3, known.column4, "
    "known.column5, known.column6) FROM (VALUES "
    "('cpu.oracle', 'CPU oracle', 'oracle', 'oracle', NULL, NULL), "
    "('cpu.fast', 'CPU', 'CPU', 'simplicial', 0, NULL), "
    "('cuda.portable', 'Portable', 'portable', 'simplicial', 1, NULL), "
    "('cuda.hopper', 'Hopper', 'Hopper', 'simplicial', 0, NULL), "
    "('baseline.fa3', 'FlashAttention-3', 'FA3', 'dot_product', NULL, 1), "
    "('baseline.cudnn', 'cuDNN', 'cuDNN', 'dot_product', NULL, 2), "
    "('baseline.cpu', 'CPU dot-product', 'CPU dot', 'dot_product', NULL, 3), "
    "('baseline.cublas', 'cuBLAS product', 'cuBLAS', 'gemm', NULL, NULL)) AS known WHERE known.column1 = name",
    // 3 to 4: which restart a sample belongs to; power and what limited the clock, until then only in the samples
    "ALTER TABLE measurement DROP COLUMN peak_tflops; "
    "ALTER TABLE measurement ADD COLUMN restarts INTEGER NOT NULL DEFAULT 1; "
    "ALTER TABLE measurement ADD COLUMN power_w REAL; "
    "ALTER TABLE measurement ADD COLUMN limiter TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE sample ADD COLUMN restart INTEGER NOT NULL DEFAULT 0; "
    "ALTER TABLE sweep ADD COLUMN time_variance REAL NOT NULL DEFAULT 0; "
    "ALTER TABLE sweep ADD COLUMN time_degrees REAL NOT NULL DEFAULT 0; "
    "ALTER TABLE sweep ADD COLUMN ratio_variance REAL NOT NULL DEFAULT 0; "
    "ALTER TABLE sweep ADD COLUMN ratio_degrees REAL NOT NULL DEFAULT 0; "
    "UPDATE measurement SET restarts = samples > 0, "
    "power_w = (SELECT avg(power_w) FROM sample WHERE sample.measurement = measurement.id), "
    "limiter = ifnull((SELECT substr(text.value, 12) FROM sample JOIN text ON text.id = sample.flag WHERE "
    "sample.measurement = measurement.id AND text.value LIKE 'throttled: %' GROUP BY text.id "
    "HAVING 2 * count(*) >= measurement.samples ORDER BY count(*) DESC LIMIT 1), '')",
    // 4 to 5: a reference takes turns with every group
    "CREATE TABLE turn_sample (measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE, "
    "interleave_group INTEGER NOT NULL, ordinal INTEGER NOT NULL, started_ns INTEGER NOT NULL, duration_ns INTEGER NOT "
    "NULL, launches INTEGER NOT NULL, block INTEGER NOT NULL, sm_clock_mhz REAL, power_w REAL, temperature_c REAL, "
    "throttle_bits INTEGER, flag INTEGER REFERENCES text(id), restart INTEGER NOT NULL DEFAULT 0, "
    "PRIMARY KEY (measurement, interleave_group, ordinal)) STRICT, WITHOUT ROWID",
};

// Whatever it is: in a database of somebody else it may be a table.
void drop_result(SQLite::Database& database) {
  SQLite::Statement query(database, "SELECT type FROM sqlite_schema WHERE lower(name) = 'result' AND type != 'index'");
  if (!query.executeStep()) return;
  const bool table = query.getColumn(0).getString() == "table";
  query.reset();
  database.exec(table ? "DROP TABLE result" : "DROP VIEW result");
}

// The view as assets/schema.sql has it: it is its last statement.
std::string view_sql() {
  const std::string_view schema = kSchemaSql;
  return std::string(schema.substr(schema.find("CREATE VIEW result")));
}

}  // namespace

std::span<const std::string_view> schema_steps() { return kSteps; }

std::int64_t schema_version() { return 1 + static_cast<std::int64_t>(schema_steps().size()); }

SchemaState schema_state(SQLite::Database& database, const std::filesystem::path& file) {
  // In one statement, hence of one moment: another process may create the schema right now.
  SQLite::Statement query(database,
                          "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM "
                          "pragma_user_version), (SELECT count(*) FROM sqlite_schema)");
  query.executeStep();
  const std::int64_t application = query.getColumn(0).getInt64();
  const std::int64_t version = query.getColumn(1).getInt64();
  const bool has_tables = query.getColumn(2).getInt64() > 0;
  if (application == 0 && version == 0 && !has_tables) return SchemaState::empty;
  const std::string what = fmt::format("cannot use {}", file.string());
  if (application != kApplicationId || version < 1) {
    throw Error(what, "it is an SQLite database, but not one of Triscope's",
                "name another file; this one was left as it is");
  }
  if (version > schema_version()) {
    throw Error(
        what,
        fmt::format("it was written by a newer Triscope (schema {}, this program knows {})", version, schema_version()),
        "update Triscope, or name another database");
  }
  return version == schema_version() ? SchemaState::current : SchemaState::older;
}

void require_current_schema(SQLite::Database& database, const std::filesystem::path& file) {
  if (schema_state(database, file) == SchemaState::current) return;
  throw Error(fmt::format("cannot make the view of {} anew", file.string()), "the file is empty or of an older version",
              "import it instead: `triscope import FILE`");
}

void apply_steps(SQLite::Database& database, const std::filesystem::path& file,
                 std::span<const std::string_view> steps) {
  const std::int64_t first = pragma(database, "user_version"), target = 1 + static_cast<std::int64_t>(steps.size());
  try {
    drop_result(database);
    for (std::int64_t version = first; version < target; ++version) {
      database.exec(std::string(steps[static_cast<std::size_t>(version - 1)]));
      database.exec(fmt::format("PRAGMA user_version = {}", version + 1));
    }
    database.exec(view_sql());
  } catch (const SQLite::Exception& exception) {
    if ((exception.getErrorCode() & 0xff) != SQLITE_ERROR) throw;  // that is how SQLite says that a name is wrong
    throw Error(
        fmt::format("cannot use {}", file.string()),
        fmt::format("it says that its schema is {}, and its tables are not of that one ({})", first, exception.what()),
        "name another file; this one was left as it is");
  }
}

void make_view_anew(SQLite::Database& database) {
  drop_result(database);
  database.exec(view_sql());
}

void migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const std::string_view> steps,
             const std::function<void()>& check) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const std::int64_t version = pragma(database, "user_version");
  if (version == 1 + static_cast<std::int64_t>(steps.size())) return;  // another process was faster
  const std::filesystem::path copy = unused_backup_name(file, version);
  try {
    copy_database(file, copy);
    apply_steps(database, file, steps);
    check();
    transaction.commit();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(copy, ignored);
    throw;
  }
}

bool prepare_schema(SQLite::Database& database, const std::filesystem::path& file, const std::function<void()>& check) {
  SchemaState state = schema_state(database, file);
  if (state == SchemaState::empty) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    state = schema_state(database, file);  // another process may have been faster
    if (state == SchemaState::empty) {
      database.exec(kSchemaSql);
      transaction.commit();
      return true;
    }
  }
  if (state == SchemaState::older)
    migrate(database, file, schema_steps(), check);
  else
    check();
  return false;
}

}  // namespace triscope
