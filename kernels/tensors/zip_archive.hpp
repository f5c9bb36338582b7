// The container of .npz and .pt files: a zip archive, read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace triscope {

/// One file of an archive. `packed` points into the archive.
struct ZipEntry {
  std::string name;  ///< a name, never a path: nothing is written
  bool deflated = false;
  std::uint32_t crc = 0;   ///< of the unpacked bytes, not yet compared
  std::uint64_t size = 0;  ///< unpacked, as the directory says
  std::span<const std::byte> packed;
};

/// What an entry holds: in the archive, or unpacked into `memory`.
struct ZipContents {
  std::span<const std::byte> bytes;
  std::unique_ptr<std::byte[]> memory;
};

/// The files of the archive `bytes`, in the order of its directory; ZIP64 is understood. Throws `Error` (usage) when
/// the directory does not end where `bytes` do or does not say what each file's own header says, and when files
/// overlap, leave the archive, share a name, are encrypted, are of several parts, are packed by anything but deflate,
/// or unpack to more than deflate can hold.
std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes);

/// The first bytes of `entry`, at most `most`. Throws `Error` (usage) when they cannot be unpacked.
ZipContents beginning_of(const ZipEntry& entry, std::size_t most);

/// All of it. Throws as `beginning_of`, and when its size or its checksum is not the directory's.
ZipContents contents_of(const ZipEntry& entry);

}  // namespace triscope
