#include "profiler/worker/cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/inspect/cuda/slice.hpp"
#include "profiler/worker/cuda/gpu_device.hpp"
#include "profiler/worker/cuda/tensor_kernels.hpp"
#include "profiler/worker/device/environment.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kSettleNs = 800'000'000;  // an H100 at its power limit swings less from then on (docs/method.md)
constexpr auto kIdleTime = std::chrono::milliseconds(80);  // clocks return to boost, power falls

std::vector<Device> devices_with_cpu(const std::string& wanted) {
  std::string why;
  std::vector<Device> devices = gpu_devices(why);
  if (devices.empty()) {
    throw Error(fmt::format("device {} cannot be used", wanted), why,
                "install an NVIDIA driver for CUDA 13 (580 or later), or use --device cpu");
  }
  devices.push_back(cpu_device());
  return devices;
}

std::string version_text(int number) { return fmt::format("{}.{}", number / 1000, number / 10 % 100); }

}  // namespace

CudaBackend::CudaBackend(std::unique_ptr<GpuTimer> timer, const std::string& device, bool with_counters)
    : timer_(std::move(timer)), devices_(devices_with_cpu(device)) {
  const std::optional<int> number = gpu_number(devices_, device);
  if (!number) {
    throw Error(fmt::format("device {} cannot be used", device),
                fmt::format("this machine has {} usable GPUs, and none of that name", devices_.size() - 1),
                "choose one that `triscope devices` lists");
  }
  device_ = *std::find_if(devices_.begin(), devices_.end(), [&](const Device& one) { return one.id == device; });
  TRISCOPE_CUDA_CHECK(cudaSetDevice(*number));
  if (with_counters) counters_ = std::make_unique<CounterReader>();
  TRISCOPE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  int l2_bytes = 0;
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, *number));
  flush_bytes_ = 2 * static_cast<std::size_t>(l2_bytes);
  std::string why;
  nvml_ = Nvml::open(device_.uuid, why);  // device_.limits says so when it fails
  if (nvml_) monitor_ = std::make_unique<ConditionMonitor>(*nvml_);
}

CudaBackend::~CudaBackend() {
  cudaFree(flush_written_);
  cudaFree(flush_read_);
  cudaFree(word_);
  cudaStreamDestroy(stream_);
}

Environment CudaBackend::environment() const {
  Environment environment = environment_of(device_);
  int runtime = 0;
  TRISCOPE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  environment.cuda_version = version_text(runtime);
  environment.cupti_version = counters_ ? counters_->version() : timer_->version();
  if (nvml_) {
    environment.driver_version = nvml_->driver_version();
    environment.max_memory_clock_mhz = nvml_->max_memory_clock_mhz();
  }
  return environment;
}

void* CudaBackend::allocate(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();  // an allocation that fails leaves the device usable
  std::size_t free_bytes = 0, total_bytes = 0;
  TRISCOPE_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  throw Error(
      "tensors cannot be allocated",
      fmt::format("{} bytes are asked for, {} of {} are free on {}", bytes, free_bytes, total_bytes, device_.name),
      "choose a smaller problem, or end other programs that use the GPU");
}

void CudaBackend::release(void* memory) noexcept { cudaFree(memory); }

void CudaBackend::copy_to_device(void* to, const void* from, std::size_t bytes) {
  TRISCOPE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
  synchronize();
}

void CudaBackend::copy_to_host(void* to, const void* from, std::size_t bytes) {
  TRISCOPE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
  synchronize();
}

void CudaBackend::poison(void* memory, std::size_t bytes) {
  TRISCOPE_CUDA_CHECK(cudaMemsetAsync(memory, 0xFF, bytes, stream_));
  synchronize();
}

void CudaBackend::generate(InputStream stream, std::uint64_t seed, Element element, void* to, std::size_t count) {
  cuda::generate_input(stream, seed, element, to, count, stream_);
  synchronize();
}

std::uint64_t CudaBackend::found(std::uint64_t start, const std::function<void(std::uint64_t*)>& work) {
  if (word_ == nullptr) word_ = allocate(sizeof start);
  copy_to_device(word_, &start, sizeof start);
  work(static_cast<std::uint64_t*>(word_));
  std::uint64_t result = 0;
  copy_to_host(&result, word_, sizeof result);
  return result;
}

std::uint64_t CudaBackend::fingerprint(const void* memory, std::size_t bytes) {
  return found(0, [&](std::uint64_t* sum) { cuda::add_fingerprint(memory, bytes, sum, stream_); });
}

std::size_t CudaBackend::first_not_finite(const void* memory, Element element, std::size_t count) {
  return found(count, [&](std::uint64_t* first) { cuda::find_not_finite(memory, element, count, first, stream_); });
}

MemoryInUse CudaBackend::memory_in_use() const {
  std::size_t free_bytes = 0, total_bytes = 0;
  TRISCOPE_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  MemoryInUse memory = Backend::memory_in_use();
  memory.device_bytes = static_cast<std::int64_t>(total_bytes - free_bytes);
  // cudaMallocAsync takes from a pool that holds more of the device than it has given out.
  int number = 0;
  cudaMemPool_t pool = nullptr;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&number));
  if (cudaDeviceGetDefaultMemPool(&pool, number) != cudaSuccess) {
    cudaGetLastError();  // a device without such pools
    return memory;
  }
  std::uint64_t held = 0, given = 0;
  TRISCOPE_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held));
  TRISCOPE_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &given));
  memory.device_bytes += static_cast<std::int64_t>(given) - static_cast<std::int64_t>(held);
  return memory;
}

void CudaBackend::synchronize() { TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

bool CudaBackend::lost() {
  cudaGetLastError();  // a launch that was refused leaves an error that means nothing any more
  return cudaStreamSynchronize(stream_) != cudaSuccess;
}

Sample CudaBackend::time_block(const Launch& launch, std::int64_t launches) {
  const BlockTimes times = timer_->time(stream_, launch, launches);
  Sample sample;
  sample.started_ns = times.start_ns;
  sample.duration_ns = times.per_launch_ns;
  sample.launches = launches;
  if (monitor_) monitor_->join(sample, times.start_ns, times.end_ns);
  return sample;
}

std::int64_t CudaBackend::settle_ns() const { return kSettleNs; }

void CudaBackend::flush_caches() {
  if (flush_written_ == nullptr) flush_written_ = allocate(flush_bytes_);
  if (flush_read_ == nullptr) flush_read_ = allocate(flush_bytes_);
  TRISCOPE_CUDA_CHECK(cudaMemsetAsync(flush_written_, 0, flush_bytes_, stream_));
  TRISCOPE_CUDA_CHECK(cudaMemcpyAsync(flush_written_, flush_read_, flush_bytes_, cudaMemcpyDeviceToDevice, stream_));
  synchronize();
}

void CudaBackend::make_cold() {
  flush_caches();
  std::this_thread::sleep_for(kIdleTime);
}

std::unique_ptr<SliceEngine> CudaBackend::make_slices() const { return make_cuda_slices(); }

std::vector<Counter> CudaBackend::read_counters(CounterSet set, const Launch& launch) {
  if (!counters_) return Backend::read_counters(set, launch);
  return counters_->read(set, launch, [this] { flush_caches(); });
}

std::vector<LaunchRecord> CudaBackend::record_launch(const std::string&, const Launch& launch) {
  return timer_->record(stream_, launch);
}

}  // namespace triscope
