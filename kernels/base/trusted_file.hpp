// Whether a file is one that only its owner and the system's keeper can change.
#pragma once

#include <filesystem>
#include <string>

namespace triscope {

/// Why code from `file` must not be run: it, or a folder on the way to it (links followed), may be written by others
/// than its owner. Group rights count, but for root's group and the user's own group of the same number. In a folder
/// like /tmp, where everybody may create files but not replace those of others (sticky), only what root or this user
/// owns is trusted. Empty: it may be run, or is not there.
std::string why_not_trusted(const std::filesystem::path& file);

}  // namespace triscope
