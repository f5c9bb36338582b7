// The .npy format: "\x93NUMPY", version, header length, a Python dict literal {'descr', 'fortran_order', 'shape'}, then
// the data (numpy.lib.format). bfloat16 has no letter in it: arrays of ml_dtypes.bfloat16 are stored as raw '<V2'.
#include <fmt/format.h>

#include <charconv>

#include "kernels/base/error.hpp"
#include "kernels/tensors/npy_head.hpp"
#include "kernels/tensors/tensor_shape.hpp"

namespace triscope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void fail(const std::string& why, const std::string& fix = "write the file again with numpy.save") {
  throw Error("cannot read the array", why, fix, ExitCode::usage);
}

// The dict of the header, by recursive descent over the few literals that numpy writes.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  void parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        set_once(has_descr_, key);
        if (peek() == '[') fail("its elements are records", "save a plain array of float32, float16 or float64");
        descr = string();
      } else if (key == "fortran_order") {
        set_once(has_order_, key);
        fortran_order = boolean();
      } else if (key == "shape") {
        set_once(has_shape_, key);
        shape = tuple();
      } else {
        fail(fmt::format("its header has the unknown entry {}", quote_name(key)));
      }
      if (!accept(',') && peek() != '}') fail("its header is not a Python dict");
    }
    if (peek() != '\0' || position_ != text_.size()) fail("its header goes on after its dict");
    if (!has_descr_ || !has_order_ || !has_shape_) fail("its header lacks descr, fortran_order or shape");
  }

  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;

 private:
  static void set_once(bool& seen, const std::string& key) {
    if (seen) fail(fmt::format("its header has {} twice", key));
    seen = true;
  }

  // The next character that is no white space; '\0' at the end.
  char peek() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool accept(char wanted) {
    if (peek() != wanted || position_ >= text_.size()) return false;
    ++position_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted))
      fail(fmt::format("its header is not a Python dict ('{}' expected at byte {})", wanted, position_));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(fmt::format("its header lacks a string at byte {}", position_));
    const std::size_t begin = position_ + 1;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("a string in its header does not end");
    position_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }

  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail("its fortran_order is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      peek();
      const std::string_view rest = text_.substr(position_);
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
      if (error != std::errc() || size < 0) fail("its shape is no tuple of sizes");
      position_ += static_cast<std::size_t>(end - rest.data());
      accept('L');  // written by Python 2
      sizes.push_back(size);
      if (!accept(',') && peek() != ')') fail("its shape is no tuple of sizes");
    }
    return sizes;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

FileElement parse_descr(const std::string& descr) {
  const struct {
    std::string_view descr;
    FileElement element;
  } known[] = {{"<f8", FileElement::f64},  {"<f4", FileElement::f32},  {"<f2", FileElement::f16},
               {"<V2", FileElement::bf16}, {"|V2", FileElement::bf16}, {"<i8", FileElement::i64},
               {"<i4", FileElement::i32}};
  for (const auto& type : known) {
    if (type.descr == descr) return type.element;
  }
  if (descr.starts_with('>')) fail("its elements are big-endian", "save array.astype(array.dtype.newbyteorder('<'))");
  fail(fmt::format("its element type {} is not supported", quote_name(descr)),
       "save it as float32, float16 or float64");
}

// The text of the header: where it begins, and how long it is.
std::pair<std::size_t, std::size_t> find_header(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) fail("it does not begin like a .npy file", kNameAnother);
  if (bytes.size() < 10) fail("it is truncated", "copy or write the file again");
  const auto major = std::to_integer<int>(bytes[6]);
  if (major < 1 || major > 3) fail(fmt::format("its format version {} is unknown", major));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  if (bytes.size() < begin) fail("it is truncated", "copy or write the file again");
  std::size_t length = 0;
  for (std::size_t i = begin; i-- > 8;) length = length << 8 | std::to_integer<std::size_t>(bytes[i]);
  if (length > bytes.size() - begin) fail("its header goes beyond its end", "copy or write the file again");
  return {begin, length};
}

std::string npy_descr(FileElement element) {
  switch (element) {
    case FileElement::f16:
      return "<f2";
    case FileElement::bf16:
      return "<V2";
    default:
      return "<f4";
  }
}

}  // namespace

NpyHead parse_npy_head(std::span<const std::byte> bytes, std::string name) {
  const auto [begin, length] = find_header(bytes);
  HeaderParser header({reinterpret_cast<const char*>(bytes.data()) + begin, length});
  header.parse();
  NpyHead head;
  head.view.name = std::move(name);
  head.view.element = parse_descr(header.descr);
  if (header.fortran_order) fail("its array is in Fortran order", "save numpy.ascontiguousarray(array)");
  head.view.shape = std::move(header.shape);
  const std::optional<std::int64_t> count = element_count(head.view.shape);
  if (!count) fail(fmt::format("its shape {} overflows", shape_text(head.view.shape)));
  head.begin = begin + length;
  head.bytes = static_cast<std::size_t>(*count) * bytes_of(head.view.element);
  return head;
}

void require_npy_data(const NpyHead& head, std::size_t bytes) {
  if (bytes < head.bytes) {
    fail(fmt::format("its shape {} takes {} bytes and only {} are there: the file is truncated",
                     shape_text(head.view.shape), head.bytes, bytes),
         "copy or write the file again");
  }
  if (bytes > head.bytes) fail(fmt::format("{} bytes follow its array", bytes - head.bytes));
}

TensorView parse_npy(std::span<const std::byte> bytes, std::string name) {
  NpyHead head = parse_npy_head(bytes, std::move(name));
  head.view.data = bytes.subspan(head.begin);
  require_npy_data(head, head.view.data.size());
  return std::move(head.view);
}

void write_npy(const std::filesystem::path& file, const HostTensor& tensor, FileElement element) {
  writable_elements(file, tensor, element);
  std::string shape = fmt::format("{}", fmt::join(tensor.shape, ", "));
  if (tensor.shape.size() == 1) shape += ",";
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_descr(element), shape);
  constexpr std::size_t kPrefix = 10;  // magic, version 1.0, 2 bytes of length
  const std::size_t total = (kPrefix + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - kPrefix - 1, ' ');
  header.push_back('\n');
  std::string prefix(kMagic);
  prefix += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  AtomicFile out(file);
  out.write(std::as_bytes(std::span(prefix)));
  out.write(std::as_bytes(std::span(header)));
  write_elements(out, tensor.values, element);
  out.commit();
}

}  // namespace triscope
