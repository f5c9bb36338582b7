// The logits as the paper's Algorithm 1 computes them, einsum by einsum: one for the trilinear form, two for the
// determinant, by Sarrus' rule. Of one head of one sequence, in fp64 and over all triples: for small problems.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace triscope {

/// einsum("ih,jh,kh->ijk", q, k1, k2) of [n][d] each: [n][n][n].
std::vector<double> trilinear_einsum(std::span<const double> q, std::span<const double> k1, std::span<const double> k2,
                                     std::int64_t n);

/// Rows [n][d] with each chunk of three turned to the left by `places` (1 or 2): (x1, x2, x3) becomes (x2, x3, x1). The
/// last d % 3 elements become 0.
std::vector<double> turned_chunks(std::span<const double> rows, std::int64_t n, int places);

/// sum over chunks of det(q, k1, k2) as two einsums:
/// einsum(q, turned(k1, 1), turned(k2, 2)) - einsum(q, turned(k1, 2), turned(k2, 1)).
std::vector<double> determinant_by_two_einsums(std::span<const double> q, std::span<const double> k1,
                                               std::span<const double> k2, std::int64_t n);

}  // namespace triscope
