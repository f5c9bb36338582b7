// The products that make a virtual query.
#pragma once

namespace triscope::hopper {

/// How consumers make the virtual query q~ of a step from q and the short-axis key k (virtual_query.cuh).
enum class Product {
  plain,         ///< q * k, in bf16: trilinear without bias
  biased,        ///< q * (k + bias), in fp32: trilinear with bias
  cross,         ///< k x q per chunk of 3, in bf16: determinant without bias
  biased_cross,  ///< (k + bias) x q per chunk of 3, in fp32: determinant with bias
};

}  // namespace triscope::hopper
