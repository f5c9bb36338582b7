// A number that stands for the bytes of a tensor: equal bytes have equal numbers, and others hardly ever (2^-64).
#pragma once

#include <cstdint>

#include "kernels/base/philox.hpp"

namespace triscope {

/// What the 32-bit word number `index` adds to the fingerprint, modulo 2^64: its place and value, mixed by the
/// finalizer of SplitMix64 (Steele et al., OOPSLA 2014). A sum, so that a GPU may add it up in any order.
TRISCOPE_HOST_DEVICE inline std::uint64_t word_fingerprint(std::uint64_t index, std::uint32_t word) {
  std::uint64_t x = (index + 1) * 0x9E3779B97F4A7C15ull + word;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace triscope
