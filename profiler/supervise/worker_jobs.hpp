// One-shot jobs: start the right worker, do the job, end it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "profiler/protocol/messages.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

/// The catalog of the machine behind `options` (mode and device are chosen here), from a worker that ends again.
Catalog query_catalog(const WorkerOptions& options = {});

/// Options for a worker that runs kernels on `device` ("auto", "cpu", "0") of `catalog`, not timed by CUPTI. Throws
/// `Error` for an unknown device.
WorkerOptions worker_for(WorkerOptions options, const Catalog& catalog, const std::string& device);

/// `device`, with "auto" the first of the kind that `kernel` runs on. Throws `Error` (environment) when there is none;
/// an unknown kernel is left to the worker to refuse.
std::string device_for(const std::string& device, const std::string& kernel, const Catalog& catalog);

/// Device "auto" is where each kernel runs: the first GPU and, for CPU kernels, the CPU. Errors as `Supervisor`.
bool run_check(const WorkerOptions& options, const std::string& device, const CheckRequest& request,
               const std::function<void(const CheckRow&)>& row, std::stop_token stop = {});
EvalReply run_eval(const WorkerOptions& options, const std::string& device, const EvalRequest& request,
                   std::stop_token stop = {});

}  // namespace triscope
