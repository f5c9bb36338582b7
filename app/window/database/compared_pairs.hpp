// Rows of the open database beside each other, for whoever draws more of them than are selected.
#pragma once

#include <filesystem>
#include <stop_token>

#include "views/data/window_data.hpp"

namespace triscope {

/// Reads their samples by a connection of its own, and says of them what `compare_rows` does. Nothing is
/// known where it cannot be read, and of what comes after two million samples.
ComparePairs compare_pairs_of(std::filesystem::path file, double tolerance, std::stop_token cancel);

}  // namespace triscope
