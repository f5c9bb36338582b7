#include "kernels/plugin/c_problem.hpp"

namespace triscope {

triscope_problem c_problem(const Problem& problem) {
  triscope_problem c{};
  c.size = sizeof c;
  c.form = problem.form == Form::trilinear ? TRISCOPE_TRILINEAR : TRISCOPE_DETERMINANT;
  c.mask = problem.mask == Mask::causal ? TRISCOPE_CAUSAL : TRISCOPE_FULL;
  c.element = problem.element == Element::fp32 ? TRISCOPE_FP32 : TRISCOPE_BF16;
  c.deterministic = problem.deterministic ? 1 : 0;
  c.batch = problem.batch, c.seq_len = problem.seq_len, c.head_dim = problem.head_dim;
  c.q_heads = problem.q_heads, c.kv_heads = problem.kv_heads;
  c.window1 = problem.window1, c.window2 = problem.window2;
  c.has_scale = problem.scale ? 1 : 0, c.scale = problem.scale.value_or(0);
  c.has_sink = problem.sink ? 1 : 0;
  c.k2_bias = problem.k2_bias, c.v2_bias = problem.v2_bias;
  return c;
}

}  // namespace triscope
