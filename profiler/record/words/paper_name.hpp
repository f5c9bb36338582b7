// The paper's kernels, which are measured through Python and are in no catalog.
#pragma once

namespace triscope {

/// The id that they are measured under, which recordings hold as their label.
inline constexpr const char* kPaperKernel = "paper.triton";

}  // namespace triscope
