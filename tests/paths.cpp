#include "tests/paths.hpp"

namespace triscope {

std::string source_file(std::string_view path) { return std::string(TRISCOPE_SOURCE_DIR "/").append(path); }

std::string build_file(std::string_view path) { return std::string(TRISCOPE_BUILD_DIR "/").append(path); }

std::string recorded_file(std::string_view name) { return source_file(std::string("assets/recorded/").append(name)); }

}  // namespace triscope
