// Tensors in a zip archive: .npz files of numpy, .pt files of PyTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernels/tensors/tensor.hpp"
#include "kernels/tensors/zip_archive.hpp"

namespace triscope {

/// Views of what lies in `bytes`, which must live longer. What is not packed stays where it is, as in other tensor
/// files; packed arrays are unpacked when they are loaded, and tensors that are not row-major are copied.
class TensorArchive {
 public:
  /// Reads what describes the tensors. Throws `Error` (usage): as `parse_zip`, `parse_npy_head` and
  /// `parse_torch_pickle`; a file that is no array, a storage that is not there or of another size than described,
  /// big-endian storages, TorchScript.
  explicit TensorArchive(std::span<const std::byte> bytes);

  /// In the order of the archive. Their data are there once they are loaded.
  const std::vector<TensorView>& tensors() const { return tensors_; }

  /// The tensor at a place of `tensors()`, with its data. Throws `Error` (usage) when they cannot be unpacked, do not
  /// have their checksum, or take more memory than is given to one file (4 GiB).
  const TensorView& load(std::size_t place);

 private:
  /// Where the data of a tensor are.
  struct Source {
    std::size_t entry = 0;
    std::size_t begin = 0;  // in bytes of the entry's contents
    std::size_t bytes = 0;
    std::vector<std::int64_t> strides;  // of data that must be copied; empty: they are row-major
  };

  void add_arrays();
  void add_torch(std::size_t pickle);
  const ZipContents& contents(std::size_t entry);
  void require_memory(std::uint64_t bytes) const;
  void copy_strided(TensorView& view, const Source& source, std::span<const std::byte> storage);

  std::vector<ZipEntry> entries_;
  std::vector<TensorView> tensors_;
  std::vector<Source> sources_;
  std::map<std::size_t, ZipContents> contents_;           // of entries that were read
  std::map<std::size_t, std::vector<std::byte>> copies_;  // of tensors that were copied
  std::uint64_t memory_ = 0;
};

/// Whether a file that begins with `bytes` is one.
bool is_archive(std::span<const std::byte> bytes);

}  // namespace triscope
