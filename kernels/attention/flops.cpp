#include "kernels/attention/flops.hpp"

#include <algorithm>

namespace triscope {
namespace {

using Wide = __int128;

// sum over i = 1..n of min(i, a) * min(i, b), the kept (j, k) pairs of the i-th query.
double clipped_products(std::int64_t n, std::int64_t window1, std::int64_t window2) {
  const Wide small = std::min({window1, window2, n});
  const Wide large = std::min(std::max(window1, window2), n);
  const Wide both_clipped = small * (small + 1) * (2 * small + 1) / 6;
  const Wide one_clipped = small * (large * (large + 1) - small * (small + 1)) / 2;
  const Wide full = (Wide{n} - large) * small * large;
  return static_cast<double>(both_clipped + one_clipped + full);
}

double gemms(Pass pass) { return pass == Pass::forward ? 2.0 : 5.0; }

double heads_times_dim(const Problem& problem) {
  return static_cast<double>(problem.batch) * static_cast<double>(problem.q_heads) *
         static_cast<double>(problem.head_dim);
}

}  // namespace

double triple_count(const Problem& problem) {
  const double n = static_cast<double>(problem.seq_len);
  if (problem.form == Form::gemm) return n * n * n;
  if (problem.mask == Mask::full) return problem.form == Form::dot_product ? n * n : n * n * n;
  const std::int64_t window2 = problem.form == Form::dot_product ? 1 : problem.window2;
  return clipped_products(problem.seq_len, problem.window1, window2);
}

double useful_flops(const Problem& problem, Pass pass) {
  if (problem.form == Form::gemm) return 2.0 * triple_count(problem);
  return triple_count(problem) * 2.0 * gemms(pass) * heads_times_dim(problem);
}

double paper_flops(const Problem& problem, Pass pass) {
  const double n = static_cast<double>(problem.seq_len);
  if (problem.form == Form::gemm) return useful_flops(problem, pass);
  const double backward_factor = gemms(pass) / 2.0;
  if (problem.form == Form::dot_product) {
    const double kept =
        problem.mask == Mask::full ? n : std::min<double>(n / 2.0, static_cast<double>(problem.window1));
    return 4.0 * n * kept * heads_times_dim(problem) * backward_factor;
  }
  const double w1 = problem.mask == Mask::full ? n : static_cast<double>(problem.window1);
  const double w2 = problem.mask == Mask::full ? n : static_cast<double>(problem.window2);
  return 6.0 * n * w1 * w2 * heads_times_dim(problem) * backward_factor;
}

double compulsory_bytes(const Problem& problem, Pass pass) { return static_cast<double>(tensor_bytes(problem, pass)); }

}  // namespace triscope
