// Shared memory of the backward by virtual queries, and the few instructions that only it needs.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/memory.cuh"

namespace triscope::hopper::backward {

inline constexpr int kQueryThreads = 256;  ///< two warpgroups: the side of the values and that of the keys
inline constexpr int kSideThreads = 128;
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
  static constexpr int kProbabilities = kFirstStage + 2 * kStage;  ///< 64 rows x 64 keys, twice
  static constexpr int kGrads = kProbabilities + 2 * kQueryHalf;   ///< ds, the same
  static constexpr int kQuery = kGrads + 2 * kQueryHalf;
  static constexpr int kGradO = kQuery + kTileRows * kRowBytes;
  static constexpr int kShortKey = kGradO + kTileRows * kRowBytes;
  static constexpr int kShortValue = kShortKey + kShortSlots * kRowBytes;
  static constexpr int kBytes = kShortValue + kShortSlots * kRowBytes;
  static_assert(kBytes <= 232448, "shared memory of an SM");
};

/// What the 16-byte parts of a 256-byte row are swizzled with: eight threads that make rows, and sixteen that read
/// fragments of 8 bytes, find them in different banks.
__device__ __forceinline__ int spread(int row) { return (row & 1) << 2 | (row & 2) | (row >> 2 & 1); }
/// Of part `part` of row `row` of q or do.
__device__ __forceinline__ std::uint32_t row_part(int row, int part) { return row * 256 + ((part ^ spread(row)) << 4); }
/// Of a part of a short row: those of a step lie in every second slot.
__device__ __forceinline__ std::uint32_t slot_part(int slot, int part) {
  return slot * 256 + ((part ^ spread(slot >> 1)) << 4);
}
/// Of a part of an operand's row.
template <int kRows>
__device__ __forceinline__ std::uint32_t operand_part(int row, int part) {
  return (part >> 3) * (kRows * 128) + row * 128 + (((part & 7) ^ (row & 7)) << 4);
}
__device__ __forceinline__ int wrap_slot(int slot) { return slot >= kShortSlots ? slot - kShortSlots : slot; }
__device__ __forceinline__ int slot_before(int slot) { return slot == 0 ? kShortSlots - 1 : slot - 1; }

/// Sixteen dimensions of a row, as two parts. In operands 8 h + 2 c + e stands for dimension 4 c + 2 h + e: what a
/// thread has of two blocks of accumulators are then four neighbours, which leave at once.
struct Sixteen {
  uint4 a, b;
  __device__ __forceinline__ void store(std::uint32_t first) const {
    store_shared_4(first, a.x, a.z, b.x, b.z);
    store_shared_4(first ^ 16, a.y, a.w, b.y, b.w);
  }
};

/// Copies 16 bytes to shared memory without a register, or zeros where there is nothing; waited for with wait_copies.
__device__ __forceinline__ void copy_16(std::uint32_t destination, const void* source, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source), "r"(there ? 16 : 0)
               : "memory");
}
/// Adds where `there` is, elsewhere zeros: a reduction under a condition becomes a branch, behind which reads wait.
__device__ __forceinline__ void add_global_4_if(bool there, float* address, float a, float b, float c, float d) {
  add_global_4(address, there ? a : 0.0f, there ? b : 0.0f, there ? c : 0.0f, there ? d : 0.0f);
}
/// The same value, of which the compiler knows nothing: what is made from it is not kept in registers between steps.
__device__ __forceinline__ std::uint32_t opaque(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}
__device__ __forceinline__ int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

}  // namespace triscope::hopper::backward
