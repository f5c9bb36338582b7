// What a launch tells the Hopper forward.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace triscope::hopper {

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
  float scale_log2 = 0;                ///< triscope::exponent_scale: |scale| * log2(e), never 0
  float key_bias = 0, value_bias = 0;  ///< of the short axis
  float sign = 1;                      ///< -1: the virtual query is negated
  bool determinant = false;
  const __nv_bfloat16* ring_key = nullptr;  ///< what the short axis' warps read: short_key, or its copy in fp16
  /// Half instances (half_operands.cu): what q is multiplied by, powers of two, [kv_heads, head_dim].
  const __nv_bfloat16* query_scale = nullptr;
  /// The word of Arguments::lse_in_bf16, or one in the workspace. A half instance returns at once when it is not 0, and
  /// sets it when q is beyond its range; another instance returns at once when it is 0. Null: run always.
  std::uint32_t* in_bf16 = nullptr;
};

inline constexpr float kLn2 = 0.69314718055994531f;
inline constexpr float kLog2e = 1.4426950408889634f;

}  // namespace triscope::hopper
