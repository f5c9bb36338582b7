// JSON from a file, which may be anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace triscope {

/// Parses `text`. Throws nlohmann::json::exception as its parser does, and when arrays and objects are nested more than
/// 100 deep: writing, copying and comparing what is nested deeper could exhaust the stack.
nlohmann::json parse_bounded(std::string_view text);

}  // namespace triscope
