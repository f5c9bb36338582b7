// What lies beside a database: its journal (x.db-journal), its log (x.db-wal) and the index of its log (x.db-shm).
// SQLite acts on files of these names by itself when it opens x.db: it completes, overwrites and deletes them.
#pragma once

#include <filesystem>

namespace triscope {

/// Whether `file` is there and not empty.
bool has_bytes(const std::filesystem::path& file);

/// Whether the bytes of an index are looked at, or only its size. Closing an index ends SQLite's locks on it in the
/// process that does so: a process that may have the database open must not.
enum class IndexCheck { size, bytes };

/// Throws `Error` when opening `file` would do harm beside it, before anything is touched: a companion is no file of
/// SQLite's, cannot be read, or is a pipe, a link or a folder; it belongs to a database that is no longer there; the
/// journal names another file, which would be deleted.
void require_harmless_companions(const std::filesystem::path& file, IndexCheck check = IndexCheck::size);

/// Whether a transaction was cut off or is under way: a journal that would be taken back, or a log to be merged.
bool has_open_transaction(const std::filesystem::path& file);

}  // namespace triscope
