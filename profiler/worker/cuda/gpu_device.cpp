#include "profiler/worker/cuda/gpu_device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "profiler/worker/cuda/nvml.hpp"

namespace triscope {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int n = 0; n < 16; ++n) {
    if (n == 4 || n == 6 || n == 8 || n == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[n]));
  }
  return text;
}

Device describe_gpu(int index, const cudaDeviceProp& properties) {
  Device device;
  device.id = fmt::format("{}", index);
  device.kind = DeviceKind::cuda;
  device.name = properties.name;
  device.uuid = uuid_text(properties.uuid);
  device.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.multiprocessors = properties.multiProcessorCount;
  std::string why;
  const std::unique_ptr<Nvml> nvml = Nvml::open(device.uuid, why);
  if (nvml) {
    device.max_sm_clock_mhz = nvml->max_sm_clock_mhz();
    device.power_limit_w = nvml->power_limit_w();
  }
  device.limits = gpu_limits(properties.major, nvml && nvml->mig_enabled(), nvml ? "" : why);
  const std::optional<double> per_clock = bf16_flops_per_clock(properties.major, properties.minor, device.name);
  if (per_clock && device.max_sm_clock_mhz) {
    device.peak_tflops_at_max_clock = *per_clock * properties.multiProcessorCount * *device.max_sm_clock_mhz * 1e-6;
  }
  return device;
}

}  // namespace

std::vector<std::string> gpu_limits(int major, bool mig, const std::string& nvml_problem) {
  std::vector<std::string> limits;
  if (!nvml_problem.empty())
    limits.push_back(
        fmt::format("clocks, power and throttling are unknown: NVML answers \"{}\"; install the driver's own "
                    "libnvidia-ml.so.1, or, in "
                    "a container, start it with NVIDIA_DRIVER_CAPABILITIES=compute,utility",
                    nvml_problem));
  if (mig) {
    limits.emplace_back(
        "MIG is on: this is a slice of a GPU, and hardware counters cannot be read; leave --counters out, or choose a "
        "GPU "
        "without MIG");
  }
  if (major < 8) {
    limits.emplace_back(
        "compute capability below 8.0: the tensor-core kernels cannot run; choose a newer GPU, or measure with "
        "--device cpu");
  }
  return limits;
}

std::string no_gpu_text(int result, int driver, int runtime) {
  const auto version = [](int number) { return fmt::format("{}.{}", number / 1000, number / 10 % 100); };
  if (result == cudaErrorInsufficientDriver) {
    if (driver == 0) return "the driver's library libcuda.so.1 cannot be loaded";
    return fmt::format("the driver is for CUDA {}, Triscope needs {}: update it to 580 or later", version(driver),
                       version(runtime));
  }
  if (result == cudaErrorNoDevice) return "the driver offers no device (CUDA_VISIBLE_DEVICES may hide it)";
  const auto error = static_cast<cudaError_t>(result);
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

std::vector<Device> gpu_devices(std::string& why) {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    why = no_gpu_text(result, driver, runtime);
    cudaGetLastError();  // clears it
    return {};
  }
  std::vector<Device> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, index) == cudaSuccess) devices.push_back(describe_gpu(index, properties));
  }
  if (devices.empty()) why = "the CUDA runtime offers no device";
  return devices;
}

std::optional<int> gpu_number(const std::vector<Device>& devices, const std::string& id) {
  for (const Device& device : devices) {
    if (device.kind == DeviceKind::cuda && device.id == id)
      return std::stoi(id);  // its place differs where one is broken
  }
  return std::nullopt;
}

std::optional<double> bf16_flops_per_clock(int major, int minor, const std::string& name) {
  if (major == 8 && minor == 0) return 2048;
  if (major == 8 && (minor == 6 || minor == 9) && name.find("GeForce") != std::string::npos) return 512;
  if (major == 9) return 4096;
  return std::nullopt;
}

}  // namespace triscope
