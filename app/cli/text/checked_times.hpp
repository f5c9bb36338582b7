// What a file from elsewhere may hold that is shown as it is stored, and said to be so: rows whose times are not those
// of their samples, and rows of a sweep that cannot be used.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// The reason of such a row says so.
void remark_times(const Snapshot& snapshot, std::vector<ResultRow>& rows);
/// Of the sweeps of ok rows those that `list` calls unusable, and why: "sweep 3 cannot be used as a whole (planned is
/// -7): its rows are taken as they are". Empty: none is.
std::string unusable_sweeps_text(const Snapshot& snapshot, const std::vector<ResultRow>& rows);
/// Both in a sentence on stderr, for output that has no place for reasons. `file` is the database.
void remark_times_aloud(const Snapshot& snapshot, std::vector<ResultRow>& rows, const std::filesystem::path& file);

}  // namespace triscope
