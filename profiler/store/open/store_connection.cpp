#include "profiler/store/open/store_connection.hpp"

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/base/files/made_folder.hpp"
#include "profiler/store/open/companions.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/open/file_check.hpp"
#include "profiler/store/open/own_schema.hpp"
#include "profiler/store/open/store_error.hpp"
#include "profiler/store/open/store_schema.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

constexpr int kLongestCell = 32 << 20;      // bytes of a text, and of a row
constexpr int kMostInstructions = 100'000;  // of one statement; ours have a few hundred

// Without SQLite's own locks, which cost a tenth of reading: a connection is used by one thread at a time, or its
// transactions would be in each other's way.
constexpr int kReadWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
constexpr int kReadOnly = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
constexpr int kCreate = kReadWrite | SQLITE_OPEN_CREATE;

std::optional<FileIdentity> identity_of(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return FileIdentity{facts.st_dev, facts.st_ino};
}

bool writable(const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; }

fs::path resolve(const fs::path& file) {
  if (file.empty()) {
    throw Error("cannot open the database", "its name is empty", "name a file", ExitCode::usage);
  }
  std::error_code failed;
  fs::path absolute = fs::weakly_canonical(fs::absolute(file), failed);
  return failed ? fs::absolute(file) : absolute;
}

void require_regular(const fs::path& file) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  const std::string what = fmt::format("cannot open the database {}", file.string());
  if (fs::is_directory(status)) throw Error(what, "it is a folder", "name a file in it", ExitCode::usage);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(what, "it is not a regular file", "name another file", ExitCode::usage);
  }
  if (failed && status.type() == fs::file_type::none) {
    throw Error(what, failed.message(), "check its name and permissions, or name another one");
  }
}

// The folder of a database that can be written to.
std::unique_ptr<MadeFolder> require_writable(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const std::string what = fmt::format("cannot write to the database {}", file.string());
  std::error_code failed;
  auto made = std::make_unique<MadeFolder>(folder, MadeFolder::Parents::made, failed);
  if (failed) {
    throw Error(what, fmt::format("its folder cannot be created ({})", failed.message()),
                "create the folder, or name another file");
  }
  if (fs::exists(file) && !writable(file)) {
    throw Error(what, "the file is read-only", "make it writable, or name another one");
  }
  if (!writable(folder)) {
    throw Error(what, "its folder is read-only", "make the folder writable, or name another file");
  }
  return made;
}

