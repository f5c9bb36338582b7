// `triscope check`: every kernel, instance, case and pass against the fp64 oracle.
#pragma once

#include "profiler/protocol/jobs.hpp"
#include "profiler/worker/jobs/measure_job.hpp"

namespace triscope {

/// Sends one `CheckRow` each. Throws `Error` (usage) for an unknown kernel or instance.
void run_check_job(const CheckRequest& request, Backend& backend, KernelList kernels, const JobPort& port);

}  // namespace triscope
