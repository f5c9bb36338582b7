#include "profiler/sweep/measurer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/sha256.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/record/words/kernel_refusal.hpp"

namespace triscope {
namespace {

bool is_of(const KernelInfo& kernel, const std::filesystem::path& plugin) {
  return !plugin.empty() && kernel.library == plugin.string();
}

SweepRequest with_plugin_kernels(SweepRequest request, const Catalog& catalog) {
  if (request.plugin.empty() || request.kernels.empty()) return request;
  const auto is_named = [&](const KernelInfo& kernel) {
    return is_of(kernel, request.plugin) &&
           std::find(request.kernels.begin(), request.kernels.end(), kernel.id) != request.kernels.end();
  };
  if (std::any_of(catalog.kernels.begin(), catalog.kernels.end(), is_named)) return request;  // chosen one by one
  for (const KernelInfo& kernel : catalog.kernels) {
    if (is_of(kernel, request.plugin)) request.kernels.push_back(kernel.id);
  }
  return request;
}

/// The device of a plug-in's kernels when the request leaves it open and names no other kernels.
std::string device_of_plugin(const SweepRequest& request, const Catalog& catalog) {
  if (request.plugin.empty() || !request.kernels.empty() || request.device != "auto") return request.device;
  const bool on_cpu = std::all_of(catalog.kernels.begin(), catalog.kernels.end(), [&](const KernelInfo& kernel) {
    return !is_of(kernel, request.plugin) || kernel.device == DeviceKind::cpu;
  });
  return on_cpu ? "cpu" : request.device;
}

/// A plug-in whose kernels all need another kind of device would be left out in silence.
void require_plugin_on(const Device& device, const SweepRequest& request, const Catalog& catalog) {
  const KernelInfo* elsewhere = nullptr;
  for (const KernelInfo& kernel : catalog.kernels) {
    if (!is_of(kernel, request.plugin)) continue;
    if (kernel.device == device.kind) return;
    elsewhere = &kernel;
  }
  if (elsewhere == nullptr) return;
  const bool on_gpu = elsewhere->device == DeviceKind::cuda;
  throw Error(fmt::format("{} cannot be measured on {}", request.plugin.filename().string(), device.id),
              fmt::format("{} runs on {}", elsewhere->id, on_gpu ? "a GPU" : "the CPU"),
              on_gpu ? "measure it on a machine with a GPU" : "choose --device cpu", ExitCode::usage);
}

/// A kernel that nothing here runs, where the request leaves the device open: the plan is of the one that is chosen.
void require_named_on_some(const SweepRequest& request, const Catalog& catalog) {
  if (request.device != "auto") return;
  for (const std::string& id : request.kernels) {
    const KernelInfo* kernel = find_kernel(catalog, id);
    if (kernel != nullptr && !is_of(*kernel, request.plugin)) require_device_of(*kernel, catalog, "measured");
  }
}

}  // namespace

std::vector<SupportAnswer> ask_support(Supervisor& supervisor, const Catalog& catalog,
                                       const std::filesystem::path& plugin,
                                       const std::vector<SupportQuestion>& questions) {
  std::map<std::string, const KernelInfo*> foreign;
  for (const KernelInfo& kernel : catalog.kernels) {
    if (is_of(kernel, plugin)) foreign.emplace(kernel.id, &kernel);
  }
  std::string why;
  try {
    return supervisor.support(questions);
  } catch (const Error& error) {
    if (foreign.empty()) throw;
    why = error.why();
  }
  std::vector<SupportQuestion> own;
  for (const SupportQuestion& question : questions) {
    if (!foreign.contains(question.kernel)) own.push_back(question);
  }
  std::vector<SupportAnswer> answers = own.empty() ? std::vector<SupportAnswer>() : supervisor.support(own);
  std::vector<SupportAnswer> all;
  auto next = answers.begin();
  for (const SupportQuestion& question : questions) {
    const auto of = foreign.find(question.kernel);
    if (of == foreign.end()) {
      all.push_back(std::move(*next++));
      continue;
    }
    all.push_back(
        {{{of->second->instances.front(),
           fmt::format("{} ended the worker when it was asked about it: {}", plugin.filename().string(), why), 0}}});
  }
  return all;
}

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
  require_named_on_some(request, catalog);
  const Device device = sweep_device(request, catalog);
  require_plugin_on(device, request, catalog);
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
