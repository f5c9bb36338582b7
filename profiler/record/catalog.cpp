#include "profiler/record/catalog.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"

namespace triscope {

const KernelInfo* find_kernel(const Catalog& catalog, std::string_view id) {
  for (const KernelInfo& kernel : catalog.kernels) {
    if (kernel.id == id) return &kernel;
  }
  return nullptr;
}

const Device& choose_device(const Catalog& catalog, std::string_view device) {
  for (const Device& candidate : catalog.devices) {
    if (device == "auto" ? candidate.kind == DeviceKind::cuda : candidate.id == device) return candidate;
  }
  std::string known;
  for (const Device& candidate : catalog.devices) {
    if (device == "auto" && candidate.kind == DeviceKind::cpu) return candidate;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", candidate.id, candidate.name);
  }
  const std::string why = catalog.gpu_problem.empty() || device == "cpu" ? "this machine does not have it"
                                                                         : "no GPU can be used: " + catalog.gpu_problem;
  const bool is_number = !device.empty() && device.find_first_not_of("0123456789") == std::string_view::npos;
  const bool is_id = device == "cpu" || is_number;
  throw Error(fmt::format("device \"{}\" cannot be used", device), is_id ? why : "this is no device",
              fmt::format("choose one of: {}", known), is_id ? ExitCode::environment : ExitCode::usage);
}

std::string worker_mode(const Device& device, TimingSource source) {
  if (device.kind == DeviceKind::cpu) return "cpu";
  return source == TimingSource::cuda_events ? "events" : "activity";
}

TimingSource timing_source(const Device& device) {
  return device.kind == DeviceKind::cpu ? TimingSource::cpu_clock : TimingSource::cupti;
}

Element native_element(DeviceKind kind) { return kind == DeviceKind::cpu ? Element::fp32 : Element::bf16; }

}  // namespace triscope
