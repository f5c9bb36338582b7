// What stands beside 2-simplicial attention, and which dot products may.
#pragma once

#include "profiler/record/measurement.hpp"

namespace triscope {

/// By what was computed, dot-product attention or a matrix product, whichever kernel did it: the oracle computes both.
inline bool is_baseline(const Problem& problem) {
  return problem.form == Form::dot_product || problem.form == Form::gemm;
}
inline bool is_baseline(const ResultRow& row) { return is_baseline(row.problem); }

/// Dot-product attention over every token before the query, or under a full mask: a sliding window is another question.
inline bool sees_all(const Problem& problem) {
  return problem.form == Form::dot_product && (problem.mask == Mask::full || problem.window1 >= problem.seq_len);
}

}  // namespace triscope
