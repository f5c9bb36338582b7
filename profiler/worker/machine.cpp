#include "profiler/worker/machine.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "kernels/base/error.hpp"
#include "kernels/base/files/wheel.hpp"
#include "profiler/worker/device/cpu_backend.hpp"
#include "profiler/worker/device/environment.hpp"
#ifdef TRISCOPE_HAVE_CUDA
#include "profiler/worker/cuda/cuda_backend.hpp"
#include "profiler/worker/cuda/gpu_device.hpp"
#endif

namespace triscope {

std::unique_ptr<Backend> make_backend(const std::string& mode, const std::string& device) {
  if (mode == "cpu") {
    if (device != "cpu") {
      throw Error("the worker cannot start", fmt::format("mode cpu has no device \"{}\"", device), "use device cpu");
    }
    return std::make_unique<CpuBackend>(machine_devices());
  }
#ifdef TRISCOPE_HAVE_CUDA
  if (mode == "activity") return std::make_unique<CudaBackend>(make_activity_timer(), device);
  if (mode == "counters") return std::make_unique<CudaBackend>(make_events_timer(), device, true);
  if (mode == "events") return std::make_unique<CudaBackend>(make_events_timer(), device);
#endif
  throw Error("the worker cannot start", fmt::format("this build cannot measure in mode \"{}\"", mode),
              fmt::format("{} on the machine that has the GPU, or use --device cpu",
                          came_in_a_wheel() ? kWheelWithCuda : "build it with ./run build --cuda"));
}

std::vector<Device> machine_devices() {
  std::vector<Device> devices;
#ifdef TRISCOPE_HAVE_CUDA
  std::string no_gpu;
  devices = gpu_devices(no_gpu);
#endif
  devices.push_back(cpu_device());
  return devices;
}

std::string machine_gpu_problem() {
  std::string problem;
#ifdef TRISCOPE_HAVE_CUDA
  if (std::filesystem::exists("/proc/driver/nvidia/version")) (void)gpu_devices(problem);
#endif
  return problem;
}

}  // namespace triscope
