#include "kernels/paper/einsum_logits.hpp"

namespace triscope {

std::vector<double> trilinear_einsum(std::span<const double> q, std::span<const double> k1, std::span<const double> k2,
                                     std::int64_t n) {
  const auto rows = static_cast<std::size_t>(n);
  const std::size_t d = q.size() / rows;
  std::vector<double> logits;
  logits.reserve(rows * rows * rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      for (std::size_t k = 0; k < rows; ++k) {
        double sum = 0;
        for (std::size_t h = 0; h < d; ++h) sum += q[i * d + h] * k1[j * d + h] * k2[k * d + h];
        logits.push_back(sum);
      }
    }
  }
  return logits;
}

std::vector<double> turned_chunks(std::span<const double> rows, std::int64_t n, int places) {
  const std::size_t d = rows.size() / static_cast<std::size_t>(n);
  std::vector<double> turned(rows.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
    for (std::size_t h = 0; h < d / 3 * 3; ++h)
      turned[row * d + h] = rows[row * d + h / 3 * 3 + (h + static_cast<std::size_t>(places)) % 3];
  }
  return turned;
}

std::vector<double> determinant_by_two_einsums(std::span<const double> q, std::span<const double> k1,
                                               std::span<const double> k2, std::int64_t n) {
  std::vector<double> logits = trilinear_einsum(q, turned_chunks(k1, n, 1), turned_chunks(k2, n, 2), n);
  const std::vector<double> taken = trilinear_einsum(q, turned_chunks(k1, n, 2), turned_chunks(k2, n, 1), n);
  for (std::size_t at = 0; at < logits.size(); ++at) logits[at] -= taken[at];
  return logits;
}

}  // namespace triscope
