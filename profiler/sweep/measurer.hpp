// The worker that measures a sweep, chosen by the sweep's request.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/sweep/sweep_observer.hpp"

namespace triscope {

/// The worker that serves a request's device, and what it said about itself.
struct Measurer {
  WorkerOptions options;
  Supervisor supervisor;  ///< also answers what the kernels support
  Catalog catalog;
  Device device;
  std::string refusal;  ///< why nothing can be timed as asked for; `supervisor` is then of another mode
};

/// For the request `given`. Throws `Error` when no worker can be started, or none for the request's device.
Measurer start_measurer(const SweepRequest& given, const SweepObserver& observer);

/// What the worker says of `questions` about the kernels of `catalog`. Where asking a plug-in ends the worker, all its
/// kernels are unable, and the reason names its file `plugin`; empty: there is none. Throws `Error` as `Supervisor`.
std::vector<SupportAnswer> ask_support(Supervisor& supervisor, const Catalog& catalog,
                                       const std::filesystem::path& plugin,
                                       const std::vector<SupportQuestion>& questions);

inline std::vector<SupportAnswer> ask_support(Measurer& measurer, const std::vector<SupportQuestion>& questions) {
  return ask_support(measurer.supervisor, measurer.catalog, measurer.options.plugin, questions);
}

/// How the workers of `request` are started.
WorkerOptions worker_options(const SweepRequest& request, const SweepObserver& observer);

/// What is measured: `request` on the device of `measurer`, with the kernels of its plug-in among those it names. One
/// that names none but a plug-in means every kernel.
SweepRequest decided_request(SweepRequest request, const Measurer& measurer);

/// Files by names that hold from anywhere, since a resume may start elsewhere, and the hash of the plug-in. Throws
/// `Error` when there is no such plug-in.
SweepRequest with_absolute_files(SweepRequest request);

}  // namespace triscope
