// Slices of the attention tensor on the current GPU: fp64, from fp32 rows that are uploaded as they are needed, so that
// the tensors may be larger than the device.
#pragma once

#include <memory>

#include "kernels/inspect/slice_engine.hpp"

namespace triscope {

/// Lives on the device that is current now. Methods throw `Error` (environment), too, when the device fails.
std::unique_ptr<SliceEngine> make_cuda_slices();

}  // namespace triscope
