// Where the files lie that tests use. Only paths.cpp knows the folders: a file with definitions of its own is compiled
// alone.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// A file of the repository, by its path there ("docs/gates.md").
std::string source_file(std::string_view path);
/// A file that the build wrote, by its path in the build's folder ("bin/triscope").
std::string build_file(std::string_view path);
/// A recorded database, by its name.
std::string recorded_file(std::string_view name = "h200.db");

}  // namespace triscope