// The journal mode in effect after asking for WAL. The switch turns a read lock into a write lock, and for that SQLite
// does not wait (two that did would wait for each other): beside another writer, as when two programs create one file,
// it fails at once. So it is tried again, as long as any other lock is waited for.
std::string switch_to_wal(SQLite::Database& database, std::chrono::milliseconds busy_timeout) {
  const auto give_up = std::chrono::steady_clock::now() + busy_timeout;
  for (;;) {
    try {
      return database.execAndGet("PRAGMA journal_mode = WAL").getString();
    } catch (const SQLite::Exception& exception) {
      const bool busy = (exception.getErrorCode() & 0xff) == SQLITE_BUSY;
      if (!busy || std::chrono::steady_clock::now() >= give_up) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// WAL lets readers and one writer work at once. FULL syncs every commit, which costs one fsync per configuration.
void set_up_writing(SQLite::Database& database, std::chrono::milliseconds busy_timeout) {
  database.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
  // A file system without shared memory cannot do WAL; then the rollback journal is just as safe, but readers wait.
  if (switch_to_wal(database, busy_timeout) != "wal") database.exec("PRAGMA journal_mode = DELETE");
}

// The application id, version and schema of a database that is only read.
void require_readable_schema(SQLite::Database& database, const fs::path& file, bool& older) {
  const SchemaState state = schema_state(database, file);
  if (state == SchemaState::empty) {
    std::error_code error;  // SQLite takes a file of a few bytes for an empty one
    if (const std::uintmax_t size = fs::file_size(file, error); !error && size > 0 && size < 100) {
      throw Error(fmt::format("cannot read the database {}", file.string()), "it is not an SQLite database",
                  "name a Triscope database; this file was left as it is");
    }
    throw Error(fmt::format("cannot read the database {}", file.string()), "it is empty",
                with_database("record something with `triscope sweep`, or name another one", file));
  }
  older = state == SchemaState::older;
}

// Without locks, and without a look at what lies beside it.
SQLite::Database open_unchanging(const fs::path& file) {
  return SQLite::Database(uri_of(file, "?mode=ro&immutable=1"), kReadOnly);
}

// On a full disk SQLite leaves an index that was cut short: nobody can use it, and it holds nothing that the log does
// not.
bool has_whole_index(const fs::path& file) {
  constexpr std::uintmax_t kSmallestIndex = 32 * 1024;
  std::error_code none;
  const std::uintmax_t index = fs::file_size(file.string() + "-shm", none);
  return !none && index >= kSmallestIndex;
}

// Nobody writes to it, and nothing is left to merge.
bool is_alone(const fs::path& file) {
  return !has_bytes(file.string() + "-wal") && !has_whole_index(file) && !has_bytes(file.string() + "-journal");
}

SQLite::Database open_readable(const fs::path& file, std::chrono::milliseconds busy_timeout, bool& immutable) {
  const bool has_log = has_bytes(file.string() + "-wal");
  const int timeout_ms = static_cast<int>(busy_timeout.count());
  immutable = lacks_room(file) && is_alone(file);  // there is no room for an empty log and its index
  if (immutable) return open_unchanging(file);
  if (writable(file) && writable(file.parent_path())) {
    // Read-write although nothing is written: only such a connection tidies the log's files away when it is the last.
    SQLite::Database database(file.string(), kReadWrite, timeout_ms);
    database.exec("PRAGMA query_only = ON");
    return database;
  }
  if (has_log) {
    try {
      SQLite::Database database(uri_of(file, "?mode=ro"), kReadOnly, timeout_ms);
      database.execAndGet("PRAGMA user_version");
      return database;
    } catch (const SQLite::Exception& exception) {
      if ((exception.getErrorCode() & 0xff) != SQLITE_CANTOPEN) throw;
      throw Error(
          fmt::format("cannot read the database {}", file.string()),
          "its newest writes are still in the log beside it, and reading the log needs a writable folder",
          fmt::format("copy {0} and {0}-wal to a folder of your own and open the copy", file.filename().string()));
    }
  }
  immutable = true;
  return open_unchanging(file);
}

// What comes before SQLite opens any file; see `require_checked` for the result.
std::unique_ptr<PrivateFolder> look_first(const fs::path& file, bool foreign, std::string_view action,
                                          const Patience& patience, ResultView view = ResultView::own) {
  require_harmless_companions(file);
  return foreign ? require_checked(file, action, patience, view) : nullptr;
}

SQLite::Database migrated_copy(SQLite::Database& database, const fs::path& file, bool foreign, Patience& patience) {
  SQLite::Database copy(":memory:", kCreate);
  set_patience(copy, patience);
  distrust_contents(copy, foreign);
  copy_pages(copy, database, patience);
  apply_steps(copy, file, schema_steps());
  return copy;
}

}  // namespace

std::string uri_of(const fs::path& file, const char* options) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + options;
}

void distrust_contents(SQLite::Database& database, bool foreign) {
  sqlite3* const handle = database.getHandle();
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestCell);
  sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, kMostInstructions);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (foreign) sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
}

std::int64_t allowed_steps(const fs::path& file) {
  constexpr std::int64_t kAtLeast = 20'000'000, kForEachByte = 5;  // 20 million: half a second
  std::int64_t bytes = 0;
  for (const char* end : {"", "-wal"}) {
    struct stat facts {};
    if (::stat((file.string() + end).c_str(), &facts) == 0) bytes += facts.st_size;
  }
  return kAtLeast + std::min(bytes, Patience::kNoLimit / (2 * kForEachByte)) * kForEachByte;
}

void Connection::require_unmoved() const {
  if (identity_of(file) == identity) return;
  throw Error(fmt::format("lost the database {}", file.string()), "it was moved, deleted or replaced while it was open",
              "put it back or open it under its new name, then try again");
}

void Connection::begin_read() {
  patience->require();  // a short statement ends before SQLite asks
  patience->steps_left = foreign ? allowed_steps(file) : Patience::kNoLimit;
}

void copy_pages(SQLite::Database& to, SQLite::Database& from, const Patience& patience) {
  constexpr int kPagesAtOnce = 1000;
  const SQLite::Transaction one_state(from);  // a writer beside would make every step begin anew
  from.execAndGet("SELECT count(*) FROM sqlite_schema");
  SQLite::Backup backup(to, from);
  for (int result = SQLITE_OK; result != SQLITE_DONE;) {
    patience.require();
    result = backup.executeStep(kPagesAtOnce);
    if (result != SQLITE_OK && result != SQLITE_DONE) throw SQLite::Exception(sqlite3_errstr(result), result);
  }
}

