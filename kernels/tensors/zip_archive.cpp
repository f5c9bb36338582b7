// The zip format: local headers and data, a directory, an end record (PKWARE's APPNOTE 6.3.10). What the directory says
// counts; it must agree with the rest.
#include "kernels/tensors/zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_shape.hpp"

namespace triscope {
namespace {

constexpr std::uint64_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20, kDirectoryBytes = 46, kLocalBytes = 30;
constexpr std::uint64_t kEndSignature = 0x06054B50, kEnd64Signature = 0x06064B50, kLocatorSignature = 0x07064B50;
constexpr std::uint64_t kDirectorySignature = 0x02014B50, kLocalSignature = 0x04034B50;
constexpr std::uint64_t kFull16 = 0xFFFF, kFull32 = 0xFFFFFFFF;  // the number stands in a ZIP64 record
constexpr std::uint64_t kZip64Field = 1;
constexpr std::uint64_t kEncrypted = 1, kDescriptorFollows = 8;
constexpr std::uint64_t kKnownFlags = 0x080E;  // names in UTF-8, sizes behind the data, how hard deflate tried
constexpr std::uint64_t kStored = 0, kDeflated = 8;
constexpr std::uint64_t kMostFiles = std::uint64_t{1} << 17;
constexpr std::uint64_t kMostExpansion = 1032;  // of deflate: 258 bytes from two bits

[[noreturn]] void fail(const std::string& why, const std::string& fix = "copy or write the file again") {
  throw Error("cannot read the archive", why, fix, ExitCode::usage);
}

/// Little-endian numbers, one after the other. Whoever makes one has seen that the bytes are there.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t next(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes_[i]);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  void skip(std::size_t size) { bytes_ = bytes_.subspan(size); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

/// Where the directory lies, and how many files it lists.
struct Directory {
  std::uint64_t begin = 0, size = 0, entries = 0;
};

/// The directory and the place of a file's own header.
struct Listed {
  ZipEntry entry;
  std::uint64_t flags = 0, method = 0, packed_size = 0, local = 0;
};

void require_one_disk(std::uint64_t this_disk, std::uint64_t first_disk) {
  if (this_disk != 0 || first_disk != 0) fail("it is one part of a larger archive", "name an archive of one file");
}

/// The record for large archives. torch.save always writes it.
Directory parse_end64(std::span<const std::byte> bytes, std::uint64_t locator_begin) {
  Fields locator(bytes.subspan(locator_begin, kLocatorBytes));
  locator.skip(4);
  const std::uint64_t disk = locator.next(4), begin = locator.next(8), disks = locator.next(4);
  require_one_disk(disk, disks > 1 ? 1 : 0);
  if (locator_begin < kEnd64Bytes || begin != locator_begin - kEnd64Bytes)
    fail("its ZIP64 record is not where it says");
  Fields record(bytes.subspan(begin, kEnd64Bytes));
  if (record.next(4) != kEnd64Signature || record.next(8) != kEnd64Bytes - 12) fail("its ZIP64 record is damaged");
  record.skip(4);
  const std::uint64_t this_disk = record.next(4);
  require_one_disk(this_disk, record.next(4));
  Directory directory;
  const std::uint64_t here = record.next(8);
  directory.entries = record.next(8);
  directory.size = record.next(8);
  directory.begin = record.next(8);
  if (here != directory.entries) fail("its ZIP64 record is damaged");
  return directory;
}

Directory find_directory(std::span<const std::byte> bytes) {
  if (bytes.size() < kEndBytes) fail("it is truncated");
  const std::uint64_t end_begin = bytes.size() - kEndBytes;
  Fields end(bytes.subspan(end_begin));
  if (end.next(4) != kEndSignature) fail("its directory is not at its end: it is truncated, or something follows it");
  const std::uint64_t this_disk = end.next(2);
  require_one_disk(this_disk, end.next(2));
  const std::uint64_t here = end.next(2);
  Directory directory;
  directory.entries = end.next(2);
  directory.size = end.next(4);
  directory.begin = end.next(4);
  if (here != directory.entries || end.next(2) != 0) fail("its end record is damaged");
  std::uint64_t directory_end = end_begin;
  if (end_begin >= kLocatorBytes && Fields(bytes.subspan(end_begin - kLocatorBytes)).next(4) == kLocatorSignature) {
    const Directory large = parse_end64(bytes, end_begin - kLocatorBytes);
    const auto agrees = [](std::uint64_t small, std::uint64_t value, std::uint64_t full) {
      return small == full || small == value;
    };
    if (!agrees(directory.entries, large.entries, kFull16) || !agrees(directory.size, large.size, kFull32) ||
        !agrees(directory.begin, large.begin, kFull32)) {
      fail("its two end records disagree");
    }
    directory = large;
    directory_end = end_begin - kLocatorBytes - kEnd64Bytes;
  }
  if (directory.begin > directory_end || directory.size != directory_end - directory.begin) {
    fail("its directory does not fill the place that it says");
  }
  if (directory.entries > kMostFiles)
    fail(fmt::format("it holds more than {} files", kMostFiles), "save fewer tensors");
  if (directory.entries > directory.size / kDirectoryBytes) fail("its directory lists more files than it has room for");
  return directory;
}

/// The sizes and the place that do not fit into the directory's 32 bits, from the extra fields behind the name.
void take_zip64(Listed& listed, Fields extra) {
  const bool wanted = listed.entry.size == kFull32 || listed.packed_size == kFull32 || listed.local == kFull32;
  bool found = false;
  while (extra.left() >= 4) {
    const std::uint64_t id = extra.next(2), size = extra.next(2);
    if (size > extra.left()) fail(fmt::format("the extra fields of {} are damaged", quote_name(listed.entry.name)));
    if (id != kZip64Field || !wanted) {
      extra.skip(size);
      continue;
    }
    if (found) fail(fmt::format("{} has two ZIP64 fields", quote_name(listed.entry.name)));
    found = true;
    std::uint64_t left = size;
    for (std::uint64_t* number : {&listed.entry.size, &listed.packed_size, &listed.local}) {
      if (*number != kFull32) continue;
      if (left < 8) fail(fmt::format("the ZIP64 field of {} is too short", quote_name(listed.entry.name)));
      *number = extra.next(8);
      left -= 8;
    }
    extra.skip(left);
  }
  if (wanted && !found) fail(fmt::format("{} lacks its ZIP64 field", quote_name(listed.entry.name)));
}

void require_readable(const Listed& listed) {
  const std::string name = quote_name(listed.entry.name);
  if ((listed.flags & kEncrypted) != 0) fail(fmt::format("{} is encrypted", name), "write it without a password");
  if ((listed.flags & ~kKnownFlags) != 0) fail(fmt::format("{} has the unknown flags {:#x}", name, listed.flags));
  if (listed.method != kStored && listed.method != kDeflated) {
    fail(fmt::format("{} is packed by method {}", name, listed.method), "write it stored or deflated");
  }
  if (listed.method == kStored && listed.packed_size != listed.entry.size) {
    fail(fmt::format("{} is not packed but has two sizes, {} and {}", name, listed.packed_size, listed.entry.size));
  }
  if (listed.entry.size / kMostExpansion > listed.packed_size) {
    fail(fmt::format("{} says that {} bytes unpack to {}, which deflate cannot do", name, listed.packed_size,
                     listed.entry.size));
  }
}

/// One file of the directory at `at`, which it moves behind it.
Listed parse_listed(std::span<const std::byte> directory, std::uint64_t& at) {
  if (directory.size() - at < kDirectoryBytes) fail("its directory is damaged");
  Fields fields(directory.subspan(at, kDirectoryBytes));
  Listed listed;
  if (fields.next(4) != kDirectorySignature) fail("its directory is damaged");
  fields.skip(4);  // versions of the programs that write it and can read it
  listed.flags = fields.next(2);
  listed.method = fields.next(2);
  fields.skip(4);  // time and date
  listed.entry.crc = static_cast<std::uint32_t>(fields.next(4));
  listed.packed_size = fields.next(4);
  listed.entry.size = fields.next(4);
  const std::uint64_t name = fields.next(2), extra = fields.next(2), comment = fields.next(2), disk = fields.next(2);
  require_one_disk(disk, 0);
  fields.skip(6);  // attributes of the file
  listed.local = fields.next(4);
  if (name + extra + comment > directory.size() - at - kDirectoryBytes) fail("its directory is damaged");
  const auto rest = directory.subspan(at + kDirectoryBytes);
  listed.entry.name.assign(reinterpret_cast<const char*>(rest.data()), name);
  take_zip64(listed, Fields(rest.subspan(name, extra)));
  listed.entry.deflated = listed.method == kDeflated;
  require_readable(listed);
  at += kDirectoryBytes + name + extra + comment;
  return listed;
}

/// Finds the file's data, which must end before `end`. Its own header must say what the directory says.
void find_data(Listed& listed, std::span<const std::byte> bytes, std::uint64_t end) {
  const std::string name = quote_name(listed.entry.name);
  if (listed.local > end || end - listed.local < kLocalBytes) fail(fmt::format("{} overlaps what follows it", name));
  Fields fields(bytes.subspan(listed.local, kLocalBytes));
  if (fields.next(4) != kLocalSignature) fail(fmt::format("{} is not where the directory says", name));
  fields.skip(2);
  const std::uint64_t flags = fields.next(2), method = fields.next(2);
  fields.skip(4);
  const std::uint64_t crc = fields.next(4), packed = fields.next(4), size = fields.next(4);
  const std::uint64_t name_bytes = fields.next(2), extra_bytes = fields.next(2);
  const std::uint64_t begin = listed.local + kLocalBytes + name_bytes + extra_bytes;
  if (begin > end || listed.packed_size > end - begin) fail(fmt::format("{} overlaps what follows it", name));
  const std::string_view own(reinterpret_cast<const char*>(bytes.data()) + listed.local + kLocalBytes, name_bytes);
  bool agrees = flags == listed.flags && method == listed.method && own == listed.entry.name;
  if ((flags & kDescriptorFollows) == 0) {
    agrees = agrees && crc == listed.entry.crc && (packed == kFull32 || packed == listed.packed_size) &&
             (size == kFull32 || size == listed.entry.size);
  }
  if (!agrees) fail(fmt::format("the directory and the header of {} disagree", name));
  listed.entry.packed = bytes.subspan(begin, listed.packed_size);
}

/// zlib's state, for a stream without a header of its own.
class Inflater {
 public:
  explicit Inflater(const ZipEntry& entry) : name_(entry.name), input_(entry.packed) {
    constexpr int kRawDeflate = -15;
    if (inflateInit2(&stream_, kRawDeflate) != Z_OK) fail("zlib cannot be started", "free memory");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `out` as far as the stream goes; returns how far.
  std::size_t read(std::span<std::byte> out) {
    std::size_t made = 0;
    int state = Z_OK;
    while (made < out.size() && state != Z_STREAM_END) {
      feed();
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + made);
      stream_.avail_out = chunk(out.size() - made);
      const uInt room = stream_.avail_out;
      state = inflate(&stream_, Z_NO_FLUSH);
      made += room - stream_.avail_out;
      if (state == Z_BUF_ERROR) fail_here("ends too early");  // there is no more input
      if (state != Z_OK && state != Z_STREAM_END) fail_here("cannot be unpacked: it is damaged");
    }
    return made;
  }

