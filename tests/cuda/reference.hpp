// 2-simplicial attention from its formulas, on the GPU, in fp64: slow, direct, and sharing nothing with the kernels it
// checks. Every P and dS is kept in memory, so problems must be small (some 40 million triples).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/philox.hpp"

namespace triscope::reference {

/// Inputs on the device, bf16 (sink fp32, null: none); layouts as in `Arguments`.
struct Inputs {
  const void *q, *k1, *k2, *v1, *v2, *grad_o;
  const float* sink;
};

/// What the inputs look like: N(0,1), q times 4 or 8, one huge logit at an early or late key, logits that rise by 200
/// every 64 keys, zeros, or logits of about -340 (head_dim 128).
enum class Kind { normal, q4, q8, early, late, rising, zeros, low };

/// All outputs on the host; the `_bound` ones are the score gradients with |ds| replaced by p (|dp| + |delta|): their
/// scale before they cancel. For the sink that is the sum of p |delta|.
struct Outputs {
  std::vector<double> lse, o, dq, dk1, dk2, dv1, dv2, dsink, dq_bound, dk1_bound, dk2_bound, dsink_bound;
};

/// Forward and backward of `problem`; the product `fold` names is rounded to bf16 in the logit.
Outputs compute(const Problem& problem, Fold fold, const Inputs& inputs);

/// Fills a bf16 tensor on the device; `row_size` elements a position.
void fill(void* tensor, std::int64_t count, InputStream stream, std::uint64_t seed, Kind kind, int row_size,
          int seq_len);

}  // namespace triscope::reference
