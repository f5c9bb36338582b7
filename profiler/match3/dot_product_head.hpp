// What one dot-product head can do on Match3 when its output is read as the construction's is: one number beside a
// threshold.
//
//   sum_j w_ij v_j / (sum_j w_ij + w_sink) > t_i    is    sum_j w_ij (v_j - t_i) > t_i w_sink,    w_ij = exp(q_i . k_j)
//
// So it decides by a sum over the tokens of something that depends on x_i and x_j alone: a linear function of how often
// each residue is there, one for each residue of x_i. That holds for a head of any width, and every head of width 7 is
// among them; the search below goes through all such functions, so it does not sell a dot-product head short. What it
// finds need not be the best one. Four inputs of three numbers (`match3_swap`) show that none of them is right.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace triscope {

class DotProductHead {
 public:
  explicit DotProductHead(std::int64_t modulus);
  std::int64_t modulus() const { return modulus_; }
  /// What it says of each token.
  std::vector<bool> told(const std::vector<std::int64_t>& numbers) const;
  /// The sum for one token, above 0: match. `residues` from 0 to modulus - 1.
  double sum(std::int64_t own, const std::vector<std::int64_t>& residues) const;

 private:
  friend DotProductHead find_dot_product_head(std::int64_t, std::int64_t, std::uint64_t);
  std::size_t row(std::int64_t own) const { return static_cast<std::size_t>(own * (modulus_ + 1)); }

  std::int64_t modulus_ = 1;
  std::vector<double> weights_;  // [residue of x_i][residue of x_j; last: what stands alone]
};

/// The search: logistic regression by averaged stochastic gradient, ten times through three quarters of at most 4000
/// random inputs of `n` numbers (fewer, but at least 64, for long ones). A residue for which "always" or "never" is
/// right more often on the last quarter says that.
DotProductHead find_dot_product_head(std::int64_t n, std::int64_t modulus, std::uint64_t seed);

/// Tokens told rightly on inputs that neither head has seen.
struct HeadsBeside {
  std::int64_t inputs = 0, tokens = 0;
  std::int64_t determinant = 0, dot_product = 0;
  std::int64_t larger_class = 0;  ///< by the answer that is right more often
};
HeadsBeside compare_heads(const DotProductHead& head, std::int64_t n, std::uint64_t seed);

/// Tokens {r, a, b}, {r, a', b'}, {r, a, b'} and {r, a', b}: for r there is a match in the first two and none in the
/// others. Both halves hold the same numbers at the same places, so a sum over tokens, whatever it knows of residues
/// and places, is the same on both, and cannot be above a threshold on the first two and not on the last two.
struct Match3Swap {
  std::array<std::vector<std::int64_t>, 4> inputs;  ///< r first
};
/// Nullopt where there is none: modulo 1, 2 and 3.
std::optional<Match3Swap> match3_swap(std::int64_t modulus);

}  // namespace triscope
