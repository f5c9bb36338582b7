#include "kernels/cuda/common/launch.hpp"

#include <fmt/format.h>

#include <string>

#include "kernels/base/error.hpp"

namespace triscope {

void check_launch(const Launch& launch, cudaError_t result) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // what is launched next is not to be blamed for it
  const auto [x, y, z] = launch.blocks;
  const std::string blocks = x * y * z == 1 ? "one block"
                             : y * z == 1   ? fmt::format("{} blocks", x)
                                            : fmt::format("{} x {} x {} blocks", x, y, z);
  throw Error(fmt::format("launching {} on {} of {} threads with {} bytes of shared memory each failed", launch.kernel,
                          blocks, launch.threads, launch.shared_bytes),
              fmt::format("{}: {}", cudaGetErrorName(result), cudaGetErrorString(result)),
              "choose cuda.portable, which needs less of a multiprocessor, or see with `triscope doctor` what this "
              "machine offers");
}

}  // namespace triscope
