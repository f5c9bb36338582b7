// Where a launch of the CPU kernels keeps what in its workspace, and the packing of the inputs into it.
#pragma once

#include "kernels/attention/host_tensors.hpp"
#include "kernels/attention/kernel.hpp"
#include "kernels/cpu/fast_tiles.hpp"

namespace triscope::cpu {

/// Short-axis positions, or (dot product) keys, of one item of work of the backward. Fixed, so that the order of
/// summation does not depend on the number of threads.
inline constexpr std::int64_t kItemPositions = 16;
inline constexpr std::int64_t kItemKeys = kChunk;

Shape make_shape(const Problem& problem);

/// Offsets in floats, each a multiple of 64; -1 for what a launch does not need. `heads` = batch x kv_heads.
struct Layout {
  Layout(const Problem& problem, Pass pass, const InstructionSet& instructions);
  /// Threads of a launch: OpenMP's choice, but never more than there are slots.
  int team() const;

  Shape shape;
  std::int64_t heads = 0;
  std::int64_t panel_positions = 0;  ///< seq_len up to a full panel
  std::int64_t items = 0;            ///< of one head, backward
  std::int64_t item_rows = 0;        ///< most rows an item touches
  std::int64_t item_keys = 0;        ///< most long-axis positions, up to full panels
  std::int64_t threads = 0;          ///< slots; a launch uses no more threads

  std::int64_t long_key_panels = -1, long_value_panels = -1;  ///< [heads][panel_positions][padded_dim], in panels
  std::int64_t long_keys = -1, long_values = -1;              ///< [heads][panel_positions][padded_dim]
  std::int64_t short_keys = -1, short_values = -1;            ///< [heads][seq_len][padded_dim]
  std::int64_t q = -1, grad_o = -1;                           ///< [heads][rows][padded_dim]
  std::int64_t lse2 = -1, delta = -1;                         ///< [heads][rows]
  std::int64_t slots = -1;                                    ///< [threads][slot_floats]
  std::int64_t slot_floats = 0;
  std::int64_t slot_grad_q = -1, slot_grad_keys = -1, slot_grad_values = -1;  ///< inside a slot, after the scratch
  std::int64_t slot_grad_short_key = -1, slot_grad_short_value = -1;
  std::int64_t total_floats = 0;

 private:
  void lay_out_backward(const InstructionSet& instructions);
};

/// Packs keys and values (biases added) into the workspace; multi-threaded.
void pack_keys(const Problem& problem, const Layout& layout, const InstructionSet& instructions,
               const HostInputs& inputs, float* workspace);
/// Packs q and grad_o, makes lse2 and delta.
void pack_rows(const Problem& problem, const Layout& layout, const Arguments& arguments, float* workspace);

/// One pass of the CPU kernels; `form` dot_product included. The arguments have been checked.
void launch_forward(const Problem& problem, const InstructionSet& instructions, const Arguments& arguments);
void launch_backward(const Problem& problem, const InstructionSet& instructions, const Arguments& arguments);
std::size_t workspace_bytes(const Problem& problem, Pass pass, const InstructionSet& instructions);

}  // namespace triscope::cpu
