// A read-only memory map of a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace triscope {

/// A read-only memory map of a whole regular file. Throws `Error` (usage: missing, a folder, empty; environment: not
/// permitted). Pages of a file that another program shortens meanwhile cannot be read: the process gets SIGBUS.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace triscope
