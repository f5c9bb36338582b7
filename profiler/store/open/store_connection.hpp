// An open database file and what must be known about it beside SQLite's own state.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "profiler/store/open/made_database.hpp"
#include "profiler/store/open/patience.hpp"

namespace triscope {

/// Which file a path leads to; tells a file that was replaced from one that was only written to.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// A connection with its pragmas set and its schema checked. Not thread-safe. Constructed by the two functions below.
/// Never opens the database file by other means than SQLite: closing such a descriptor would drop SQLite's locks.
struct Connection {
  std::filesystem::path file;  ///< absolute, symbolic links resolved
  FileIdentity identity;
  std::unique_ptr<Patience> patience;  ///< `database` points to it
  std::unique_ptr<MadeDatabase> made;  ///< where it was opened for writing; outlives `database`
  SQLite::Database database;
  bool immutable = false;  ///< opened without locks: of a folder that cannot be written to, a full disk, or a copy
  bool in_memory = false;  ///< a migrated copy of an older database

  bool foreign = false;  ///< see `is_foreign`

  std::shared_ptr<void> held{};  ///< of a foreign file that is open for writing, see `hold_checked`

  /// Throws `Error` when the path no longer leads to the file that is open.
  void require_unmoved() const;
  /// A read begins: from here on statements may take as many steps as a file of this size can need (a foreign one;
  /// one's own has no limit). Throws SQLITE_INTERRUPT after a stop.
  void begin_read();
};

/// Every file but the user's default database: it may come from a stranger. Its schema is compared with ours, and its
/// triggers do not run.
bool is_foreign(const std::filesystem::path& file);

/// `file` with `options` ("?mode=ro") as a URI, in which "%", "?" and "#" are syntax.
std::string uri_of(const std::filesystem::path& file, const char* options);

/// Limits, and no triggers in a foreign file: protection against damaged and hostile ones.
void distrust_contents(SQLite::Database& database, bool foreign);

/// Steps of SQLite's machine that a read may take, by the size of `file` and its log: more than ten times of what any
/// takes. Listing 100,000 measurements takes one for three bytes of their file.
std::int64_t allowed_steps(const std::filesystem::path& file);

/// Creates the file and its folders when absent, migrates, sets WAL. Throws `Error`, see `Store`.
Connection open_for_writing(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

/// Throws `Error`, see `Snapshot`. After a stop of `cancel` every statement ends with one.
Connection open_for_reading(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout,
                            std::stop_token cancel);

/// Copies the whole of `from` to `to`. Throws SQLITE_INTERRUPT after a stop of `patience`.
void copy_pages(SQLite::Database& to, SQLite::Database& from, const Patience& patience);

/// Throws `Error`, see `require_unlocked`.
void require_lockable(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

/// Makes the view `result` of `name` anew. Throws `Error`, see `rebuild_view`.
void rebuild_result_view(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

}  // namespace triscope