bool is_foreign(const fs::path& file) {
  try {
    return resolve(file) != resolve(default_database());
  } catch (const Error&) {
    return true;  // nobody says where the default database would be
  }
}

Connection open_for_writing(const fs::path& name, std::chrono::milliseconds busy_timeout) {
  const fs::path file = resolve(name);
  require_regular(file);
  auto made = std::make_unique<MadeDatabase>(file, require_writable(file));
  return translate_errors("write to", file, [&] {
    const bool foreign = is_foreign(file);
    auto patience = std::make_unique<Patience>(Patience{{}, busy_timeout, {}});
    look_first(file, foreign, "write to", *patience);
    SQLite::Database database(file.string(), kCreate);
    set_patience(database, *patience);
    distrust_contents(database, foreign);
    if (foreign && schema_state(database, file) != SchemaState::empty) require_no_triggers(database, file);
    const bool is_new = prepare_schema(database, file, [&] {
      if (foreign) require_own_schema(database, file, SchemaUse::writing);
    });
    if (is_new) made->has_tables();
    set_up_writing(database, busy_timeout);
    const FileIdentity identity = identity_of(file).value_or(FileIdentity{});
    made->keep();
    Connection opened{file, identity, std::move(patience), std::move(made), std::move(database), false, false, foreign};
    if (foreign) opened.held = hold_checked(file);
    return opened;
  });
}

Connection open_for_reading(const fs::path& name, std::chrono::milliseconds busy_timeout, std::stop_token cancel) {
  const fs::path file = resolve(name);
  require_regular(file);
  if (!fs::exists(file)) {
    throw Error(fmt::format("cannot read the database {}", file.string()), "there is no such file",
                with_database("record one with `triscope sweep`, or name another one", file));
  }
  return translate_errors("read", file, [&] {
    const bool foreign = is_foreign(file);
    const FileIdentity identity = identity_of(file).value_or(FileIdentity{});
    bool immutable = false;
    bool older = false;
    auto patience = std::make_unique<Patience>(
        Patience{std::move(cancel), busy_timeout, {}, foreign ? allowed_steps(file) : Patience::kNoLimit});
    // Where there is no room for an index of the log, the log is read from a copy, as that of a foreign file is.
    const bool copied = foreign || (has_open_transaction(file) && !has_whole_index(file) && lacks_room(file));
    const std::unique_ptr<PrivateFolder> copy = look_first(file, copied, "read", *patience);
    SQLite::Database database = copy ? open_unchanging(copy->database()) : open_readable(file, busy_timeout, immutable);
    immutable = immutable || copy;
    set_patience(database, *patience);
    patience->require();
    distrust_contents(database, foreign);
    require_readable_schema(database, file, older);
    if (foreign) require_no_triggers(database, file);
    if (older) database = migrated_copy(database, file, foreign, *patience);
    if (foreign) require_own_schema(database, file, SchemaUse::reading);
    if (older) database.exec("PRAGMA query_only = ON");
    // KiB. Rows that are joined lie far apart: with SQLite's own 2 MB each page of a large file is read many times.
    database.exec("PRAGMA cache_size = -32768");
    return Connection{file, identity, std::move(patience), nullptr, std::move(database), immutable, older, foreign};
  });
}

void rebuild_result_view(const fs::path& name, std::chrono::milliseconds busy_timeout) {
  const fs::path file = resolve(name);
  require_regular(file);
  require_writable(file)->keep();
  translate_errors("write to", file, [&] {
    look_first(file, is_foreign(file), "write to", {{}, busy_timeout, {}}, ResultView::any);
    SQLite::Database database(file.string(), kReadWrite, static_cast<int>(busy_timeout.count()));
    distrust_contents(database, true);
    require_current_schema(database, file);
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    make_view_anew(database);
    require_own_schema(database, file, SchemaUse::writing);
    transaction.commit();
  });
}

void require_lockable(const fs::path& name, std::chrono::milliseconds busy_timeout) {
  const fs::path file = resolve(name);
  translate_errors("write to", file, [&] {
    if (look_first(file, is_foreign(file), "write to", {{}, busy_timeout, {}})) return;  // nobody has it open
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, static_cast<int>(busy_timeout.count()));
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
  });
}

}  // namespace triscope
