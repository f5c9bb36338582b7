// Shared memory of the backward by virtual queries, and the few instructions that only it needs.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/memory.cuh"

namespace triscope::hopper::backward {

inline constexpr int kQueryThreads = 256;  ///< two warpgroups, all of them compute
/// Rows of the short key and value in shared memory: 63 of a step, those of the next two steps and one that is free.
inline constexpr int kShortSlots = 66;

/// Byte offsets, head_dim 128. Operands of WGMMA have rows of 64 elements (128-byte swizzle), 128 columns are two such
/// halves one behind the other. The other rows have 256 bytes, whose 16-byte parts are swizzled too.
struct QueryLayout {
  static constexpr int kRowBytes = 256;
  static constexpr int kKeyHalf = kTileKeys * 128, kQueryHalf = kTileRows * 128;
  static constexpr int kStage = 4 * kQueryHalf;  ///< virtual queries, then virtual gradients of o

  static constexpr int kKeys = 0;
  static constexpr int kValues = kKeys + 2 * kKeyHalf;
  static constexpr int kFirstStage = kValues + 2 * kKeyHalf;
  static constexpr int kProbabilities = kFirstStage + 2 * kStage;  ///< 64 rows x 64 keys of each warpgroup
  static constexpr int kGrads = kProbabilities + 2 * kQueryHalf;   ///< ds, the same
  static constexpr int kQuery = kGrads + 2 * kQueryHalf;
  static constexpr int kGradO = kQuery + kTileRows * kRowBytes;
  static constexpr int kShortKey = kGradO + kTileRows * kRowBytes;
  static constexpr int kShortValue = kShortKey + kShortSlots * kRowBytes;
  static constexpr int kBytes = kShortValue + kShortSlots * kRowBytes;
  static_assert(kBytes <= 232448, "shared memory of an SM");
};

/// Of 16-byte part `part` of row `row` (of 256 bytes).
__device__ __forceinline__ std::uint32_t row_part(int row, int part) { return row * 256 + ((part ^ (row & 7)) << 4); }
/// Of the same part of an operand's row.
template <int kRows>
__device__ __forceinline__ std::uint32_t operand_part(int row, int part) {
  return (part >> 3) * (kRows * 128) + row * 128 + (((part & 7) ^ (row & 7)) << 4);
}
__device__ __forceinline__ int wrap_slot(int slot) { return slot >= kShortSlots ? slot - kShortSlots : slot; }

/// Copies 16 bytes to shared memory without a register, or zeros where there is nothing; waited for with wait_copies.
__device__ __forceinline__ void copy_16(std::uint32_t destination, const void* source, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source), "r"(there ? 16 : 0)
               : "memory");
}
/// The same value, of which the compiler knows nothing: what is made from it is not kept in registers between steps.
__device__ __forceinline__ std::uint32_t opaque(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

}  // namespace triscope::hopper::backward
