#include "profiler/worker/device/cpu_backend.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/worker/device/environment.hpp"

namespace triscope {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::int64_t kAssumedCacheBytes = std::int64_t{64} << 20;  // where the system does not say
constexpr auto kIdleTime = std::chrono::milliseconds(20);            // lets boost clocks and other threads settle
constexpr double kPreemptedShare = 0.01;  // of the block's thread time spent waiting for a CPU

// Time the threads of this process were ready to run but waited for a CPU, in ns; -1 where the system does not say.
std::int64_t waited_for_cpu_ns() {
  std::int64_t total = 0;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(task.path() / "schedstat");
    std::int64_t running = 0, waiting = 0;
    if (!(file >> running >> waiting)) return -1;
    total += waiting;
  }
  return error ? -1 : total;
}

std::int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

CpuBackend::CpuBackend(std::vector<Device> all_devices) : device_(cpu_device()), all_devices_(std::move(all_devices)) {
  if (all_devices_.empty()) all_devices_.push_back(device_);
}

Environment CpuBackend::environment() const { return environment_of(device_); }

void* CpuBackend::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = rounded < bytes ? nullptr : std::aligned_alloc(kAlignment, rounded);
  if (memory == nullptr) {
    throw Error("tensors cannot be allocated", fmt::format("{} bytes of memory cannot be allocated", bytes),
                "choose a smaller problem or free memory");
  }
  return memory;
}

void CpuBackend::release(void* memory) noexcept { std::free(memory); }
void CpuBackend::copy_to_device(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void CpuBackend::copy_to_host(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void CpuBackend::poison(void* memory, std::size_t bytes) { std::memset(memory, 0xFF, bytes); }

Sample CpuBackend::time_block(const Launch& launch, std::int64_t launches) {
  const std::int64_t waited_before = waited_for_cpu_ns();
  const std::int64_t switches_before = involuntary_switches();
  const std::int64_t start = monotonic_raw_ns();
  for (std::int64_t n = 0; n < launches; ++n) launch();
  const std::int64_t end = monotonic_raw_ns();
  Sample sample;
  sample.started_ns = start;
  sample.launches = launches;
  sample.duration_ns = (end - start) / launches;
  sample.sm_clock_mhz = cpu_clock_mhz();
  const std::int64_t waited = waited_for_cpu_ns();
  const double thread_time = static_cast<double>(end - start) * static_cast<double>(device_.multiprocessors);
  const bool preempted = waited_before < 0 || waited < 0
                             ? involuntary_switches() > switches_before
                             : static_cast<double>(waited - waited_before) > kPreemptedShare * thread_time;
  if (preempted) sample.flag = "preempted";
  return sample;
}

void CpuBackend::make_cold() {
  if (flush_.empty())
    flush_.resize(static_cast<std::size_t>(2 * last_level_cache_bytes().value_or(kAssumedCacheBytes)));
  static char value = 0;
  ++value;
  std::memset(flush_.data(), value, flush_.size());
  asm volatile("" : : "r"(flush_.data()) : "memory");  // the buffer is never read: keep the stores
  std::this_thread::sleep_for(kIdleTime);
}

std::unique_ptr<SliceEngine> CpuBackend::make_slices() const { return make_cpu_slices(); }

std::vector<LaunchRecord> CpuBackend::record_launch(const std::string& name, const Launch& launch) {
  LaunchRecord record;
  record.name = name;
  record.grid[0] = device_.multiprocessors;  // threads
  record.grid[1] = record.grid[2] = 1;
  for (std::int64_t& extent : record.block) extent = 1;
  for (std::int64_t& extent : record.cluster) extent = 1;
  record.start_ns = monotonic_raw_ns();
  launch();
  record.end_ns = monotonic_raw_ns();
  return {record};
}

}  // namespace triscope
