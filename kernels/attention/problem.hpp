// The problem in one vocabulary: what is computed, independent of how and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// The logit. `dot_product` and `gemm` are the forms of the baselines and share this vocabulary.
enum class Form {
  trilinear,    ///< scale * sum_d q k1 k2                     (paper, eq. 3d-attention)
  determinant,  ///< scale * sum over chunks of 3 of det(q, k1, k2) (paper, eq. logits)
  dot_product,  ///< scale * sum_d q k1, window2 = 1           (baselines)
  gemm,         ///< o = q k1, row-major matrices of seq_len x seq_len: the machine's practical ceiling
};
enum class Mask {
  causal,  ///< j in (i-window1, i], k in (i-window2, i], clipped at 0
  full,    ///< every j and k (the paper's equations before windows); windows are ignored
};
enum class Element { fp32, bf16 };
enum class Pass { forward, backward };

/// One attention problem. Layout is BSHD everywhere: q, o [batch, seq_len, q_heads, head_dim];
/// k1, v1, k2, v2 [batch, seq_len, kv_heads, head_dim]; lse fp32 [batch, q_heads, seq_len], natural log.
/// Query head h reads kv head h / (q_heads / kv_heads). See docs/method.md.
struct Problem {
  Form form = Form::trilinear;
  Mask mask = Mask::causal;
  Element element = Element::bf16;
  bool deterministic = false;  ///< gradients bit-identical from run to run
  std::int64_t batch = 1;
  std::int64_t seq_len = 1024;
  std::int64_t q_heads = 64;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window1 = 512;   ///< keys a query sees on axis 1, itself counted
  std::int64_t window2 = 32;    ///< keys a query sees on axis 2, itself counted
  std::optional<double> scale;  ///< unset: 1/sqrt(head_dim)
  double k2_bias = 0.0;         ///< added to every element of k2; 0 = off
  double v2_bias = 0.0;         ///< added to every element of v2; 0 = off
  std::optional<double> sink;   ///< a logit per query head that adds to the denominator and has no value;
                                ///< generated tensors use this number for every head

  bool operator==(const Problem&) const = default;

  double effective_scale() const;
  std::int64_t group() const { return q_heads / kv_heads; }  ///< query heads per kv head
};

/// Every reason `problem` is impossible, in words a user can act on; empty when it is possible.
/// Bounds the element counts so that no size computed from a valid problem overflows int64.
std::vector<std::string> validate(const Problem& problem);

/// Throws `Error` (usage) naming every reason when `problem` is impossible.
void require_valid(const Problem& problem);

/// Bytes of all inputs and outputs of `pass`: q k1 k2 v1 v2 o lse [sink]; backward: do and the gradients too; gemm: q
/// k1 o.
std::int64_t tensor_bytes(const Problem& problem, Pass pass);

std::string_view to_string(Form);
std::string_view to_string(Mask);
std::string_view to_string(Element);
std::string_view to_string(Pass);
/// Inverse of `to_string`; nullopt when `text` names no value.
std::optional<Form> parse_form(std::string_view text);
std::optional<Mask> parse_mask(std::string_view text);
std::optional<Element> parse_element(std::string_view text);
std::optional<Pass> parse_pass(std::string_view text);

/// A pair of windows as users write it: "512x32".
struct Windows {
  std::int64_t window1 = 0;
  std::int64_t window2 = 0;
  bool operator==(const Windows&) const = default;
};

/// One line that names the problem: "trilinear 512x32, seq 8192, heads 64/1, dim 128, batch 1, bf16".
std::string describe(const Problem& problem);

/// The dot-product attention that stands beside `problem`: plain causal, same tensors, no biases, no sink.
Problem baseline_problem(const Problem& problem);

}  // namespace triscope
