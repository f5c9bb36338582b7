// .npz and .pt files, byte by byte, as numpy and PyTorch write them and as nobody should.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace triscope::archive_bytes {

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  return text;
}

/// A stream of deflate without a header.
inline std::string deflated_raw(const std::string& data) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflate");
  std::string out(deflateBound(&stream, static_cast<uLong>(data.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::uint32_t checksum(std::string_view data) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

/// A file of an archive, and what is said about it; what is left out is right.
struct Member {
  std::string name, data;
  bool deflated = false;
  std::optional<std::string> packed = {};
  std::optional<std::uint64_t> size = {}, crc = {}, flags = {}, method = {}, disk = {}, local = {};
  std::string extra = {};  ///< fields in the directory
  bool zip64 = false;      ///< sizes and place stand in a ZIP64 field
};

enum class Writer { numpy, torch };

namespace detail {

struct Written {
  std::uint64_t flags, method, crc, packed, size, local;
};

inline std::string directory_entry(const Member& member, const Written& w) {
  std::string extra = member.extra;
  const bool large = member.zip64;
  if (large) extra += little(1, 2) + little(24, 2) + little(w.size, 8) + little(w.packed, 8) + little(w.local, 8);
  constexpr std::uint64_t kFull = 0xFFFFFFFF;
  return "PK\x01\x02" + little(0, 4) + little(w.flags, 2) + little(w.method, 2) + little(0, 4) + little(w.crc, 4) +
         little(large ? kFull : w.packed, 4) + little(large ? kFull : w.size, 4) + little(member.name.size(), 2) +
         little(extra.size(), 2) + little(0, 2) + little(member.disk.value_or(0), 2) + little(0, 6) +
         little(large ? kFull : w.local, 4) + member.name + extra;
}

/// PyTorch aligns data to 64 bytes with a field of its own.
inline std::string padding(std::size_t begin, Writer writer) {
  if (writer == Writer::numpy) return {};
  const std::size_t size = (64 - (begin + 4) % 64) % 64;
  return "FB" + little(size, 2) + std::string(size, 'Z');
}

inline std::string end(Writer writer, std::uint64_t files, std::uint64_t begin, std::uint64_t size) {
  std::string text;
  if (writer == Writer::torch) {
    text += "PK\x06\x06" + little(44, 8) + little(0x2D031E, 4) + little(0, 8) + little(files, 8) + little(files, 8) +
            little(size, 8) + little(begin, 8);
    text += "PK\x06\x07" + little(0, 4) + little(begin + size, 8) + little(1, 4);
  }
  return text + "PK\x05\x06" + little(0, 4) + little(files, 2) + little(files, 2) + little(size, 4) + little(begin, 4) +
         little(0, 2);
}

}  // namespace detail

/// numpy writes sizes before the data; PyTorch behind them, and a ZIP64 record at the end.
inline std::string zip(const std::vector<Member>& members, Writer writer = Writer::numpy) {
  std::string file, directory;
  for (const Member& member : members) {
    const std::string packed = member.packed.value_or(member.deflated ? deflated_raw(member.data) : member.data);
    const detail::Written w{.flags = member.flags.value_or(writer == Writer::torch ? 0x808 : 0),
                            .method = member.method.value_or(member.deflated ? 8 : 0),
                            .crc = member.crc.value_or(checksum(member.data)),
                            .packed = packed.size(),
                            .size = member.size.value_or(member.data.size()),
                            .local = member.local.value_or(file.size())};
    const bool behind = (w.flags & 8) != 0;
    const std::string extra = detail::padding(file.size() + 30 + member.name.size(), writer);
    const auto sizes = [&w](bool large) {
      return little(w.crc, 4) + little(large ? 0xFFFFFFFF : w.packed, 4) + little(large ? 0xFFFFFFFF : w.size, 4);
    };
    directory += detail::directory_entry(member, w);
    file += "PK\x03\x04" + little(0, 2) + little(w.flags, 2) + little(w.method, 2) + little(0, 4) +
            (behind ? std::string(12, '\0') : sizes(member.zip64)) + little(member.name.size(), 2) +
            little(extra.size(), 2) + member.name + extra + packed;
    if (behind) file += "PK\x07\x08" + sizes(false);
  }
  return file + directory + detail::end(writer, members.size(), file.size(), directory.size());
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data;
}

/// Pieces of a pickle.
inline std::string text(const std::string& value) { return "X" + little(value.size(), 4) + value; }
inline std::string integer(std::int64_t value) { return "\x8A\x08" + little(static_cast<std::uint64_t>(value), 8); }
inline std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
inline std::string integers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> items;
  for (const std::int64_t value : values) items.push_back(integer(value));
  return tuple(items);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string ordered_dict() { return global("collections", "OrderedDict") + ")R"; }

/// A call that makes a tensor.
struct Made {
  std::string storage = "0", type = "FloatStorage";
  std::int64_t elements = 0, offset = 0;
  std::vector<std::int64_t> shape, strides;
  operator std::string() const {
    const std::string id =
        tuple({text("storage"), global("torch", type), text(storage), text("cpu"), integer(elements)});
    return global("torch._utils", "_rebuild_tensor_v2") +
           tuple({id + "Q", integer(offset), integers(shape), integers(strides), "\x89", ordered_dict()}) + "R";
  }
};

/// A dict: keys and values, one after the other.
inline std::string dict(const std::vector<std::string>& items) {
  std::string all = "}(";
  for (const std::string& item : items) all += item;
  return all + "u";
}
inline std::string pickle(const std::string& body) { return "\x80\x02" + body + "."; }

/// A file of torch.save: its pickle and its storages 0, 1, ...
inline std::string pt(const std::string& body, const std::vector<std::string>& storages,
                      const std::string& order = "little") {
  std::vector<Member> members{{"t/data.pkl", pickle(body)}, {"t/byteorder", order}};
  for (std::size_t i = 0; i < storages.size(); ++i) members.push_back({"t/data/" + std::to_string(i), storages[i]});
  members.push_back({"t/version", "3\n"});
  return zip(members, Writer::torch);
}

}  // namespace triscope::archive_bytes
