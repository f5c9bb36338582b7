// The reference: fp64 arithmetic on fp32 tensors, in direct loops that follow the formulas.
//
//   logit_ijk = scale * sum_d q_id k1_jd k2_kd                     trilinear
//   logit_ijk = scale * sum_l det(q_i[l], k1_j[l], k2_k[l])        determinant, l = chunks of 3, remainder unused
//   lse_i = log(sum_jk exp(logit_ijk) [+ exp(sink)]),  p = exp(logit - lse),  o_id = sum_jk p v1_jd v2_kd
//   dp = sum_d do v1 v2,  delta_i = sum_d do_id o_id,  ds = p (dp - delta)
//   dq = scale sum_jk ds k1*k2    dk1 = scale sum_ik ds q*k2    dk2 = scale sum_ij ds q*k1
//   dv1 = sum_ik p do*v2          dv2 = sum_ij p do*v1          dsink = -sum_i p_sink delta
// For the determinant the products of two vectors in dq, dk1, dk2 are k1 x k2, k2 x q and q x k1, chunk by chunk.
//
// Everything is evaluated per row (o, lse, dq) or per key (dk, dv), so a sample of rows and keys of a large problem
// costs what the sample costs, and the whole problem is the same code on every row and key.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/attention/host_tensors.hpp"
#include "kernels/attention/kernel.hpp"

namespace triscope {

/// A query row: one position of one query head.
struct OracleRow {
  std::int64_t batch = 0;
  std::int64_t position = 0;
  std::int64_t head = 0;
};

/// A key: one position of one kv head. Its axis is a separate argument.
struct OracleKey {
  std::int64_t batch = 0;
  std::int64_t position = 0;
  std::int64_t kv_head = 0;
};

enum class KeyAxis { one = 1, two = 2 };

/// What the backward needs to know of a row beyond its inputs.
struct RowStatistics {
  double lse = 0;    ///< natural log, sink included
  double delta = 0;  ///< sum_d do o
};
using StatisticsOf = std::function<RowStatistics(const OracleRow&)>;

/// A score gradient and the yardstick for its error: the same sum with ds replaced by p (|dp| + |delta|), which does
/// not cancel (docs/method.md, "Check"). Length head_dim.
struct ScoreGradient {
  std::vector<double> value;
  std::vector<double> yardstick;
};

/// Gradients of one key on one axis.
struct KeyGradient {
  ScoreGradient key;          ///< dk1 or dk2
  std::vector<double> value;  ///< dv1 or dv2
};

/// Evaluates rows and keys of one problem. Thread-safe; scratch memory comes from the heap. Also evaluates
/// `dot_product` (k2 = v2 = 1 at the query's own position), the reference of the baselines.
class Oracle {
 public:
  /// `fold`: round that product of two operands of the logit to bf16 (half_k1, half_k2: to the 11 bits of fp16), as a
  /// tensor-core kernel must; the factors are multiplied (determinant: crossed) unrounded and the result is rounded
  /// once; the cross and half folds also round one of the two products of a determinant. `Fold::none`: exact. Throws
  /// `Error` (usage) for form `gemm` and for a missing tensor. The pointers must outlive the object.
  Oracle(const Problem& problem, const HostInputs& inputs, Fold fold = Fold::none);

  /// Writes o [head_dim]; returns the LSE.
  double row(const OracleRow& row, std::span<double> o) const;
  /// delta of a row whose output is `o` [head_dim].
  double delta(const OracleRow& row, std::span<const double> o) const;
  double delta(const OracleRow& row, const float* o) const;
  ScoreGradient grad_q(const OracleRow& row, const RowStatistics& statistics) const;
  /// `statistics` is asked for every row that sees the key.
  KeyGradient grad_key(KeyAxis axis, const OracleKey& key, const StatisticsOf& statistics) const;
  /// What the rows at `count` positions add to that, from the `first` one that sees the key on.
  KeyGradient grad_key_of(KeyAxis axis, const OracleKey& key, const StatisticsOf& statistics, std::int64_t first,
                          std::int64_t count) const;
  /// The positions whose rows see the key.
  std::int64_t positions_seeing(KeyAxis axis, const OracleKey& key) const {
    return rows_of(axis, key.position).count();
  }
  /// dsink of one query head, summed over batch and rows, and its yardstick sum p_sink |delta|.
  struct SinkGradient {
    double value = 0;
    double yardstick = 0;
  };
  SinkGradient grad_sink(std::int64_t head, const StatisticsOf& statistics) const;

  /// Offset of element 0 of a row in q, o and their gradients; of a key in k1..v2; of a row in lse.
  std::int64_t row_offset(const OracleRow& row) const;
  std::int64_t key_offset(const OracleKey& key) const;
  std::int64_t lse_offset(const OracleRow& row) const;

 private:
  struct Range {
    std::int64_t first, last;  // inclusive
    std::int64_t count() const { return last - first + 1; }
  };
  class Block;

  Range keys_of(KeyAxis axis, std::int64_t position) const;
  Range rows_of(KeyAxis axis, std::int64_t position) const;
  Block load(KeyAxis axis, std::int64_t batch, std::int64_t kv_head, Range range) const;
  void fold_query(KeyAxis axis, const double* q, const double* key, double* folded) const;
  double logit(KeyAxis folded_axis, const double* folded, const double* q, const double* own,
               const double* other) const;
  void add_crossed(KeyAxis axis, const double* q, const double* other, double factor, double* sum) const;
  std::vector<double> read(const float* tensor, std::int64_t offset) const;

  Problem problem_;
  HostInputs inputs_;
  Fold fold_;
  double scale_;
  std::int64_t dims_;  // dimensions that take part in the logit
};

/// Rounds a finite double to bf16 through fp32, as a kernel does that forms the product in fp32.
double round_product_to_bf16(double x);

}  // namespace triscope
