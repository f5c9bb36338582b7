#include "kernels/attention/paper.hpp"

namespace triscope {

const std::vector<PaperRow>& paper_table1() {
  static const std::vector<PaperRow> rows{{{1024, 32}, 104.1}, {{512, 64}, 110.7}, {{128, 128}, 59.2},
                                          {{256, 64}, 55.8},   {{512, 32}, 55.1},  {{1024, 16}, 55.1},
                                          {{256, 32}, 28.3}};
  return rows;
}

const PaperRow* find_paper_row(const Problem& problem) {
  if (problem.form != Form::trilinear || problem.mask != Mask::causal) return nullptr;
  for (const PaperRow& row : paper_table1()) {
    if (row.windows == Windows{problem.window1, problem.window2}) return &row;
  }
  return nullptr;
}

bool has_paper_shape(const Problem& problem) {
  return problem.batch == 1 && problem.seq_len == 32'768 && problem.q_heads == 64 && problem.kv_heads == 1 &&
         problem.head_dim == 128;
}

}  // namespace triscope
