// Whole numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace triscope {

/// "32,768".
std::string count_text(std::int64_t value);

}  // namespace triscope
