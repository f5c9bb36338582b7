// Looks through a database of a stranger, in a process that has given up its rights; see
// profiler/store/open/file_check.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "profiler/store/open/own_schema.hpp"

namespace triscope {

struct FileToCheck {
  std::filesystem::path file;
  std::string action;  ///< in the words of errors ("read")
  std::chrono::milliseconds busy_timeout{};
  std::filesystem::path copy_folder;  ///< empty: a transaction that was cut off is left to whoever opens the file
  ResultView view = ResultView::own;
};

/// Opens the file, its log and the log's index, then gives up every right (profiler/store/check/confinement) and reads:
/// application id, version, triggers, tables and view, the structure of every page, and the contents of rows as far as
/// 2 million steps of SQLite's machine lead. Throws `Error` for what Triscope refuses. Call once, in a process of its
/// own. When a transaction was cut off and nobody has the file open, all that is done to a copy, `database` in
/// `copy_folder`. There the transaction is taken back or completed; the copy is then whole without its companions.
void check_file(const FileToCheck& asked);

}  // namespace triscope
