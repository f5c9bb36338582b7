// The recording that is shipped: what a machine without a GPU can look at.
#pragma once

#include <filesystem>
#include <string>

namespace triscope {

/// assets/recorded/h200.db beside the build, or share/triscope/h200.db beside bin. Empty: not shipped.
std::filesystem::path recorded_database();

/// Whether `file` is one of the recordings that are shipped, of this program or of another copy of it: h100.db or
/// h200.db in a folder assets/recorded or share/triscope.
bool is_recorded_database(const std::filesystem::path& file);

/// "`triscope show 1 --db FILE` prints what an H200 measured", for people without a GPU; empty when it is not shipped.
std::string recorded_database_hint();

}  // namespace triscope
