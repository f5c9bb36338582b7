// One call of a FlashAttention-3 handler: operands and results in its order, scratch memory, and its ways to fail.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/attention/kernel.hpp"
#include "kernels/baseline/fa3/xla_ffi.hpp"

namespace triscope::fa3 {

/// Reason the library cannot compute `problem`, whatever the machine.
std::optional<std::string> unsupported_problem(const Problem& problem, Pass pass);

/// Bytes that `call` needs in `Arguments::workspace`: the results nobody reads, and an upper bound of the scratch
/// memory that the handlers ask for.
std::size_t workspace_bytes(const Problem& problem, Pass pass);

/// Enqueues one pass on `arguments.stream` of GPU `ordinal`. Allocates nothing. Throws `Error` with the library's own
/// reason when it refuses, and when an exception comes out of it. A launch error inside the library ends the process:
/// FlashAttention-3 calls exit(1); its last words then say so.
void call(xla_ffi::Handler handler, const Problem& problem, Pass pass, const Arguments& arguments, int ordinal);

}  // namespace triscope::fa3
