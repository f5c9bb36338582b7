#include "profiler/worker/jobs/check_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/base/error.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/worker/jobs/check_cases.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {
namespace {

std::vector<const Kernel*> select(const CheckRequest& request, const Backend& backend, KernelList kernels) {
  std::vector<const Kernel*> selected;
  if (request.kernels.empty()) {
    for (const Kernel* kernel : kernels) {
      const KernelInfo& info = kernel->info();
      if (info.device == backend.device().kind && info.card.kind != KernelKind::gemm) selected.push_back(kernel);
    }
  }
  for (const std::string& id : request.kernels) selected.push_back(&require_kernel_on(kernels, id, backend.device()));
  return selected;
}

std::vector<std::string> instances_of(const Kernel& kernel, const std::string& instance, const CheckCase& one,
                                      Pass pass) {
  if (instance == "all") return kernel.info().instances;
  if (instance != "auto") return {instance};
  if (kernel.unsupported(one.problem, pass)) return {kernel.info().instances.front()};
  return {kernel.choose_instance(one.problem, pass)};
}

bool has_instance(const std::vector<const Kernel*>& kernels, const std::string& instance) {
  return std::any_of(kernels.begin(), kernels.end(), [&](const Kernel* kernel) {
    const auto& names = kernel->info().instances;
    return std::find(names.begin(), names.end(), instance) != names.end();
  });
}

void compare(CheckRow& row, const Kernel& kernel, KernelList kernels, Backend& backend, std::uint64_t seed) {
  if (std::optional<std::string> reason = kernel.unsupported(row.problem, row.pass, row.instance)) {
    row.status = Status::skipped;
    row.reason = *reason;
    return;
  }
  try {
    const InputSet inputs(backend, row.problem, row.pass == Pass::backward, {seed, row.inputs, ""});
    PreparedLaunch launch(backend, kernels, kernel, row.problem, row.pass, row.instance, inputs);
    CheckOptions options;
    options.seed = seed;
    options.everything = true;
    options.peaked = row.inputs != InputKind::normal;
    const CheckResult result = launch.verify(inputs, options);
    row.errors = result.errors;
    if (!result.failure) return;
    row.reason = *result.failure;
  } catch (const std::exception& e) {
    end_if_lost(backend, e.what());
    row.reason = e.what();
  }
  row.status = Status::failed;
}

}  // namespace

void run_check_job(const CheckRequest& request, Backend& backend, KernelList kernels, const JobPort& port) {
  const std::vector<const Kernel*> selected = select(request, backend, kernels);
  if (request.instance != "all" && request.instance != "auto" && !has_instance(selected, request.instance)) {
    throw Error(fmt::format("instance \"{}\" cannot be checked", request.instance), "none of the kernels has it",
                "use auto, all or a name that `triscope kernels` shows", ExitCode::usage);
  }
  const Element element = native_element(backend.device().kind);
  struct Item {
    const Kernel* kernel;
    CheckRow row;
  };
  std::vector<Item> items;
  for (const Kernel* kernel : selected) {
    const bool baseline = is_baseline(kernel->info().card.kind);
    for (const CheckCase& one :
         baseline ? baseline_check_cases(element, request.quick) : check_cases(element, request.quick)) {
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        for (const std::string& instance : instances_of(*kernel, request.instance, one, pass)) {
          CheckRow row;
          row.kernel = kernel->info().id;
          row.instance = instance;
          row.problem = one.problem;
          row.pass = pass;
          row.inputs = one.inputs;
          items.push_back({kernel, row});
        }
      }
    }
  }
  std::int64_t index = 0;
  for (Item& item : items) {
    if (port.cancelled()) return;
    item.row.index = index++;
    item.row.total = static_cast<std::int64_t>(items.size());
    port.send(ProgressReport{item.row.index, "check",
                             fmt::format("{} {} {}, {} inputs", item.row.kernel, to_string(item.row.pass),
                                         describe(item.row.problem), to_string(item.row.inputs))});
    compare(item.row, *item.kernel, kernels, backend, request.seed);
    port.send(item.row);
  }
}

}  // namespace triscope
