// How the backward of a problem is cut into work items, and its workspace. Host code without CUDA calls.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/attention/problem.hpp"
#include "kernels/cuda/hopper/backward/plan/fixed_point.hpp"
#include "kernels/cuda/hopper/backward/plan/parameters.hpp"

namespace triscope::hopper::backward {

struct Plan {
  BackwardParameters parameters;  ///< sizes and scales; the pointers are null
  FixedPoint fixed;               ///< of a deterministic plan
  int q_heads = 1;
  bool cross = false;    ///< determinant
  bool swapped = false;  ///< the short axis is axis 1
  bool has_sink = false;
  bool by_queries = false;  ///< of virtual queries
  bool deterministic = false;
  float scale = 1;  ///< of the logit; negative when the determinant's axes are exchanged
  // Byte offsets into the workspace, aligned to 256; the first `zero_bytes` are sums.
  std::size_t grad_query = 0, grad_keys = 0, ranges = 0, zero_bytes = 0;
  std::size_t fixed_scales = 0;
  std::size_t lse2 = 0, delta = 0, long_key = 0, short_key = 0, short_value = 0;
  std::size_t columns = 0;  ///< of virtual keys: two copies
  std::size_t bytes = 0;

  int pairs() const { return parameters.batch * parameters.kv_heads; }
  /// Elements of one key gradient.
  std::int64_t key_elements() const { return std::int64_t{pairs()} * parameters.seq_len * parameters.head_dim; }
  /// Rows of LSE and delta without their copies.
  std::int64_t statistic_rows() const {
    return std::int64_t{pairs()} * parameters.head_blocks * parameters.padded_len * parameters.head_rows;
  }
};

/// Reason this backward cannot run `problem`; nullopt when it can.
std::optional<std::string> unsupported_backward(const Problem& problem);

/// `problem` is supported.
Plan make_backward_plan(const Problem& problem);

/// The same for virtual queries (queries.hpp), of which the plan has no work items: positions of a group fill a tile
/// unpadded, or padded to a power of two, and the sums of dq are fp32 in the layout of q.
std::optional<std::string> unsupported_queries(const Problem& problem);
Plan make_queries_plan(const Problem& problem);

/// Shares the work items of virtual keys among `blocks` CTAs, 1 to p.items: sets p.blocks and p.turn. Every CTA gets
/// items of every kind, as far as there are enough.
void share_items(BackwardParameters& p, int blocks);

}  // namespace triscope::hopper::backward
