#include "profiler/worker/backend.hpp"

#include <fmt/format.h>

#include "kernels/error.hpp"
#include "profiler/worker/cpu_backend.hpp"

namespace triscope {

std::unique_ptr<Backend> make_backend(const std::string& mode, const std::string& device) {
  if (mode == "cpu") {
    if (device != "cpu") {
      throw Error("the worker cannot start", fmt::format("mode cpu has no device \"{}\"", device), "use device cpu");
    }
    return std::make_unique<CpuBackend>();
  }
  throw Error("the worker cannot start", fmt::format("this build cannot measure in mode \"{}\"", mode),
              "build it with ./run build --cuda on the machine that has the GPU, or use --device cpu");
}

}  // namespace triscope