  /// Whether the stream ends here, and the input with it.
  bool at_end() {
    feed();
    std::byte more;
    stream_.next_out = reinterpret_cast<Bytef*>(&more);
    stream_.avail_out = 1;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    return state == Z_STREAM_END && stream_.avail_out == 1 && stream_.avail_in == 0 && input_.empty();
  }

 private:
  static uInt chunk(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  }
  void feed() {
    if (stream_.avail_in > 0 || input_.empty()) return;
    const uInt size = chunk(input_.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input_.data()));  // zlib does not write there
    stream_.avail_in = size;
    input_ = input_.subspan(size);
  }
  [[noreturn]] void fail_here(const char* what) const { fail(fmt::format("{} {}", quote_name(name_), what)); }

  std::string name_;
  std::span<const std::byte> input_;
  z_stream stream_{};
};

/// Room that is written before it is read, so that it is not cleared first.
std::pair<ZipContents, std::span<std::byte>> room_for(std::size_t size) {
  ZipContents contents;
  contents.memory = std::make_unique_for_overwrite<std::byte[]>(size);
  contents.bytes = {contents.memory.get(), size};
  const std::span<std::byte> room{contents.memory.get(), size};
  return {std::move(contents), room};
}

}  // namespace

std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes) {
  const Directory directory = find_directory(bytes);
  const auto listing = bytes.subspan(directory.begin, directory.size);
  std::vector<Listed> files;
  std::set<std::string_view> names;
  std::uint64_t at = 0;
  files.reserve(directory.entries);  // so that names stay where they are
  while (files.size() < directory.entries) {
    files.push_back(parse_listed(listing, at));
    const std::string& name = files.back().entry.name;
    if (!names.insert(name).second) fail(fmt::format("two files are called {}", quote_name(name)));
  }
  if (at != directory.size) fail("its directory is damaged");
  std::vector<Listed*> in_place;
  in_place.reserve(files.size());
  for (Listed& file : files) in_place.push_back(&file);
  std::sort(in_place.begin(), in_place.end(), [](const Listed* a, const Listed* b) { return a->local < b->local; });
  for (std::size_t i = 0; i < in_place.size(); ++i) {
    find_data(*in_place[i], bytes,
              i + 1 < in_place.size() ? std::min(in_place[i + 1]->local, directory.begin) : directory.begin);
  }
  std::vector<ZipEntry> entries;
  entries.reserve(files.size());
  for (Listed& file : files) entries.push_back(std::move(file.entry));
  return entries;
}

ZipContents beginning_of(const ZipEntry& entry, std::size_t most) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, most));
  if (!entry.deflated) return {entry.packed.first(size), nullptr};
  auto [contents, room] = room_for(size);
  contents.bytes = contents.bytes.first(Inflater(entry).read(room));
  return std::move(contents);
}

ZipContents contents_of(const ZipEntry& entry) {
  ZipContents contents{entry.packed, nullptr};
  if (entry.deflated) {
    auto [unpacked, room] = room_for(entry.size);
    Inflater inflater(entry);
    if (inflater.read(room) != entry.size || !inflater.at_end()) {
      fail(fmt::format("{} does not unpack to the {} bytes that the directory says", quote_name(entry.name),
                       entry.size));
    }
    contents = std::move(unpacked);
  }
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(contents.bytes.data()), contents.bytes.size());
  if (sum != entry.crc) fail(fmt::format("the checksum of {} does not match: it is damaged", quote_name(entry.name)));
  return contents;
}

}  // namespace triscope
