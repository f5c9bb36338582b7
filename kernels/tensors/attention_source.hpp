// Where inspected tensors come from: a file, a generator, or Match3 (kernels/tensors/match3.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/problem.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {

enum class SourceKind {
  random,     ///< N(0,1)
  peaked,     ///< q x 4: a few pairs get nearly all of p
  induction,  ///< tokens that repeat: key 1 follows an earlier copy of the query's token, key 2 is a marked word
  match3,     ///< the paper's Theorem 1
  file,
};
std::string_view to_string(SourceKind);
std::optional<SourceKind> parse_source_kind(std::string_view text);

/// A source as a user describes it. What does not belong to its kind is ignored.
struct AttentionSource {
  SourceKind kind = SourceKind::induction;
  std::int64_t opening = 0;  ///< counts how often a user has opened it; a new number makes the source be read again
  // Generated ones.
  std::uint64_t seed = 1;
  std::int64_t seq_len = 1024, q_heads = 8, kv_heads = 1, head_dim = 64;
  Form form = Form::trilinear;  ///< the logit it is made for
  bool rotary = false;          ///< rotated by position: 2-d pairs (trilinear); chunks of three about one common axis
                                ///< (determinant), so that the logit depends on i-j and i-k alone
  // File.
  std::string file;
  TensorMapping mapping;
  std::string labels_file;
  // Match3.
  std::vector<std::int64_t> numbers;
  std::int64_t modulus = 10;
  std::optional<double> c;  ///< unset: `match3_usual_c`

  /// True when everything but `opening` is equal.
  bool describes_same(const AttentionSource&) const;
  bool operator==(const AttentionSource& other) const { return opening == other.opening && describes_same(other); }
};

/// Makes or opens the tensors. Throws `Error` (usage) for an impossible shape and as `open_tensors` and
/// `match3_tensors`.
std::shared_ptr<const AttentionTensors> open_source(const AttentionSource& source);

}  // namespace triscope
