// Tensors on disk: .safetensors, .npy, .npz and .pt, read through a memory map so that a 10 GB file costs only the
// pages touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tensors/tensor.hpp"

namespace triscope {

/// An open tensor file; its first bytes say which format it has. Throws `Error` (usage): missing, empty, truncated,
/// header too long or no JSON, names that repeat, offsets that overlap, leave holes or leave the file, big-endian or
/// Fortran-ordered .npy or one of an unsupported type, overflowing shape, and what `TensorArchive` refuses. Tensors are
/// in the order of their data, those of an archive in its order. A tensor of an unsupported type in a .safetensors or
/// .pt file is refused only when it is read.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& file);
  ~TensorFile();
  TensorFile(TensorFile&&) noexcept;
  TensorFile& operator=(TensorFile&&) noexcept;

  /// All, for their names, types and shapes: of an archive, only those that `at` was asked for have data.
  const std::vector<TensorView>& tensors() const;
  /// The tensor called `name`, with its data: in an archive (.npz, .pt) they are read once, for their checksum, and
  /// unpacked. Not by several threads at a time. Throws `Error` (usage) listing the names there are, and as
  /// `TensorArchive::load`.
  const TensorView& at(std::string_view name) const;
  /// Of the tensor called `name`, without its data; throws as `at` when there is none.
  const std::vector<std::int64_t>& shape_of(std::string_view name) const;
  bool contains(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Copies to fp32 (f64 and integers are rounded to nearest). `first`, `count` in elements; count -1: to the end. Throws
/// `Error` (usage) when they leave the tensor or its element type is not supported.
std::vector<float> read_floats(const TensorView& view, std::int64_t first = 0, std::int64_t count = -1);

/// Writes all tensors as `element` (f32, f16 or bf16, round to nearest even) to a temporary file beside `file`, then
/// renames: never a half-written file. Throws `Error` (environment) when the disk is full or the folder is not
/// writable, (usage) when shape and values differ, a name is taken or another element type is asked for. In .npy, which
/// has no letter for it, bf16 is stored as ml_dtypes does: raw 2-byte elements, '<V2'.
void write_safetensors(const std::filesystem::path& file, std::span<const HostTensor> tensors,
                       FileElement element = FileElement::f32);
void write_npy(const std::filesystem::path& file, const HostTensor& tensor, FileElement element = FileElement::f32);

/// The same parsers on bytes in memory, for tests and fuzzing. Views point into `bytes`.
std::vector<TensorView> parse_safetensors(std::span<const std::byte> bytes);
TensorView parse_npy(std::span<const std::byte> bytes, std::string name);

}  // namespace triscope
