#pragma once

#include <filesystem>

namespace triscope {

/// The folder that this program lies in, links resolved. Works without /proc too.
/// Throws `Error` when the program was moved away while it runs.
std::filesystem::path program_folder();

}  // namespace triscope
