// Match3 by one attention head (the paper's Theorem 1): for each x_i, is there a pair with x_i + x_j + x_k = 0 mod M?
//
//   theta_i = 2 pi x_i / M
//   q_i  = c (cos, sin, 0, -sin, cos, 0, 1)(theta_i)
//   k1_j = (sin, cos, 0, -sin, -cos, 0, 0)(theta_j)      k2_k = (0, 0, cos, 0, 0, -sin, 0)(theta_k)
//   det of chunk 1 + det of chunk 2 = c cos(theta_i + theta_j + theta_k)
//
// The last dimension scores the blank pair: c, with value 0, which is a sink of logit c here. Values are 1, so the
// head's output is the mass of all pairs: beta / (beta + 1) for beta matching pairs, as far as c is large.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/attention/problem.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {

/// The head says "match" when its output is above this. The paper uses 1/2; one match gives exactly 1/2, so rounding
/// would decide; one match gives at least 1/2 and none stays below 1/4.
inline constexpr double kMatch3Threshold = 0.25;
inline constexpr std::int64_t kMatch3MostNumbers = 1024;
inline constexpr std::int64_t kMatch3LargestModulus = 1000;  ///< beyond, fp32 cannot hold the angles that c multiplies

/// Whole numbers separated by spaces, commas or semicolons; nullopt for anything else, or one beyond a thousand
/// million.
std::optional<std::vector<std::int64_t>> parse_match3_numbers(std::string_view text);

/// ln(3 n^2) / (1 - cos(2 pi / M)): n^2 pairs that miss by one step then weigh at most 1/3 of the sink together, so the
/// output without a match is at most (1/3) / (1 + 1/3) = 1/4. 1 when M is 1, where every pair matches.
double match3_least_c(std::int64_t n, std::int64_t modulus);
/// ln(4 n^2) / (1 - cos(2 pi / M)): the same with at most 1/5, so that rounding does not decide at the bound.
double match3_usual_c(std::int64_t n, std::int64_t modulus);

/// Form determinant, mask full, scale 1, head_dim 7, one head.
Problem match3_problem(std::int64_t n);

/// The head's tensors for `numbers`, labelled with them; `c` 0 or less: `match3_usual_c`. Throws `Error` (usage) for no
/// or too many numbers, a modulus below 1 or too large, or a c that is not finite.
std::shared_ptr<const AttentionTensors> match3_tensors(const std::vector<std::int64_t>& numbers, std::int64_t modulus,
                                                       double c);

/// Matching pairs (j, k) of every token, counted by residues.
std::vector<std::int64_t> match3_counts(const std::vector<std::int64_t>& numbers, std::int64_t modulus);

}  // namespace triscope
