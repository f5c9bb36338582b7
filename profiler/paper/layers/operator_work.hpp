// What an edge and a triangle cost: the counts that the paper compares, and the exact ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// FLOPs of one head and one dimension, forward.
struct OperatorWork {
  double seq_len = 0;
  double dot_paper = 0, windows_paper = 0;  ///< 2 n^2 and 6 n w1 w2
  double dot_exact = 0, windows_exact = 0;  ///< two GEMMs of each: 4 a causal pair, 4 a triple of the windows
};
OperatorWork operator_work(std::int64_t seq_len, const Windows& windows);

/// What the determinant as logit changes in these counts: nothing where q and a key are folded first, and half as much
/// again where its two einsums are a product of matrices each.
double two_einsum_work(const OperatorWork& work);
std::string determinant_work_text(std::int64_t seq_len, const Windows& windows);

/// The same at powers of two from 2^low to 2^high.
std::vector<OperatorWork> work_by_length(const Windows& windows, int low, int high);

}  // namespace triscope
