#include "profiler/supervise/worker_jobs.hpp"

#include <algorithm>
#include <utility>

#include "profiler/record/words/kernel_refusal.hpp"

namespace triscope {

Catalog query_catalog(const WorkerOptions& options) {
  WorkerOptions cpu = options;
  cpu.mode = cpu.device = "cpu";
  return Supervisor(std::move(cpu)).catalog();
}

WorkerOptions worker_for(WorkerOptions options, const Catalog& catalog, const std::string& device) {
  const Device& chosen = choose_device(catalog, device);
  options.mode = worker_mode(chosen, TimingSource::cuda_events);  // needs least: no CUPTI
  options.device = chosen.id;
  return options;
}

namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The kernels asked for, or all; of an instance asked for by name those that have it, unless none has.
std::vector<std::string> kernels_to_check(const CheckRequest& request, const Catalog& catalog) {
  if (!request.kernels.empty()) return request.kernels;
  std::vector<std::string> all, with_instance;
  for (const KernelInfo& kernel : catalog.kernels) {
    if (kernel.card.kind == KernelKind::gemm) continue;
    all.push_back(kernel.id);
    if (contains(kernel.instances, request.instance)) with_instance.push_back(kernel.id);
  }
  return with_instance.empty() ? all : with_instance;
}

}  // namespace

std::string device_for(const std::string& device, const std::string& kernel, const Catalog& catalog) {
  const KernelInfo* info = find_kernel(catalog, kernel);
  if (device != "auto" || info == nullptr) return device;
  require_device_of(*info, catalog, "run");
  return info->device == DeviceKind::cpu ? "cpu" : device;
}

bool run_check(const WorkerOptions& options, const std::string& device, const CheckRequest& request,
               const std::function<void(const CheckRow&)>& row, std::stop_token stop) {
  const Catalog catalog = query_catalog(options);
  const auto check_on = [&](const std::string& id, const CheckRequest& part) {
    return Supervisor(worker_for(options, catalog, id)).check(part, row, stop);
  };
  if (device != "auto") return check_on(device, request);
  const Device& first = choose_device(catalog, "auto");
  CheckRequest on_gpu = request, on_cpu = request;
  on_gpu.kernels.clear();
  on_cpu.kernels.clear();
  for (const std::string& id : kernels_to_check(request, catalog)) {
    const KernelInfo* kernel = find_kernel(catalog, id);  // the CPU's worker refuses one that is not there, in words
    const bool for_gpu = kernel != nullptr && kernel->device == DeviceKind::cuda;
    if (for_gpu && !request.kernels.empty()) require_device_of(*kernel, catalog, "checked");
    if (for_gpu && first.kind == DeviceKind::cuda) {
      on_gpu.kernels.push_back(id);
    } else if (!for_gpu) {
      on_cpu.kernels.push_back(id);
    }
  }
  bool passed = true;
  if (!on_cpu.kernels.empty()) passed = check_on("cpu", on_cpu);
  if (!on_gpu.kernels.empty() && !stop.stop_requested()) passed = check_on(first.id, on_gpu) && passed;
  return passed;
}

EvalReply run_eval(const WorkerOptions& options, const std::string& device, const EvalRequest& request,
                   std::stop_token stop) {
  const Catalog catalog = query_catalog(options);
  return Supervisor(worker_for(options, catalog, device_for(device, request.kernel, catalog))).eval(request, stop);
}

}  // namespace triscope
