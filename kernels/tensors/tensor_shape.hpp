// What the readers and writers of tensor files share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/base/files/atomic_file.hpp"
#include "kernels/tensors/tensor.hpp"

namespace triscope {

/// What to do with a file that is none of tensors.
inline constexpr const char* kNameAnother = "name a .safetensors, .npy, .npz or .pt file";

/// Product of `shape`; nullopt when a size is negative or the bytes of so many f64 would overflow int64.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape);

/// "[2, 3]"; of a very long shape the beginning.
std::string shape_text(std::span<const std::int64_t> shape);

/// `text` in double quotes with everything unprintable escaped, cut after 60 characters: for names out of files.
std::string quote_name(std::string_view text);

/// Elements of a tensor that is to be written to `file`. Throws `Error` (usage) when its shape and its number of values
/// differ or `element` is not f32, f16 or bf16.
std::int64_t writable_elements(const std::filesystem::path& file, const HostTensor& tensor, FileElement element);

/// Writes `values` as `element` (f32, f16 or bf16), little-endian.
void write_elements(AtomicFile& out, std::span<const float> values, FileElement element);

}  // namespace triscope
