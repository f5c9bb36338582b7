#include "kernels/base/half.hpp"

#include <bit>

namespace triscope {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F800000u;

// `value` without its lowest `shift` bits, rounded to nearest, ties to even.
std::uint32_t round_shift(std::uint32_t value, int shift) {
  const std::uint32_t half = 1u << (shift - 1);
  const std::uint32_t odd = (value >> shift) & 1u;
  return (value + half - 1 + odd) >> shift;
}

}  // namespace

float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  std::uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0x1Fu) return std::bit_cast<float>(sign | kFloatInfinity | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  if (mantissa == 0) return std::bit_cast<float>(sign);
  // Subnormal: mantissa x 2^-24, with its leading one moved to bit 10.
  const int shift = std::countl_zero(mantissa) - 21;
  mantissa = (mantissa << shift) & 0x3FFu;
  return std::bit_cast<float>(sign | static_cast<std::uint32_t>(113 - shift) << 23 | mantissa << 13);
}

std::uint16_t half_from_float(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > kFloatInfinity) {
    const std::uint32_t payload = (magnitude >> 13) & 0x3FFu;
    return static_cast<std::uint16_t>(sign | 0x7C00u | (payload != 0 ? payload : 0x200u));
  }
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // from 65536
  if (magnitude >= 0x38800000u) {  // normal, from 2^-14; a carry out of the mantissa raises the exponent, as it should
    return static_cast<std::uint16_t>(sign | round_shift(magnitude - 0x38000000u, 13));
  }
  const int exponent = static_cast<int>(magnitude >> 23);
  if (exponent < 102) return sign;  // below 2^-25
  const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
  return static_cast<std::uint16_t>(sign | round_shift(significand, 126 - exponent));
}

float float_from_bfloat16(std::uint16_t bfloat16) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat16) << 16);
}

std::uint16_t bfloat16_from_float(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7FFFFFFFu) > kFloatInfinity) {
    const std::uint32_t high = bits >> 16;
    return static_cast<std::uint16_t>((high & 0x7Fu) != 0 ? high : high | 0x40u);
  }
  return static_cast<std::uint16_t>(round_shift(bits, 16));
}

}  // namespace triscope
