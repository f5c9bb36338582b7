// `triscope eval`: one kernel on given tensors.
#pragma once

#include "profiler/protocol/jobs.hpp"
#include "profiler/worker/jobs/measure_job.hpp"

namespace triscope {

/// Reads, computes, writes. Throws `Error`: tensors missing, misshapen or not finite, unsupported problem, disk full.
EvalReply run_eval_job(const EvalRequest& request, Backend& backend, KernelList kernels);

}  // namespace triscope
