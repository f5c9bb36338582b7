#include "profiler/paper/layers/operator_work.hpp"

#include <fmt/format.h>

#include "kernels/attention/flops.hpp"
#include "profiler/record/words/count_text.hpp"

namespace triscope {

OperatorWork operator_work(std::int64_t seq_len, const Windows& windows) {
  Problem problem;
  problem.q_heads = problem.kv_heads = problem.head_dim = 1;
  problem.seq_len = seq_len;
  problem.window1 = windows.window1;
  problem.window2 = windows.window2;
  const Problem dot = baseline_problem(problem);
  return {static_cast<double>(seq_len), paper_flops(dot, Pass::forward), paper_flops(problem, Pass::forward),
          useful_flops(dot, Pass::forward), useful_flops(problem, Pass::forward)};
}

double two_einsum_work(const OperatorWork& work) {
  // 2 for each of both einsums and 2 for the output, a triple and a dimension, where the trilinear form has 2 and 2.
  return 1.5 * work.windows_exact;
}

std::string determinant_work_text(std::int64_t seq_len, const Windows& windows) {
  return fmt::format(
      "The determinant has the counts of the trilinear form: in each chunk q and a key fold into their cross product, "
      "once for the two of them, and a pair of keys takes one product as there. As two einsums of a product of "
      "matrices each, {}x{} at {} tokens would be {:.4g} FLOPs for the {:.4g} of the exact count, 1.5 times, and cost "
      "less than dot-product attention from 3 w1 w2 = {} tokens on.",
      windows.window1, windows.window2, count_text(seq_len), two_einsum_work(operator_work(seq_len, windows)),
      operator_work(seq_len, windows).windows_exact, count_text(3 * windows.window1 * windows.window2));
}

std::vector<OperatorWork> work_by_length(const Windows& windows, int low, int high) {
  std::vector<OperatorWork> all;
  for (int power = low; power <= high; ++power) all.push_back(operator_work(std::int64_t{1} << power, windows));
  return all;
}

}  // namespace triscope
