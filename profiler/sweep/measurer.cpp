#include "profiler/sweep/measurer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/sha256.hpp"
#include "profiler/plan/plan.hpp"

namespace triscope {
namespace {

SweepRequest with_plugin_kernels(SweepRequest request, const Catalog& catalog) {
  if (request.plugin.empty() || request.kernels.empty()) return request;
  for (const KernelInfo& kernel : catalog.kernels) {
    if (kernel.library == request.plugin.string()) request.kernels.push_back(kernel.id);
  }
  return request;
}

/// The device of a plug-in's kernels when the request leaves it open and names no other kernels.
std::string device_of_plugin(const SweepRequest& request, const Catalog& catalog) {
  if (request.plugin.empty() || !request.kernels.empty() || request.device != "auto") return request.device;
  const bool on_cpu = std::all_of(catalog.kernels.begin(), catalog.kernels.end(), [&](const KernelInfo& kernel) {
    return kernel.library != request.plugin.string() || kernel.device == DeviceKind::cpu;
  });
  return on_cpu ? "cpu" : request.device;
}

}  // namespace

WorkerOptions worker_options(const SweepRequest& request, const SweepObserver& observer) {
  WorkerOptions options;
  options.prefix = request.worker_prefix;
  options.time_limit = request.time_limit;
  options.log = observer.log;
  options.closing = observer.closing;
  options.plugin = request.plugin;
  options.plugin_sha256 = request.plugin_sha256;
  return options;
}

Measurer start_measurer(const SweepRequest& given, const SweepObserver& observer) {
  WorkerOptions options = worker_options(given, observer);
  Supervisor supervisor(options);
  Catalog catalog = supervisor.catalog();
  SweepRequest request = with_plugin_kernels(given, catalog);
  request.device = device_of_plugin(request, catalog);
  const Device device = sweep_device(request, catalog);
  if (device.kind == DeviceKind::cpu && request.device == "auto" && !catalog.gpu_problem.empty()) {
    observer.log("no GPU can be used: " + catalog.gpu_problem + "; the CPU is measured instead");
  }
  const TimingSource source = sweep_timing_source(request, device);
  if (device.kind == DeviceKind::cpu) return {options, std::move(supervisor), std::move(catalog), device, ""};
  options.device = device.id;
  options.mode = worker_mode(device, source);
  std::string refusal;
  try {
    Supervisor chosen(options);
    catalog = chosen.catalog();
    return {options, std::move(chosen), std::move(catalog), device, ""};
  } catch (const Error& error) {
    if (source != TimingSource::cupti) throw;
    refusal = fmt::format("{}; or measure by CUDA events: --timing-source cuda_events", error.what());
  }
  options.mode = worker_mode(device, TimingSource::cuda_events);
  Supervisor planner(options);
  catalog = planner.catalog();
  observer.log(refusal);
  return {options, std::move(planner), std::move(catalog), device, refusal};
}

SweepRequest decided_request(SweepRequest request, const Measurer& measurer) {
  request = with_plugin_kernels(std::move(request), measurer.catalog);
  request.device = measurer.device.id;
  return request;
}

/// Files by names that hold from anywhere, since a resume may start elsewhere, and the hash of the plug-in.
SweepRequest with_absolute_files(SweepRequest request) {
  if (!request.tensors.empty()) request.tensors = std::filesystem::absolute(request.tensors);
  if (request.plugin.empty()) return request;
  request.plugin = std::filesystem::absolute(request.plugin);
  request.plugin_sha256 = sha256_hex(MappedFile(request.plugin).bytes());
  return request;
}

}  // namespace triscope
