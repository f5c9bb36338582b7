// What the CPU kernels ask of an instruction set: forward of one tile of rows, gradients of one key position. The same
// source (fast_vector.inl, fast_forward.inl, fast_backward.inl) is compiled once per instruction set; callers pick one
// at run time. Everything here works inside one (batch, kv head).
//
// Rows are (position, member of the group), members fastest: row = position * group + member. A tile is `lanes`
// consecutive rows, one per SIMD lane. Keys are kept in panels of `rows` positions, [panel][padded_dim][rows], so that
// the broadcasts of the micro-kernel walk straight through memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/axis_roles.hpp"

namespace triscope::cpu {

/// Keys whose scores lie in L1 at a time.
inline constexpr std::int64_t kChunk = 128;
/// head_dim is padded with zeros to a multiple of this: every vector width and panel height divides it.
inline constexpr std::int64_t kDimMultiple = 16;

/// A problem seen from one (batch, kv head), its axes in their roles. Dot-product attention has no short axis.
struct Shape {
  std::int64_t seq_len = 0;
  std::int64_t group = 0;  ///< rows per position
  std::int64_t rows = 0;   ///< seq_len * group
  std::int64_t head_dim = 0;
  std::int64_t padded_dim = 0;
  std::int64_t logit_dims = 0;   ///< head_dim without the remainder of the determinant form
  std::int64_t long_window = 0;  ///< at most seq_len
  std::int64_t short_window = 0;
  bool full = false;  ///< every key is seen
  bool determinant = false;
  bool dot_product = false;
  AxisRoles roles;
  float logit_factor = 0;     ///< scale * log2(e), negative when swapping the axes flipped the determinant
  float gradient_factor = 0;  ///< scale, same sign
};

/// Forward of the tile that starts at `first_row`.
struct ForwardTile {
  const float* long_keys = nullptr;    ///< panels
  const float* long_values = nullptr;  ///< panels
  bool finite_values = true;           ///< of the long axis: no NaN and no infinity in any
  const float* short_keys = nullptr;   ///< [seq_len][padded_dim]; null for dot product, like the next
  const float* short_values = nullptr;
  const float* q = nullptr;  ///< member m of position i at i * position_stride + m * head_dim
  float* o = nullptr;        ///< like q
  std::int64_t position_stride = 0;
  float* lse = nullptr;         ///< [group][seq_len]
  const float* sink = nullptr;  ///< [group], or null
  std::int64_t first_row = 0;
  float* scratch = nullptr;  ///< `forward_scratch` floats, aligned to 64 bytes
};

/// Gradients that one item of work adds to; buffers of this item alone, unscaled, zeroed by the caller.
struct BackwardItem {
  const float* long_key_panels = nullptr;
  const float* long_value_panels = nullptr;
  const float* long_keys = nullptr;  ///< [seq_len up to a full panel][padded_dim]
  const float* long_values = nullptr;
  const float* short_keys = nullptr;  ///< [seq_len][padded_dim]; null for dot product, like the next
  const float* short_values = nullptr;
  const float* q = nullptr;         ///< [rows][padded_dim]
  const float* grad_o = nullptr;    ///< [rows][padded_dim]
  const float* lse2 = nullptr;      ///< [rows], base 2
  const float* delta = nullptr;     ///< [rows]
  float* grad_q = nullptr;          ///< [rows from first_row][padded_dim]
  float* grad_long_keys = nullptr;  ///< [positions from first_key][padded_dim]
  float* grad_long_values = nullptr;
  float* grad_short_key = nullptr;  ///< [padded_dim], of the position at hand; written, not added to
  float* grad_short_value = nullptr;
  std::int64_t first_row = 0;
  std::int64_t first_key = 0;
  float* scratch = nullptr;  ///< `backward_scratch` floats, aligned to 64 bytes
};

/// One compiled instruction set.
struct InstructionSet {
  const char* name;         ///< "avx512", "avx2", "portable"
  std::int64_t panel_rows;  ///< keys per panel
  std::int64_t lanes;       ///< rows per tile
  bool (*available)();      ///< does this CPU have it?
  std::int64_t (*forward_scratch)(const Shape&);
  std::int64_t (*backward_scratch)(const Shape&);
  void (*forward)(const Shape&, const ForwardTile&);
  /// All gradients that pass through short-axis position `k`.
  void (*backward_position)(const Shape&, const BackwardItem&, std::int64_t k);
  /// Dot product: all gradients that pass through keys [first, first + count), count <= kChunk, first a multiple of
  /// kChunk.
  void (*backward_keys)(const Shape&, const BackwardItem&, std::int64_t first, std::int64_t count);
  void (*exp2)(const float* x, float* y, std::int64_t count);  ///< the kernels' own exponential, for its test
};

/// All that were compiled, best first. The last runs anywhere.
const std::vector<const InstructionSet*>& instruction_sets();
std::vector<std::string> instruction_set_names();
/// The best one this CPU has.
const InstructionSet& best_instruction_set();
/// The one called `name`; null when it was not compiled.
const InstructionSet* find_instruction_set(std::string_view name);
/// Why `name` cannot run here; nullopt when it can.
std::optional<std::string> unsupported_instruction_set(std::string_view name);

}  // namespace triscope::cpu
