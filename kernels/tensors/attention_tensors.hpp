// q, k1, k2, v1, v2 and the sink of one attention layer, in memory or in a mapped file of any size.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tensors/tensor_file.hpp"

namespace triscope {

enum class TensorRole { q, k1, k2, v1, v2 };

/// Tensors of one layer, read-only. Safe to read from several threads.
class AttentionTensors {
 public:
  /// In memory, fp32, BSHD, contiguous; by role: q, k1, k2, v1, v2; the values may be empty. `sinks` is empty or
  /// [q_heads].
  AttentionTensors(std::int64_t batches, std::int64_t length, std::int64_t query_heads, std::int64_t key_heads,
                   std::int64_t dim, std::array<std::vector<float>, 5> tensors, std::vector<float> sinks);

  std::int64_t batch = 0, seq_len = 0, q_heads = 0, kv_heads = 0, head_dim = 0;
  std::vector<float> sink;          ///< [q_heads]; empty = none
  std::vector<std::string> labels;  ///< [seq_len]; empty = none

  std::int64_t group() const { return q_heads / kv_heads; }
  /// v1 and v2 are there.
  bool has_values() const;
  /// Rows of one head at positions [first, first + count), `head_dim` each, as fp32. `head` is a query head for q and a
  /// kv head for the keys.
  void read(TensorRole role, std::int64_t at_batch, std::int64_t head, std::int64_t first, std::int64_t count,
            float* out) const;

 private:
  friend struct TensorFileOpener;
  struct Strided {
    FileElement element = FileElement::f32;
    const std::byte* data = nullptr;
    std::int64_t batch_stride = 0, position_stride = 0, head_stride = 0;  // in elements; the last dimension is dense
  };
  AttentionTensors() = default;

  std::array<Strided, 5> tensors_;
  std::array<std::vector<float>, 5> memory_;
  std::vector<TensorFile> files_;
};

/// One tensor of a file, for choosing which is which.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string element;  ///< "BF16"
};

/// How a file's tensors are to be read.
struct TensorMapping {
  std::map<std::string, std::string> names;  ///< q, k1, k2[, v1, v2, sink] -> its name in the file, empty: there is
                                             ///< none; unmentioned ones are guessed (`guess_names`)
  bool heads_first = false;  ///< [batch, heads, seq_len, head_dim] rather than [batch, seq_len, heads, head_dim]
  bool operator==(const TensorMapping&) const = default;
};

/// "q=NAME,k1=NAME,..." as `TensorMapping::names`; "v1=" says that there is no v1. do is a role `with_gradient`. Throws
/// `Error` (usage) that names --names.
std::map<std::string, std::string> parse_tensor_names(std::string_view text, bool with_gradient = false);

/// What lies in `file`: a .safetensors, .npz or .pt file, or a .npy file, whose neighbours q.npy, k1.npy, ... belong to
/// it. Reads no data. Throws `Error` (usage) as `TensorFile`.
std::vector<NamedTensor> list_tensors(const std::string& file);

/// Completes `given` from the names there are: a tensor called q, or else the only one whose name ends in ".q", "_q" or
/// "/q", and likewise for the others. Left out: what is ambiguous, and what `given` marks as missing (an empty name).
std::map<std::string, std::string> guess_names(const std::vector<NamedTensor>& tensors,
                                               std::map<std::string, std::string> given);

/// Opens `file` by memory map; packed arrays are unpacked. Shapes have four dimensions, or three when there is no
/// batch. `labels_file`: one token a line; empty: none. Values are read when v1 and v2 are both there. Throws `Error`
/// (usage): what `TensorFile` refuses, q, k1 or k2 without a tensor, shapes that do not belong together, labels of
/// another number than tokens.
std::shared_ptr<const AttentionTensors> open_tensors(const std::string& file, const TensorMapping& mapping,
                                                     const std::string& labels_file = {});

/// The gradient of the output as role q, of the tensor that `mapping` or its name calls do. Null when there is none.
/// Throws as `open_tensors`, and when its shape is not q's.
std::shared_ptr<const AttentionTensors> open_gradient(const std::string& file, const TensorMapping& mapping);

}  // namespace triscope
