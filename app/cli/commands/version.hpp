// What this build is.
#pragma once

namespace triscope {

/// Prints version, commit, compiler and flags; returns 0.
int print_version();

}  // namespace triscope
