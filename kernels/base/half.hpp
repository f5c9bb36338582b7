// 16-bit floating point on the host: IEEE binary16 and bfloat16, converted exactly.
#pragma once

#include <cstdint>

namespace triscope {

/// The value of a binary16 (fp16) number; every one is a float exactly. NaNs keep sign and payload.
float float_from_half(std::uint16_t half);

/// `x` rounded to binary16, nearest with ties to even, subnormals included; from 65520 on infinite. A NaN stays a NaN.
std::uint16_t half_from_float(float x);

/// The value of a bfloat16 number; every one is a float exactly.
float float_from_bfloat16(std::uint16_t bfloat16);

/// `x` rounded to bfloat16, nearest with ties to even, subnormals included. A NaN stays a NaN.
std::uint16_t bfloat16_from_float(float x);

}  // namespace triscope
