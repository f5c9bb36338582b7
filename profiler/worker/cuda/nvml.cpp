#include "profiler/worker/cuda/nvml.hpp"

#include <array>

#include "kernels/base/files/shared_library.hpp"
#include "profiler/record/clock.hpp"

namespace triscope {
namespace {

// The part of NVML's C ABI that is used (nvml.h of driver 580; stable since NVML 4).
using Handle = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kFieldPowerInstant = 186;  // mW; plain power usage is an average over a second on Hopper

struct FieldValue {
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency_us = 0;
  unsigned value_type = 0;
  int result = 0;
  union {
    double d;
    unsigned u;
    unsigned long long ull;
  } value{};
};

}  // namespace

struct Nvml::Impl {
  SharedLibrary library;
  Handle device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*by_uuid)(const char*, Handle*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;
  int (*max_clock)(Handle, int, unsigned*) = nullptr;
  int (*temperature)(Handle, int, unsigned*) = nullptr;
  int (*power)(Handle, unsigned*) = nullptr;
  int (*power_limit)(Handle, unsigned*) = nullptr;
  int (*reasons)(Handle, unsigned long long*) = nullptr;
  int (*fields)(Handle, int, FieldValue*) = nullptr;
  int (*mig)(Handle, unsigned*, unsigned*) = nullptr;
  bool started = false;

  bool load(std::string& why) {
    if (!library.open("libnvidia-ml.so.1", why)) return false;
    const auto find = [&](auto& function, const char* name) {
      function = library.symbol<std::remove_reference_t<decltype(function)>>(name);
      if (function == nullptr) why = std::string("libnvidia-ml.so.1 has no ") + name;
      return function != nullptr;
    };
    const bool found = find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
                       find(error_string, "nvmlErrorString") && find(by_uuid, "nvmlDeviceGetHandleByUUID") &&
                       find(driver, "nvmlSystemGetDriverVersion") && find(clock, "nvmlDeviceGetClockInfo") &&
                       find(max_clock, "nvmlDeviceGetMaxClockInfo") && find(temperature, "nvmlDeviceGetTemperature") &&
                       find(power, "nvmlDeviceGetPowerUsage") && find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    if (!found) return false;
    reasons = library.symbol<decltype(reasons)>("nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons == nullptr) reasons = library.symbol<decltype(reasons)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    fields = library.symbol<decltype(fields)>("nvmlDeviceGetFieldValues");
    mig = library.symbol<decltype(mig)>("nvmlDeviceGetMigMode");
    return true;
  }

  std::optional<double> power_w() const {
    FieldValue field;
    field.field = kFieldPowerInstant;
    if (fields != nullptr && fields(device, 1, &field) == kSuccess && field.result == kSuccess)
      return field.value.u / 1e3;
    unsigned milliwatts = 0;
    if (power(device, &milliwatts) != kSuccess) return std::nullopt;
    return milliwatts / 1e3;
  }
};

Nvml::Nvml() : impl_(std::make_unique<Impl>()) {}

Nvml::~Nvml() {
  if (impl_->started) impl_->shutdown();
}

std::unique_ptr<Nvml> Nvml::open(const std::string& uuid, std::string& why) {
  std::unique_ptr<Nvml> nvml(new Nvml);
  if (!nvml->impl_->load(why)) return nullptr;
  int result = nvml->impl_->init();
  nvml->impl_->started = result == kSuccess;
  if (result == kSuccess) result = nvml->impl_->by_uuid(uuid.c_str(), &nvml->impl_->device);
  if (result == kSuccess) return nvml;
  why = nvml->impl_->error_string(result);
  return nullptr;
}

ConditionReading Nvml::read() const {
  ConditionReading reading;
  reading.time_ns = monotonic_raw_ns();
  unsigned value = 0;
  if (impl_->clock(impl_->device, kClockSm, &value) == kSuccess) reading.sm_clock_mhz = value;
  if (impl_->temperature(impl_->device, kTemperatureGpu, &value) == kSuccess) reading.temperature_c = value;
  reading.power_w = impl_->power_w();
  unsigned long long bits = 0;
  if (impl_->reasons != nullptr && impl_->reasons(impl_->device, &bits) == kSuccess) reading.throttle_bits = bits;
  return reading;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  return impl_->driver(text.data(), text.size()) == kSuccess ? text.data() : "";
}

std::optional<double> Nvml::power_limit_w() const {
  unsigned milliwatts = 0;
  if (impl_->power_limit(impl_->device, &milliwatts) != kSuccess) return std::nullopt;
  return milliwatts / 1e3;
}

std::optional<double> Nvml::max_sm_clock_mhz() const {
  unsigned mhz = 0;
  if (impl_->max_clock(impl_->device, kClockSm, &mhz) != kSuccess) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::max_memory_clock_mhz() const {
  unsigned mhz = 0;
  if (impl_->max_clock(impl_->device, kClockMemory, &mhz) != kSuccess) return std::nullopt;
  return mhz;
}

bool Nvml::mig_enabled() const {
  unsigned current = 0, pending = 0;
  return impl_->mig != nullptr && impl_->mig(impl_->device, &current, &pending) == kSuccess && current == 1;
}

}  // namespace triscope
