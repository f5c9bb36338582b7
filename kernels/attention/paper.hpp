// What the paper states and this program compares with.
#pragma once

#include <vector>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// The paper's Table 1, in its order, with its latencies in ms.
struct PaperRow {
  Windows windows;
  double latency_ms;
};
const std::vector<PaperRow>& paper_table1();
/// The paper's row for the windows of a trilinear, causal problem of any shape; null when there is none.
const PaperRow* find_paper_row(const Problem& problem);
/// 32,768 tokens, 64 query heads on 1, head size 128, batch 1: the paper gives no shape, this one reproduces its rate.
bool has_paper_shape(const Problem& problem);

}  // namespace triscope
