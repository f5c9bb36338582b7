// An open database file and what must be known about it beside SQLite's own state.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>

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
  SQLite::Database database;
  bool immutable = false;  ///< opened without locks, from a folder that cannot be written to
  bool in_memory = false;  ///< a migrated copy of an older database

  /// Throws `Error` when the path no longer leads to the file that is open.
  void require_unmoved() const;
};

/// Creates the file and its folders when absent, migrates, sets WAL. Throws `Error`, see `Store`.
Connection open_for_writing(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

/// Throws `Error`, see `Snapshot`.
Connection open_for_reading(const std::filesystem::path& name, std::chrono::milliseconds busy_timeout);

}  // namespace triscope
