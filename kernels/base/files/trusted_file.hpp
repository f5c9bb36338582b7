// Whether a file is one that only its owner and the system's keeper can change.
#pragma once

#include <filesystem>
#include <string>

namespace triscope {

/// Why code from `file` must not be run: it, or a folder on the way to it (links followed), belongs to another user
/// than this one and root, or may be written by others. Group rights count, but for root's group and the user's own
/// group of the same number. A folder like /tmp, where everybody may create files but not replace those of others
/// (sticky), does not. Empty: it may be run, or is not there.
std::string why_not_trusted(const std::filesystem::path& file);

}  // namespace triscope
