// Launches of kernels that ask for more than blocks and threads.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace triscope {

/// The most shared memory, beyond 48 KB, that a block of one kernel takes in any launch, and where the kernel has been
/// told. CUDA wants it told once in each context, and telling costs the host more than half a microsecond: so each
/// kernel has one of these, which outlives its launches. Safe from many threads.
class SharedLimit {
 public:
  constexpr explicit SharedLimit(std::size_t bytes) : bytes_(bytes) {}

  /// Whether it was told on this device. Its context may be another now, or may have been reset.
  bool is_told(int device) const { return (devices_.load(std::memory_order_relaxed) & bit_of(device)) != 0; }

  template <typename Function>
  cudaError_t tell(Function* function, int device) {
    const cudaError_t result =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes_));
    if (result == cudaSuccess) devices_.fetch_or(bit_of(device), std::memory_order_relaxed);
    return result;
  }

 private:
  /// 0 for devices that there is no room for: they are told each time.
  static std::uint64_t bit_of(int device) { return device >= 0 && device < 64 ? std::uint64_t{1} << device : 0; }

  std::size_t bytes_;
  std::atomic<std::uint64_t> devices_ = 0;
};

/// How a kernel is enqueued.
struct Launch {
  const char* kernel;  ///< its name, for whoever reads that it was refused
  dim3 blocks = 1;
  int threads = 1;                      ///< of a block
  std::size_t shared_bytes = 0;         ///< of a block, beside what the kernel declares
  SharedLimit* shared_limit = nullptr;  ///< the kernel's, where it takes more than 48 KB
  cudaStream_t stream = nullptr;
  bool together = false;  ///< all blocks run at once: they may wait for one another
  /// The kernel in front, which has waited for all before it, need not have ended: this one calls
  /// wait_for_previous_kernel first. The host is sooner through, and the GPU has it ready.
  bool behind = false;

  /// Tries it once, and again where the context had not been told how much shared memory the kernel takes.
  template <typename... Parameters>
  cudaError_t operator()(void (*function)(Parameters...), const Parameters&... parameters) const {
    if (shared_limit == nullptr) return enqueue_once(function, parameters...);
    int device = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess && shared_limit->is_told(device)) {
      result = enqueue_once(function, parameters...);
      if (result != cudaErrorInvalidValue) return result;
      cudaGetLastError();
    }
    result = shared_limit->tell(function, device);
    return result == cudaSuccess ? enqueue_once(function, parameters...) : result;
  }

 private:
  template <typename... Parameters>
  cudaError_t enqueue_once(void (*function)(Parameters...), const Parameters&... parameters) const {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (together) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (behind) {
      attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, function, parameters...);
  }
};

/// Throws `Error` unless `result`, of trying `launch`, is cudaSuccess: names the kernel, its blocks and their memory.
void check_launch(const Launch& launch, cudaError_t result);

/// How many blocks to try where `blocks` of them find no room at once: a sixteenth fewer. So a stream with few
/// multiprocessors is filled to fifteen sixteenths at least. Not one fewer, since each try costs the host.
constexpr unsigned fewer_blocks(unsigned blocks) { return blocks - std::max(1u, blocks / 16); }

/// Calls `attempt`(launch), which tries it, and again with fewer blocks where the stream has too few multiprocessors
/// for all that are to run together: so kernels take their number from gridDim. Returns the number. Throws `Error` when
/// refused.
template <typename Attempt>
int enqueue(Launch launch, const Attempt& attempt) {
  cudaError_t result = attempt(launch);
  while (result == cudaErrorCooperativeLaunchTooLarge && launch.blocks.x > 1) {
    cudaGetLastError();
    launch.blocks.x = fewer_blocks(launch.blocks.x);
    result = attempt(launch);
  }
  check_launch(launch, result);
  return static_cast<int>(launch.blocks.x);
}

}  // namespace triscope
