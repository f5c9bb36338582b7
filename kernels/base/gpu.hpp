// The GPU that the calling thread works on, as the baselines need to know it. They link no CUDA: whoever registers them
// says how to ask.
#pragma once

#include <functional>
#include <string>

namespace triscope {

struct Gpu {
  int ordinal = 0;
  int major = 0, minor = 0;  ///< compute capability
  std::string name;
};

/// Throws `Error` when there is none.
using CurrentGpu = std::function<Gpu()>;

}  // namespace triscope
