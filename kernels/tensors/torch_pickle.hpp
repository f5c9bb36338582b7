// The description of a .pt file's tensors: data.pkl, a program for Python's unpickler. Nothing of it is run. What
// torch.save writes for a dict of tensors is understood, everything else is refused by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/tensors/tensor.hpp"

namespace triscope {

/// A tensor as data.pkl describes it: a view of a storage, which is a file of the archive.
struct PickledTensor {
  std::string name;  ///< its keys, joined by "." where a dict lies in a dict
  FileElement element = FileElement::f32;
  std::string type;                          ///< of `other`: "Bool"
  std::size_t element_bytes = 0;             ///< also of `other`
  std::string storage;                       ///< digits: the file data/<storage>
  std::int64_t storage_elements = 0;         ///< that the storage must have
  std::int64_t offset = 0;                   ///< of the first element in it
  std::vector<std::int64_t> shape, strides;  ///< in elements, alike in length; every element lies inside the storage
};

/// The tensors of a dict of tensors (or OrderedDict, as of a state_dict), in its order, with those of dicts in it.
/// Numbers, texts and None are left out. Throws `Error` (usage): another protocol than 2, any opcode but those that
/// torch.save needs for this, any Python object but torch._utils._rebuild_tensor_v2, storages of torch and
/// collections.OrderedDict, and a tensor whose elements leave its storage or are more than the storage's.
std::vector<PickledTensor> parse_torch_pickle(std::span<const std::byte> bytes);

}  // namespace triscope
