// Where a user's own database is, when no other is named.
#pragma once

#include <filesystem>

namespace triscope {

/// $XDG_DATA_HOME/triscope/results.db, or ~/.local/share/triscope/results.db. Throws `Error` when neither is known.
std::filesystem::path default_database();

}  // namespace triscope
