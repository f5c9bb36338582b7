// Tensors on disk: .safetensors and .npy, read through a memory map so that a 10 GB file costs only the pages touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

enum class FileElement { f64, f32, f16, bf16, i64, i32 };
std::string_view to_string(FileElement);  ///< "F32", ... as safetensors spells it
std::size_t bytes_of(FileElement);

/// A tensor inside a mapped file: row-major, little-endian. `data` lives as long as the `TensorFile`.
struct TensorView {
  std::string name;                       ///< .npy: the file's stem
  FileElement element = FileElement::f32;
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

/// An open tensor file. Throws `Error`: missing, empty, truncated, header too long or no JSON, offsets that overlap or
/// leave the file, unsupported element type, big-endian or Fortran-ordered .npy, overflowing shape.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& file);
  ~TensorFile();
  TensorFile(TensorFile&&) noexcept;
  TensorFile& operator=(TensorFile&&) noexcept;

  const std::vector<TensorView>& tensors() const;
  /// The tensor called `name`; throws `Error` (usage) listing the names there are.
  const TensorView& at(std::string_view name) const;
  bool contains(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Copies to fp32. `first`, `count` in elements; count -1: to the end.
std::vector<float> read_floats(const TensorView& view, std::int64_t first = 0, std::int64_t count = -1);

/// Writes all tensors as `element` (f32, f16 or bf16, round to nearest even) to a temporary file beside `file`, then
/// renames: never a half-written file. Throws `Error` when the disk is full or the folder is not writable.
void write_safetensors(const std::filesystem::path& file, std::span<const HostTensor> tensors,
                       FileElement element = FileElement::f32);
void write_npy(const std::filesystem::path& file, const HostTensor& tensor, FileElement element = FileElement::f32);

/// The same parsers on bytes in memory, for tests and fuzzing.
std::vector<TensorView> parse_safetensors(std::span<const std::byte> bytes);
TensorView parse_npy(std::span<const std::byte> bytes, std::string name);

}  // namespace triscope
