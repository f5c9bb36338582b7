// Which dot products may stand beside 2-simplicial attention.
#pragma once

#include "kernels/attention/problem.hpp"

namespace triscope {

/// Dot-product attention over every token before the query, or under a full mask: a sliding window is another question.
inline bool sees_all(const Problem& problem) {
  return problem.form == Form::dot_product && (problem.mask == Mask::full || problem.window1 >= problem.seq_len);
}

}  // namespace triscope
