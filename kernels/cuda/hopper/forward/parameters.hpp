// What a launch tells the Hopper forward.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace triscope::hopper {

/// What is made for a half instance in the workspace (half_operands.hpp).
struct HalfOperands {
  std::uint16_t* query_scale = nullptr;
  std::uint32_t* flags = nullptr;    ///< of each slab: not 0 where keys are unusual
  std::uint32_t* misfits = nullptr;  ///< of each slab where any is: not 0 where keys do not fit
  std::uint32_t* maxima = nullptr;
  void* tile_key = nullptr;
  void* ring_key = nullptr;
  void* reordered = nullptr;
  int slabs = 1;
  int query_exponent = 0;
};

/// Kernel parameters, the two axes in their roles (kernels/attention/axis_roles.hpp).
struct ForwardParameters {
  const __nv_bfloat16* short_key = nullptr;  ///< [batch, seq_len, kv_heads, head_dim]
  const __nv_bfloat16* short_value = nullptr;
  const __nv_bfloat16* q = nullptr;  ///< only row.cuh reads these three; the forward copies by tensor map
  const __nv_bfloat16* long_key = nullptr;
  const __nv_bfloat16* long_value = nullptr;
  const __nv_bfloat16* tile_key =
      nullptr;                  ///< what the copy engine reads: long_key, or a copy in another order or in fp16
  __nv_bfloat16* o = nullptr;   ///< [batch, seq_len, q_heads, head_dim]
  float* lse = nullptr;         ///< [batch, q_heads, seq_len], natural log
  const float* sink = nullptr;  ///< [q_heads] or null
  int batch = 1, seq_len = 1, q_heads = 1, kv_heads = 1, head_dim = 128;
  int long_window = 1, short_window = 1;  ///< clipped to seq_len
  int positions = 1;                      ///< query positions of one work item
  int heads = 1;                          ///< query heads of one position in one work item
  int head_blocks = 1;                    ///< work items that cover one group of query heads
  int ring_rows = 4;                      ///< short-axis rows held in shared memory
  int items = 0;
  float scale_log2 = 0;                ///< triscope::exponent_scale: |scale| * log2(e), never 0; half: over 2^t
  float row_scale_log2 = 0;            ///< the same without 2^t (half_operands.cuh), for row.cuh
  float key_bias = 0, value_bias = 0;  ///< of the short axis
  float sign = 1;                      ///< -1: the virtual query is negated
  bool determinant = false;
  const __nv_bfloat16* ring_key = nullptr;  ///< what the short axis' warps read: short_key, or its copy in fp16
  /// Half instances (half_operands.cuh): what q is multiplied by, powers of two, [kv_heads, head_dim].
  const __nv_bfloat16* query_scale = nullptr;
  /// The word of Arguments::lse_in_bf16, or one in the workspace: not 0 when keys are beyond fp16. A half instance then
  /// returns at once.
  std::uint32_t* in_bf16 = nullptr;
  /// A bf16 instance in front of its half twin makes these, and runs only when it sets that word. Null: runs.
  HalfOperands half;
};

inline constexpr float kLn2 = 0.69314718055994531f;
inline constexpr float kLog2e = 1.4426950408889634f;

}  // namespace triscope::hopper
