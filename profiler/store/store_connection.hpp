// An open database file and what must be known about it beside SQLite's own state.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "profiler/store/patience.hpp"

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
  SQLite::Database database;
  bool immutable = false;  ///< opened without locks, from a folder that cannot be written to
  bool in_memory = false;  ///< a migrated copy of an older database

  /// Throws `Error` when the path no longer leads to the file that is open.
  void require_unmoved() const;
};

/// Every file but the user's default database: it may come from a stranger. Its schema is compared with ours, and its
/// triggers do not run.
bool is_foreign(const std::filesystem::path& file);

/// Creates the file and its folders when absent, migrates, sets WAL. Throws `Error`, see `Store`.
Connection open_for_writing(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

/// Throws `Error`, see `Snapshot`. After a stop of `cancel` every statement ends with one.
Connection open_for_reading(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout,
                            std::stop_token cancel);

/// Makes the view `result` of `name` anew. Throws `Error`, see `rebuild_view`.
void rebuild_result_view(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

}  // namespace triscope
