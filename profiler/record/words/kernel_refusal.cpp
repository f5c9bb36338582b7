#include "profiler/record/words/kernel_refusal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/files/wheel.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "kernels/base/third_party.hpp"
#include "profiler/record/recorded_database.hpp"

namespace triscope {
namespace {

bool names_gpu_kernel(std::string_view id) { return id.starts_with("cuda.") || find_third_party_part(id) != nullptr; }

std::string or_the_recording(const std::string& fix) {
  const std::string hint = recorded_database_hint();
  return hint.empty() ? fix : fmt::format("{}; {}", fix, hint);
}

}  // namespace

Error unknown_kernel(const std::string& id, std::span<const std::string> known, std::string_view done) {
  const std::string what = fmt::format("kernel \"{}\" cannot be {}", id, done);
  if (names_gpu_kernel(id) && std::none_of(known.begin(), known.end(), names_gpu_kernel)) {
    return Error(
        what, "this build has no GPU kernels",
        or_the_recording(fmt::format("on a machine with a GPU, {}",
                                     came_in_a_wheel() ? kWheelWithCuda : "build them with ./run build --cuda")));
  }
  return Error(what, "this build has no kernel of that name",
               fmt::format("{}choose from: {}", nearest_name_hint(id, known), fmt::join(known, ", ")), ExitCode::usage);
}

Error kernel_of_another_device(const KernelInfo& kernel, const Device& device, std::string_view done) {
  return Error(fmt::format("kernel {} cannot be {} on device {}", kernel.id, done, device.id),
               fmt::format("it runs on {} devices only", to_string(kernel.device)), "choose another device or kernel",
               ExitCode::usage);
}

void require_device_of(const KernelInfo& kernel, const Catalog& catalog, std::string_view done) {
  const auto runs_it = [&](const Device& device) { return device.kind == kernel.device; };
  if (std::any_of(catalog.devices.begin(), catalog.devices.end(), runs_it)) return;
  throw Error(fmt::format("kernel {} cannot be {}", kernel.id, done),
              catalog.gpu_problem.empty() ? "it runs on GPUs only, and there is none here"
                                          : "it runs on GPUs only, and none can be used: " + catalog.gpu_problem,
              or_the_recording("use a machine with a GPU (--worker-prefix reaches one)"));
}

}  // namespace triscope
