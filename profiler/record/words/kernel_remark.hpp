// What a kernel says of a row that was measured, beside what the samples say: part of the row's `reason`.
#pragma once

#include <string>
#include <string_view>

#include "kernels/attention/kernel.hpp"

namespace triscope {

/// "query_k2 instead of half_k2: the inputs are beyond the range of fp16".
std::string beyond_half_remark(Fold used, Fold half);

/// Other people's kernels are compared with the oracle before and after they are timed. A stop waits for no such
/// comparison that is long: what is kept then says so.
inline constexpr std::string_view kUncheckedAfter = "stopped, so not compared with the oracle after it was timed";

/// Those parts of a row's `reason`, whose parts stand between "; "; empty: there is none.
std::string kernel_remark_in(std::string_view reason);

}  // namespace triscope
