// Tensor maps: how the copy engine sees a [batch, seq_len, heads, head_dim] bf16 tensor.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

namespace triscope::hopper {

/// The driver's encoder of tensor maps, ready for the calling thread. Throws `Error` when there is none.
using TensorMapEncoder = decltype(&cuTensorMapEncodeTiled);
TensorMapEncoder tensor_map_encoder();

/// A tensor, and the boxes that are copied from it.
struct TensorBoxes {
  const __nv_bfloat16* tensor = nullptr;  ///< aligned to 16 bytes
  int batch = 1, seq_len = 1, heads = 1, head_dim = 64;
  int box_heads = 1, box_rows = 1;  ///< a box: so many positions x heads x 64 dimensions
};

/// The map, with 128-byte swizzle; positions outside the sequence read as zeros. Throws `Error` when the driver refuses
/// the tensor.
CUtensorMap make_tensor_map(TensorMapEncoder encode, const TensorBoxes& boxes);

}  // namespace triscope::hopper
