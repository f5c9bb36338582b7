#include "profiler/worker/backend.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "kernels/error.hpp"
#include "profiler/environment.hpp"
#include "profiler/worker/cpu_backend.hpp"
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
    return std::make_unique<CpuBackend>();
  }
#ifdef TRISCOPE_HAVE_CUDA
  if (mode == "activity") return std::make_unique<CudaBackend>(make_activity_timer(), device);
  if (mode == "counters") return std::make_unique<CudaBackend>(make_events_timer(), device, true);
  if (mode == "events") return std::make_unique<CudaBackend>(make_events_timer(), device);
#endif
  throw Error("the worker cannot start", fmt::format("this build cannot measure in mode \"{}\"", mode),
              "build it with ./run build --cuda on the machine that has the GPU, or use --device cpu");
}

std::vector<Counter> Backend::read_counters(CounterSet, const Launch&) {
  throw Error("hardware counters cannot be read", "this worker does not read counters", "start it with --mode counters");
}

void end_if_lost(Backend& backend, const char* what) {
  if (!backend.lost()) return;
  std::fprintf(stderr, "triscope-worker: %s\n", what);
  std::_Exit(static_cast<int>(ExitCode::environment));
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
