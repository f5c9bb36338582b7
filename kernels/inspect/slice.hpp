// What inspection shows of the attention tensor: one query's slice, all heads at one query, and an overview of every
// query. Plain data; made by a `SliceEngine` from the tensors of kernels/tensors/attention_tensors.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// What is rounded on the way to the logits.
enum class Arithmetic {
  exact,        ///< nothing: fp64 on the tensors as they are stored
  bf16_inputs,  ///< q, k1 and k2 rounded to bf16
  bf16_kernel,  ///< those, and the virtual query q * k2 (determinant: k2 x q) too, as a tensor-core kernel must
};
std::string_view to_string(Arithmetic);
std::optional<Arithmetic> parse_arithmetic(std::string_view text);

/// One query of one head. `problem` says form, mask, windows, scale and k2_bias; its shape must be the tensors'. Form
/// `dot_product` is allowed: one row, over axis 1.
struct SliceQuery {
  Problem problem;
  Arithmetic arithmetic = Arithmetic::exact;
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t query = 0;

  bool operator==(const SliceQuery&) const = default;
};

/// A pair of keys that a query attends to.
struct Triple {
  std::int64_t j = 0;  ///< position on axis 1
  std::int64_t k = 0;  ///< position on axis 2
  double logit = 0;
  double p = 0;
  double output_share = 0;  ///< of the output: <p v1 v2, o> / |o|^2; 0 without values
};

/// The distribution of one query over pairs of keys. Cell (j, k) of `log_p` lies at (k - first2) * count1 + j - first1.
/// Pairs that the mask hides are not in it. A logit that is NaN or infinite stands in `log_p` as it is, is counted, and
/// takes no part in anything else: `log_p` of the others is what it would be without it.
struct Slice {
  std::int64_t first1 = 0, count1 = 0;  ///< keys seen on axis 1
  std::int64_t first2 = 0, count2 = 0;  ///< keys seen on axis 2
  std::vector<float> log_p;             ///< [count2][count1], natural log; logit = log_p + lse
  double lse = 0;                       ///< natural log, sink included
  double entropy = 0;                   ///< in nats, of the pairs alone, their p made to sum to 1: the sink takes no
                                        ///< part, as in the distances. This, the next and those are NaN without a
                                        ///< finite logit
  double largest_p = 0;
  double sink_p = 0;                    ///< share of the sink; 0 without one
  double distance1 = 0, distance2 = 0;  ///< mean tokens between the query and its keys, over the pairs
  std::vector<float> marginal1;         ///< [count1], sum of p over k
  std::vector<float> marginal2;         ///< [count2], sum of p over j
  std::vector<Triple> top;              ///< largest p first
  std::vector<float> output;            ///< [head_dim]: sum of p v1 v2; empty without values
  std::vector<float> dot_log_p;         ///< [count1]: dot-product attention of the same query over axis 1, scale
                                        ///< 1/sqrt(head_dim), no sink
  std::int64_t nan_count = 0, infinite_count = 0;
  std::int64_t elapsed_ns = 0;  ///< to make it
};

/// Figures of every head at every `step`-th query, [head][column]; column c is query `step` * c.
struct Overview {
  std::int64_t heads = 0, columns = 0, step = 1;
  std::vector<float> entropy;  ///< nats
  std::vector<float> largest_p;
  std::vector<float> sink_p;
  std::vector<float> distance1, distance2;  ///< mean tokens back
  std::int64_t elapsed_ns = 0;
};

/// Small pictures of all heads at one query: the largest log p inside each cell of a grid over the window.
struct HeadSheet {
  std::int64_t heads = 0, width = 0, height = 0;  ///< cells of a picture, axis 1 across
  std::vector<float> log_p;                       ///< [head][height][width]; -inf where the mask hides everything
  std::int64_t elapsed_ns = 0;
};

}  // namespace triscope
