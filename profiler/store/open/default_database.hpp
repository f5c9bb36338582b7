// Where a user's own database is, when no other is named.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace triscope {

/// $XDG_DATA_HOME/triscope/results.db, or ~/.local/share/triscope/results.db. Throws `Error` when neither is known.
std::filesystem::path default_database();

/// " --db FILE" as a shell reads it, for commands that are named to people; empty when `file` is empty or the default.
std::string database_words(const std::filesystem::path& file);

/// `text` with these words in each command in backticks that reads or writes the sweeps of a database and names none.
std::string with_database(std::string_view text, const std::filesystem::path& file);

}  // namespace triscope
