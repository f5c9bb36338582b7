// Launches of kernels that ask for more than blocks and threads.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

namespace triscope {

/// How a kernel is enqueued.
struct Launch {
  const char* kernel;  ///< its name, for whoever reads that it was refused
  dim3 blocks = 1;
  int threads = 1;               ///< of a block
  std::size_t shared_bytes = 0;  ///< of a block, beside what the kernel declares
  /// The most that any launch of the kernel takes of these, where that is above 48 KB; 0 elsewhere. The limit is the
  /// kernel's: another thread may be launching it with more.
  std::size_t most_shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool together = false;  ///< all blocks run at once: they may wait for one another
  /// The kernel in front, which has waited for all before it, need not have ended: this one calls
  /// wait_for_previous_kernel first. The host is sooner through, and the GPU has it ready.
  bool behind = false;

  /// Tries it once.
  template <typename... Parameters>
  cudaError_t operator()(void (*function)(Parameters...), const Parameters&... parameters) const {
    if (most_shared_bytes > 0) {
      const cudaError_t result = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                      static_cast<int>(most_shared_bytes));
      if (result != cudaSuccess) return result;
    }
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
