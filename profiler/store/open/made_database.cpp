#include "profiler/store/open/made_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <system_error>
#include <utility>

namespace triscope {
namespace fs = std::filesystem;
namespace {

/// Whether nothing is lost with it. `database` is locked.
bool holds_nothing(SQLite::Database& database, bool has_our_tables) {
  if (database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt64() == 0) return true;
  return has_our_tables && database.execAndGet("SELECT count(*) FROM sweep").getInt64() == 0;
}

/// While nobody else can read or write it. A log needs no index then, for which there may be no room.
bool remove_unused(const fs::path& file, bool has_our_tables) {
  std::error_code ignored;
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    if (!holds_nothing(database, has_our_tables) || !fs::remove(file, ignored)) return false;
  } catch (const SQLite::Exception& exception) {
    // Else another program has it open: SQLite writes to an empty file once it has locked it, and there is no room.
    const bool locked = (exception.getErrorCode() & 0xff) == SQLITE_FULL && fs::is_empty(file, ignored);
    if (!locked || !fs::remove(file, ignored)) return false;
  }
  for (const char* end : {"-journal", "-wal", "-shm"}) fs::remove(file.string() + end, ignored);
  return true;
}

}  // namespace

MadeDatabase::MadeDatabase(fs::path file, std::unique_ptr<MadeFolder> folder)
    : file_(std::move(file)), folder_(std::move(folder)) {
  std::error_code unknown;
  was_there_ = fs::exists(file_, unknown) || unknown;
}

MadeDatabase::~MadeDatabase() {
  std::error_code ignored;
  if (kept_ || was_there_ || (fs::exists(file_, ignored) && !remove_unused(file_, has_tables_))) folder_->keep();
}

}  // namespace triscope
