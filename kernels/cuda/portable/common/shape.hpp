// What the host tells the portable kernels: the problem with its two axes in their roles, pointers, and the workspace.
//
// Roles: kernels/attention/axis_roles.hpp.
//
// Rows. The queries of one (batch, kv head) are numbered f = position * group + head in group: heads packed, so that
// with group >= 16 all 16 rows of a warp share their position and their windows. Row f at shift t uses short position
// position - t, for any group size: dense on the short axis.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/attention/axis_roles.hpp"

namespace triscope::portable {

inline constexpr int kTileRows = 64;  ///< virtual-query rows (or keys) a block owns: 16 a warp
inline constexpr int kThreads = 128;
// Positions and tile numbers are 32-bit in the kernels, with room to add a window.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 30;
inline constexpr std::int64_t kMaxHeadsOrBatch = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxBlocks = std::int64_t{1} << 29;
inline constexpr float kLog2E = 1.4426950408889634f;
inline constexpr float kLn2 = 0.6931471805599453f;

struct Shape {
  int batch = 1, seq_len = 1, q_heads = 1, kv_heads = 1, group = 1, head_dim = 8;
  int long_window = 1, short_window = 1;  ///< clipped to seq_len
  bool determinant = false;
  bool cross_in_bf16 = false;  ///< determinant without bias: k x q in bf16 (Fold::cross_k2), as cuda.hopper makes it
  bool half = false;           ///< backward: q~ has the 11 bits of fp16 (Fold::half_k2), as two bf16 numbers,
  const std::uint32_t* in_bf16 =
      nullptr;  ///< unless this word is there and not 0: then as cuda.hopper makes it in bf16
  const std::uint32_t* only_if = nullptr;  ///< backward: nothing is done when this word is there and 0
  float scale = 1;                         ///< of the logit, as the roles have it
  float exponent_scale = 1;                ///< triscope::exponent_scale
  std::uint32_t sign = 0;                  ///< 0x80008000 when `scale` is negative: flips the virtual query instead
  float key_bias = 0, value_bias = 0;      ///< of the short axis

  std::int64_t rows() const { return std::int64_t{seq_len} * group; }  ///< of one (batch, kv head)
  std::int64_t pairs() const { return std::int64_t{batch} * kv_heads; }
  std::int64_t row_tiles() const { return (rows() + kTileRows - 1) / kTileRows; }
  std::int64_t key_tiles() const { return (seq_len + kTileRows - 1) / kTileRows; }
  int padded_dim() const { return head_dim <= 64 ? 64 : 128; }
};

/// Roles of the axes in the CUDA kernels, which add a bias where the product is formed.
inline AxisRoles roles_of(const Problem& problem) { return axis_roles(problem, BiasPlace::in_product); }

/// `problem` in roles. Requires a problem that `cuda.portable` supports.
Shape make_shape(const Problem& problem);

/// Tensors in roles, device memory, bf16 as raw bits; layouts as in `Arguments`.
struct Tensors {
  const void* q = nullptr;
  const void* long_k = nullptr;
  const void* long_v = nullptr;
  const void* short_k = nullptr;
  const void* short_v = nullptr;
  const float* sink = nullptr;
  void* o = nullptr;
  float* lse = nullptr;
  const void* grad_o = nullptr;
  void* grad_q = nullptr;
  void* grad_long_k = nullptr;
  void* grad_long_v = nullptr;
  void* grad_short_k = nullptr;
  void* grad_short_v = nullptr;
  float* grad_sink = nullptr;
};

Tensors make_tensors(const AxisRoles& roles, const Arguments& arguments);

/// How the backward cuts its work and where its fp32 partial sums lie. Sums are added in a fixed order, by one thread
/// each, so the gradients are bit-identical from run to run: there is no other mode.
struct BackwardPlan {
  int tiles_per_block = 1;      ///< row tiles one block of the row kernel walks through
  std::int64_t row_blocks = 1;  ///< such blocks for one (batch, kv head)
  int slab_positions = 1;       ///< short positions one row block adds to
  int splits = 1;               ///< blocks that share one key tile of the key kernel
  // Byte offsets into the workspace, each aligned to 256.
  std::size_t lse2 = 0;      ///< fp32 [pairs][rows]: LSE in log2 units
  std::size_t delta = 0;     ///< fp32 [pairs][rows]: sum_d do o
  std::size_t slabs = 0;     ///< fp32 [pairs][row_blocks][slab_positions][2][padded_dim]: short key, short value
  std::size_t partials = 0;  ///< fp32 [splits][2][pairs][seq_len][padded_dim]: long key, long value
  std::size_t bytes = 0;
};

BackwardPlan plan_backward(const Shape& shape);

void launch_forward(const Shape& shape, const Tensors& tensors, cudaStream_t stream);
/// Behind it: what it marked as not finite (forward_again.cu). launch_forward enqueues it.
void launch_forward_again(const Shape& shape, const Tensors& tensors, cudaStream_t stream);
// The steps of the backward, in order.
void launch_row_statistics(const Shape&, const BackwardPlan&, const Tensors&, void* workspace, cudaStream_t);
void launch_backward_rows(const Shape&, const BackwardPlan&, const Tensors&, void* workspace, cudaStream_t);
void launch_backward_keys(const Shape&, const BackwardPlan&, const Tensors&, void* workspace, cudaStream_t);
void launch_finish(const Shape&, const BackwardPlan&, const Tensors&, void* workspace, cudaStream_t);

}  // namespace triscope::portable
