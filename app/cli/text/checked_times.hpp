// Rows of a database whose stored times are not those of their samples, which a file from elsewhere may hold: they are
// shown as they are stored, and said to be so.
#pragma once

#include <filesystem>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// The reason of such a row says so.
void remark_times(const Snapshot& snapshot, std::vector<ResultRow>& rows);
/// The same, and a sentence on stderr, for output that has no place for reasons. `file` is the database.
void remark_times_aloud(const Snapshot& snapshot, std::vector<ResultRow>& rows, const std::filesystem::path& file);

}  // namespace triscope
