// The encoder lives in libcuda; it is asked for by name, so nothing links against libcuda.
#include "kernels/cuda/hopper/common/tensor_map.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"

namespace triscope::hopper {

TensorMapEncoder tensor_map_encoder() {
  static const TensorMapEncoder encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    TRISCOPE_CUDA_CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess || function == nullptr) {
      throw Error("cannot start cuda.hopper", "the NVIDIA driver has no cuTensorMapEncodeTiled",
                  "install a driver for CUDA 13.0 or later");
    }
    return reinterpret_cast<TensorMapEncoder>(function);
  }();
  // The encoder needs the thread's context, which a thread that has called no CUDA yet lacks: this makes it current.
  int device = 0;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&device));
  TRISCOPE_CUDA_CHECK(cudaSetDevice(device));
  return encode;
}

CUtensorMap make_tensor_map(TensorMapEncoder encode, const TensorBoxes& boxes) {
  const cuuint64_t row_bytes = static_cast<cuuint64_t>(boxes.head_dim) * 2;
  const cuuint64_t extents[4] = {static_cast<cuuint64_t>(boxes.head_dim), static_cast<cuuint64_t>(boxes.heads),
                                 static_cast<cuuint64_t>(boxes.seq_len), static_cast<cuuint64_t>(boxes.batch)};
  const cuuint64_t strides[3] = {row_bytes, row_bytes * extents[1], row_bytes * extents[1] * extents[2]};
  const cuuint32_t box[4] = {64, static_cast<cuuint32_t>(boxes.box_heads), static_cast<cuuint32_t>(boxes.box_rows), 1};
  const cuuint32_t element_strides[4] = {1, 1, 1, 1};
  CUtensorMap map;
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, const_cast<__nv_bfloat16*>(boxes.tensor), extents, strides, box,
             element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw Error("cannot describe a tensor to the copy engine",
                fmt::format("cuTensorMapEncodeTiled returned {} for {} x {} x {} x {}", static_cast<int>(result),
                            boxes.batch, boxes.seq_len, boxes.heads, boxes.head_dim),
                "align the tensor to 16 bytes, or use cuda.portable");
  }
  return map;
}

}  // namespace triscope::hopper
