// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace triscope {

/// Writes to a temporary file beside `file`; `commit` makes it durable and renames it over `file`. Without `commit` the
/// temporary file is removed and `file` stays as it was. A symbolic link stays one: its target is replaced, and it
/// keeps its mode. What is no regular file (a FIFO, a device, an open descriptor such as /dev/stdout) is written to
/// directly. Throws `Error` (environment) when the folder is missing or not writable, the file is read-only or the disk
/// is full, (usage) when `file` is an SQLite database or belongs to one (`refuse_database_files`).
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

  std::filesystem::path file_;       ///< as it was given, for messages
  std::filesystem::path target_;     ///< what is replaced
  std::filesystem::path temporary_;  ///< empty: written directly
  int descriptor_ = -1;
};

/// Writes `bytes` as the whole of `file`. Throws as `AtomicFile`.
void write_whole_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace triscope
