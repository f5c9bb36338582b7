// The header of an array in the .npy format, which stands alone or in an .npz file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/tensors/tensor.hpp"

namespace triscope {

struct NpyHead {
  TensorView view;        ///< without its data
  std::size_t begin = 0;  ///< of the data
  std::size_t bytes = 0;  ///< of the data
};

/// The header that `bytes` begin with; the data need not be there. Throws `Error` (usage): not a .npy file, unknown
/// version, a header that is not there, is no Python dict or lacks an entry, Fortran order, big-endian, a type that is
/// not read, overflowing shape.
NpyHead parse_npy_head(std::span<const std::byte> bytes, std::string name);

/// Throws `Error` (usage) unless `bytes` of data lie behind the header, no more and no fewer.
void require_npy_data(const NpyHead& head, std::size_t bytes);

}  // namespace triscope
