// A tensor as it lies in a file, and in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

enum class FileElement { f64, f32, f16, bf16, i64, i32, other };  ///< other: held, but not read
std::string_view to_string(FileElement);                          ///< "F32", ... as safetensors spells it
std::size_t bytes_of(FileElement);                                ///< 1 of `other`, whose size is not known

/// A tensor inside a mapped file, or unpacked from it: row-major, little-endian. `data` lives as long as the
/// `TensorFile`.
struct TensorView {
  std::string name;  ///< .npy: the file's stem
  FileElement element = FileElement::f32;
  std::string type;  ///< of `other`: what the file calls it, "U8"; .pt: "Bool"
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
  std::int64_t elements() const;
};

/// A tensor in memory as fp32 (bf16 and f16 widen exactly).
struct HostTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

}  // namespace triscope
