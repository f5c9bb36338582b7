// FLOP and byte counts. Conventions: docs/method.md; published ones differ (see there).
#pragma once

#include <cstdint>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// Exact number of (i, j, k) triples inside the windows, for one batch entry and one query head.
/// For `dot_product` the number of kept (i, j) pairs; for `gemm` seq_len^3.
/// Sizes are bounded by `validate`, so the count fits a double exactly or to 1 ulp; it is returned as double.
double triple_count(const Problem& problem);

/// Useful FLOPs of one launch by the primary count: triples x 4 x head_dim per query head forward (two GEMMs),
/// x 10 x head_dim backward (2.5x, as FlashAttention counts). `gemm`: 2 x seq_len^3.
double useful_flops(const Problem& problem, Pass pass);

/// The paper's count, 6 n w1 w2 per head and dimension (section "Model design"), 2.5x backward;
/// `dot_product` causal: 2 n^2. Clipped rows are counted as if they were full, as the paper does.
double paper_flops(const Problem& problem, Pass pass);

/// Fewest bytes device memory must move: each input read once, each output written once.
double compulsory_bytes(const Problem& problem, Pass pass);

}  // namespace triscope
