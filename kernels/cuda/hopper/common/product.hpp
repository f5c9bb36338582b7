// The products that make a virtual query, and how its words lie in a quad of lanes. Host and device.
#pragma once

#include <cuda_runtime_api.h>

namespace triscope::hopper {

/// How consumers make the virtual query q~ of a step from q and the short-axis key k (virtual_query.cuh).
enum class Product {
  plain,         ///< q * k, in bf16: trilinear without bias
  biased,        ///< q * (k + bias), in fp32: trilinear with bias
  cross,         ///< k x q per chunk of 3, in bf16: determinant without bias
  biased_cross,  ///< (k + bias) x q per chunk of 3, in fp32: determinant with bias
  half,          ///< as plain in fp16: q and both keys come as fp16, scaled into its range (half_operands.cuh)
  half_cross,    ///< as cross in fp16
};

__host__ __device__ constexpr bool is_half(Product product) {
  return product == Product::half || product == Product::half_cross;
}
/// The same product with operands in bf16.
__host__ __device__ constexpr Product bf16_of(Product product) {
  return product == Product::half ? Product::plain : product == Product::half_cross ? Product::cross : product;
}

/// Words (pairs of dimensions) of one lane of a quad: of its rows of q~, and of the short-axis key that it multiplies.
/// Cross products: 3 words in each block of 12, then the tail (virtual_query.cuh).
template <int kHeadDim, Product kProduct>
struct QuadWords {
  static constexpr bool kCross = bf16_of(kProduct) == Product::cross || kProduct == Product::biased_cross;
  static constexpr bool kWideKeys = kProduct == Product::biased || kProduct == Product::biased_cross;  ///< in fp32
  static constexpr int kLaneWords = kHeadDim / 8;
  static constexpr int kCrossBlocks = kCross ? kHeadDim / 24 : 0;
  static constexpr int kTailWords = kCross ? kLaneWords - 3 * kCrossBlocks : 0;
  /// 32-bit words of a ring key for each lane, and how many 16-byte groups of them.
  static constexpr int kKeyWords = (kWideKeys ? 2 : 1) * (kLaneWords + kTailWords);
  static constexpr int kKeyQuads = (kKeyWords + 3) / 4;
};

}  // namespace triscope::hopper
