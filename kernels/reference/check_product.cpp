#include "kernels/reference/check_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/philox.hpp"

namespace triscope {
namespace {

// `count` of the indices below n, both ends among them; all when n is no more than that.
std::vector<std::int64_t> choose(std::int64_t n, const CheckOptions& options, std::uint32_t which) {
  std::vector<std::int64_t> list;
  if (options.everything || options.rows >= n) {
    list.resize(static_cast<std::size_t>(n));
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
  for (std::int64_t m = 0; m < options.rows; ++m) {
    const PhiloxBlock block = philox(static_cast<std::uint64_t>(m), which, options.seed);
    list.push_back(m == 0 ? 0 : m == 1 ? n - 1 : static_cast<std::int64_t>(block.x[0]) % n);
  }
  return list;
}

std::int64_t first_not_finite(const float* values, std::int64_t count) {
  std::int64_t bad = count;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (std::int64_t n = 0; n < count; ++n) {
    if (!std::isfinite(values[n])) bad = std::min(bad, n);
  }
  return bad;
}

}  // namespace

CheckResult check_product(const Problem& problem, const HostInputs& inputs, const HostOutputs& outputs,
                          const CheckOptions& options) {
  if (inputs.q == nullptr || inputs.k1 == nullptr || outputs.o == nullptr) {
    throw Error("the product cannot be checked", "a matrix is missing", "pass q, k1 and o", ExitCode::usage);
  }
  CheckResult result;
  const std::int64_t n = problem.seq_len;
  if (const std::int64_t bad = first_not_finite(outputs.o, n * n); bad < n * n) {
    result.worst = std::numeric_limits<double>::infinity();
    result.failure = fmt::format("o has {} at element {}", outputs.o[bad], bad);
    return result;
  }
  const std::vector<std::int64_t> rows = choose(n, options, 0), columns = choose(n, options, 1);
  double difference = 0, norm = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : difference, norm)
  for (const std::int64_t row : rows) {
    for (const std::int64_t column : columns) {
      double sum = 0;
      for (std::int64_t l = 0; l < n; ++l)
        sum += static_cast<double>(inputs.q[row * n + l]) * inputs.k1[l * n + column];
      const double error = outputs.o[row * n + column] - sum;
      difference += error * error;
      norm += sum * sum;
    }
  }
  const double error = difference == 0 ? 0 : std::sqrt(difference / norm);
  const double bound = problem.element == Element::bf16 ? 4e-3 : 1e-5;
  result.errors["o"] = result.worst = error;
  if (!(error <= bound))
    result.failure = fmt::format("o: relative error {:.3g} against fp64 exceeds {:.3g}", error, bound);
  return result;
}

}  // namespace triscope
