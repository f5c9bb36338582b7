// Machines that are not here: a catalog with a GPU and one without, and kernels that answer support questions.
#pragma once

#include <string>
#include <vector>

#include "profiler/record/catalog.hpp"
#include "tests/profiler/record/kernel_cards.hpp"

namespace triscope {

inline KernelInfo fake_kernel(std::string id, DeviceKind device, std::vector<std::string> instances = {"only"}) {
  KernelInfo kernel;
  kernel.id = kernel.name = std::move(id);
  kernel.card = card_of(kernel.id);
  kernel.device = device;
  kernel.source_hash = {"forward of " + kernel.id, "backward of " + kernel.id};
  kernel.instances = std::move(instances);
  return kernel;
}

inline Device fake_device(std::string id, DeviceKind kind, std::int64_t memory_bytes) {
  Device device;
  device.id = std::move(id);
  device.kind = kind;
  device.name = kind == DeviceKind::cpu ? "Test CPU" : "Test GPU";
  device.memory_bytes = memory_bytes;
  device.multiprocessors = kind == DeviceKind::cpu ? 2 : 132;
  return device;
}

inline Catalog fake_catalog(bool with_gpu) {
  Catalog catalog;
  if (with_gpu) catalog.devices.push_back(fake_device("0", DeviceKind::cuda, std::int64_t{140} << 30));
  catalog.devices.push_back(fake_device("cpu", DeviceKind::cpu, std::int64_t{16} << 30));
  catalog.environment.device_id = catalog.devices.front().id;
  catalog.kernels = {fake_kernel("cpu.oracle", DeviceKind::cpu), fake_kernel("cpu.fast", DeviceKind::cpu),
                     fake_kernel("baseline.cpu", DeviceKind::cpu)};
  if (with_gpu) {
    catalog.kernels.push_back(fake_kernel("cuda.portable", DeviceKind::cuda, {"a", "b", "c"}));
    catalog.kernels.push_back(fake_kernel("cuda.hopper", DeviceKind::cuda, {"wide", "narrow"}));
    catalog.kernels.push_back(fake_kernel("baseline.fa3", DeviceKind::cuda));
    catalog.kernels.push_back(fake_kernel("baseline.cublas", DeviceKind::cuda));
  }
  return catalog;
}

/// Two-axis kernels take two-axis problems, baselines dot products; cuda.hopper refuses head dimensions other than 64
/// and 128.
inline std::vector<SupportAnswer> fake_support(const Catalog& catalog, const std::vector<SupportQuestion>& questions) {
  std::vector<SupportAnswer> answers;
  for (const SupportQuestion& question : questions) {
    const KernelInfo& kernel = *find_kernel(catalog, question.kernel);
    std::optional<std::string> reason;
    const bool one_axis = question.problem.form == Form::dot_product || question.problem.form == Form::gemm;
    if (is_baseline(kernel.card.kind) != one_axis) reason = "it has another form";
    if (kernel.id == "cuda.hopper" && question.problem.head_dim != 64 && question.problem.head_dim != 128) {
      reason = "head_dim must be 64 or 128";
    }
    SupportAnswer answer;
    if (question.instance == "all") {
      for (const std::string& instance : kernel.instances) answer.instances.push_back({instance, reason, 1000});
    } else {
      answer.instances.push_back(
          {question.instance == "auto" ? kernel.instances.front() : question.instance, reason, 1000});
    }
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace triscope
