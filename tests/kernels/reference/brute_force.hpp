// 2-simplicial attention straight from the paper's equations, for small problems: the whole attention tensor in memory,
// no ranges, no folding, masks asked triple by triple. Shares no code with kernels/cpu.
#pragma once

#include <cmath>
#include <vector>

#include "tests/kernels/attention/attention_case.hpp"

namespace triscope::test {

struct BruteForce {
  std::vector<double> o, lse, grad_q, grad_k1, grad_k2, grad_v1, grad_v2, grad_sink;
};

class BruteForceEvaluation {
 public:
  explicit BruteForceEvaluation(const AttentionCase& tensors) : t_(tensors), p_(tensors.problem) {
    result_.o.assign(t_.q.size(), 0);
    result_.lse.assign(static_cast<std::size_t>(p_.batch * p_.q_heads * p_.seq_len), 0);
    result_.grad_q = result_.o;
    result_.grad_k1.assign(t_.k1.size(), 0);
    result_.grad_k2 = result_.grad_v1 = result_.grad_v2 = result_.grad_k1;
    result_.grad_sink.assign(static_cast<std::size_t>(p_.q_heads), 0);
  }

  BruteForce run() {
    for (std::int64_t b = 0; b < p_.batch; ++b) {
      for (std::int64_t i = 0; i < p_.seq_len; ++i) {
        for (std::int64_t h = 0; h < p_.q_heads; ++h) row(b, i, h);
      }
    }
    return result_;
  }

 private:
  std::int64_t query(std::int64_t b, std::int64_t i, std::int64_t h) const {
    return ((b * p_.seq_len + i) * p_.q_heads + h) * p_.head_dim;
  }
  std::int64_t key(std::int64_t b, std::int64_t j, std::int64_t h) const {
    return ((b * p_.seq_len + j) * p_.kv_heads + h * p_.kv_heads / p_.q_heads) * p_.head_dim;
  }
  double k2_at(std::int64_t at) const { return t_.k2[at] + p_.k2_bias; }
  double v2_at(std::int64_t at) const { return t_.v2[at] + p_.v2_bias; }
  bool seen(std::int64_t i, std::int64_t x, std::int64_t window) const {
    return p_.mask == Mask::full || (x <= i && x > i - window);
  }

  // d logit / d (q, k1, k2) at one triple by the definition of the determinant: sum over permutations of a chunk.
  void add_logit_gradient(std::int64_t qa, std::int64_t ka, std::int64_t kb, double ds) {
    const double s = ds * p_.effective_scale();
    if (p_.form == Form::trilinear) {
      for (std::int64_t d = 0; d < p_.head_dim; ++d) {
        result_.grad_q[qa + d] += s * t_.k1[ka + d] * k2_at(kb + d);
        result_.grad_k1[ka + d] += s * t_.q[qa + d] * k2_at(kb + d);
        result_.grad_k2[kb + d] += s * t_.q[qa + d] * t_.k1[ka + d];
      }
      return;
    }
    for (std::int64_t l = 0; l + 3 <= p_.head_dim; l += 3) {
      for (const auto& [x, y, z, sign] : kPermutations) {
        result_.grad_q[qa + l + x] += s * sign * t_.k1[ka + l + y] * k2_at(kb + l + z);
        result_.grad_k1[ka + l + y] += s * sign * t_.q[qa + l + x] * k2_at(kb + l + z);
        result_.grad_k2[kb + l + z] += s * sign * t_.q[qa + l + x] * t_.k1[ka + l + y];
      }
    }
  }

  double logit(std::int64_t qa, std::int64_t ka, std::int64_t kb) const {
    double sum = 0;
    if (p_.form == Form::trilinear) {
      for (std::int64_t d = 0; d < p_.head_dim; ++d) sum += double(t_.q[qa + d]) * t_.k1[ka + d] * k2_at(kb + d);
    } else {
      for (std::int64_t l = 0; l + 3 <= p_.head_dim; l += 3) {
        for (const auto& [x, y, z, sign] : kPermutations)
          sum += sign * double(t_.q[qa + l + x]) * t_.k1[ka + l + y] * k2_at(kb + l + z);
      }
    }
    return sum * p_.effective_scale();
  }

  void row(std::int64_t b, std::int64_t i, std::int64_t h) {
    const std::int64_t n = p_.seq_len, qa = query(b, i, h);
    std::vector<double> exponential(static_cast<std::size_t>(n * n), 0.0);
    double total = p_.sink ? std::exp(double(t_.sink[h])) : 0.0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t k = 0; k < n; ++k) {
        if (!seen(i, j, p_.window1) || !seen(i, k, p_.window2)) continue;
        exponential[j * n + k] = std::exp(logit(qa, key(b, j, h), key(b, k, h)));
        total += exponential[j * n + k];
      }
    }
    result_.lse[(b * p_.q_heads + h) * n + i] = std::log(total);
    double delta = 0;
    for (std::int64_t d = 0; d < p_.head_dim; ++d) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t k = 0; k < n; ++k) {
          result_.o[qa + d] += exponential[j * n + k] / total * t_.v1[key(b, j, h) + d] * v2_at(key(b, k, h) + d);
        }
      }
      delta += result_.o[qa + d] * t_.grad_o[qa + d];
    }
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t k = 0; k < n; ++k) {
        const double p = exponential[j * n + k] / total;
        if (p == 0) continue;
        const std::int64_t ka = key(b, j, h), kb = key(b, k, h);
        double dp = 0;
        for (std::int64_t d = 0; d < p_.head_dim; ++d) {
          dp += t_.grad_o[qa + d] * double(t_.v1[ka + d]) * v2_at(kb + d);
          result_.grad_v1[ka + d] += p * t_.grad_o[qa + d] * v2_at(kb + d);
          result_.grad_v2[kb + d] += p * t_.grad_o[qa + d] * t_.v1[ka + d];
        }
        add_logit_gradient(qa, ka, kb, p * (dp - delta));
      }
    }
    if (p_.sink) result_.grad_sink[h] -= std::exp(double(t_.sink[h])) / total * delta;
  }

  struct Permutation {
    int x, y, z, sign;
  };
  static constexpr Permutation kPermutations[] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                                  {0, 2, 1, -1}, {1, 0, 2, -1}, {2, 1, 0, -1}};

  const AttentionCase& t_;
  const Problem& p_;
  BruteForce result_;
};

inline BruteForce brute_force(const AttentionCase& tensors) { return BruteForceEvaluation(tensors).run(); }

}  // namespace triscope::test
