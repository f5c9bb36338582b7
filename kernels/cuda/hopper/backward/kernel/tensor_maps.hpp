// The two tensors that the copy engine reads for the Hopper backward.
#pragma once

#include <cuda.h>

namespace triscope::hopper::backward {

struct TensorMaps {
  CUtensorMap query, grad_o;  ///< boxes of (64 dimensions, head_rows heads of a group, 1, positions, 1)
};

}  // namespace triscope::hopper::backward
