// What every kernel here asks of the pointers it is given, before it launches anything.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/attention/kernel.hpp"

namespace triscope {

/// Throws `Error` (usage) when a tensor of the pass is missing, or not aligned to the 16 bytes of the vector accesses,
/// or `workspace` is not what `workspace_bytes` (0: none is needed) ask for. Pointers that the pass does not use may be
/// anything.
void require_pointers(std::string_view kernel, const Problem& problem, Pass pass, const Arguments& arguments,
                      std::size_t workspace_bytes);

}  // namespace triscope
