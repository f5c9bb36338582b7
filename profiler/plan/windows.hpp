// Lists of windows as users write them.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// Windows as users write them: "table1", "512x32,256x64", "grid:16..1024" (powers of two on both axes). Blanks
/// beside commas do not count. Throws `Error` (usage) naming the token that is wrong.
std::vector<Windows> parse_windows(const std::string& text);

}  // namespace triscope
