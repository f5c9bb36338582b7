#include "profiler/paper/layers/operator_work.hpp"

#include "kernels/attention/flops.hpp"

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

std::vector<OperatorWork> work_by_length(const Windows& windows, int low, int high) {
  std::vector<OperatorWork> all;
  for (int power = low; power <= high; ++power) all.push_back(operator_work(std::int64_t{1} << power, windows));
  return all;
}

}  // namespace triscope
