// A kernel's own output row beside the exact one: what its arithmetic costs the query that is looked at.
#pragma once

#include "profiler/protocol/inspect_jobs.hpp"
#include "profiler/worker/device/backend.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {

/// Runs `kernel` on the tokens that the query sees, one more at either end, and the heads that share its keys, which
/// are all that its row depends on. Where its row is wrong, says which pair explains it. Throws `Error` (usage): no
/// values, no such query, or the kernel cannot run it.
KernelRow run_kernel_row(const Kernel& kernel, const AttentionTensors& tensors, const SliceQuery& asked,
                         Backend& backend, SliceEngine& exact);

}  // namespace triscope
