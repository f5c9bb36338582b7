// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace triscope {

/// Writes to a temporary file beside `file`; `commit` makes it durable and renames it over `file`. Without `commit` the
/// temporary file is removed and `file` stays as it was. Throws `Error` (environment) when the folder is missing or not
/// writable or the disk is full.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& file);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail(int code) const;

  std::filesystem::path file_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace triscope
