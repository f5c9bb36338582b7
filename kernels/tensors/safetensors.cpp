// The safetensors format: 8 bytes little-endian header length, a JSON object {name: {dtype, shape, data_offsets}}, then
// the data, which the tensors must cover without holes or overlaps (github.com/huggingface/safetensors, "Format").
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/tensors/tensor_shape.hpp"

namespace triscope {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // as the reference implementation
constexpr std::size_t kDeepestHeader = 8;
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kPrefixBytes = 8;

[[noreturn]] void fail(const std::string& why, const std::string& fix = "write the file again with safetensors") {
  throw Error("cannot read the tensors", why, fix, ExitCode::usage);
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

// Refuses repeated names, which a plain parse would drop silently, and deep nesting. A parse of its own: one that asks
// about every value while it builds them takes a time that grows with the square of their number.
class HeaderCheck : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) fail(fmt::format("its header names {} twice", quote_name(name)));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  bool begin() {
    if (keys_.size() >= kDeepestHeader) fail("its header is nested too deeply");
    keys_.emplace_back();
    return true;
  }
  bool end() {
    keys_.pop_back();
    return true;
  }
  std::vector<std::set<std::string>> keys_;  // of what is open
};

Json parse_header(std::string_view text) {
  HeaderCheck check;
  Json::sax_parse(text.begin(), text.end(), &check);  // what is no JSON is said below
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    fail(fmt::format("its header is not JSON (error at byte {})", error.byte));
  } catch (const Json::out_of_range&) {
    fail("its header holds a number out of range");
  }
}

// The element type of the view; one that is not read is kept by its name.
void set_element(TensorView& view, const std::string& name, const Json& entry) {
  const auto type = entry.find("dtype");
  if (type == entry.end() || !type->is_string()) fail(fmt::format("tensor {} has no dtype", quote_name(name)));
  for (FileElement element :
       {FileElement::f64, FileElement::f32, FileElement::f16, FileElement::bf16, FileElement::i64, FileElement::i32}) {
    view.element = element;
    if (to_string(element) == type->get_ref<const std::string&>()) return;
  }
  view.element = FileElement::other;
  view.type = type->get<std::string>();
}

// A list of integers from 0 to 2^63 - 1 under `key`.
std::vector<std::int64_t> parse_sizes(const std::string& name, const Json& entry, const char* key) {
  const auto list = entry.find(key);
  if (list == entry.end() || !list->is_array()) fail(fmt::format("tensor {} has no {}", quote_name(name), key));
  std::vector<std::int64_t> sizes;
  sizes.reserve(list->size());
  for (const Json& size : *list) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
      fail(fmt::format("tensor {} has a {} that is not a list of sizes", quote_name(name), key));
    }
    sizes.push_back(size.get<std::int64_t>());
  }
  return sizes;
}

TensorView parse_tensor(const std::string& name, const Json& entry, std::span<const std::byte> data) {
  if (!entry.is_object()) fail(fmt::format("the entry of tensor {} is not an object", quote_name(name)));
  TensorView view;
  view.name = name;
  set_element(view, name, entry);
  view.shape = parse_sizes(name, entry, "shape");
  const std::optional<std::int64_t> count = element_count(view.shape);
  if (!count) fail(fmt::format("tensor {} has a shape that overflows", quote_name(name)));
  const std::vector<std::int64_t> offsets = parse_sizes(name, entry, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    fail(fmt::format("tensor {} has data_offsets that are not a beginning and an end", quote_name(name)));
  }
  const auto begin = static_cast<std::size_t>(offsets[0]), end = static_cast<std::size_t>(offsets[1]);
  if (end > data.size()) {
    fail(fmt::format("tensor {} ends at byte {} of {}: the file is truncated", quote_name(name), end, data.size()),
         "copy or write the file again");
  }
  if (view.element != FileElement::other && static_cast<std::size_t>(*count) * bytes_of(view.element) != end - begin) {
    fail(fmt::format("tensor {} of shape {} does not take the {} bytes it is given", quote_name(name),
                     shape_text(view.shape), end - begin));
  }
  view.data = data.subspan(begin, end - begin);
  return view;
}

// In the order of their data; every byte must belong to exactly one tensor.
void require_full_cover(std::vector<TensorView>& tensors, std::span<const std::byte> data) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    if (a.data.data() != b.data.data()) return a.data.data() < b.data.data();
    if (a.data.size() != b.data.size()) return a.data.size() < b.data.size();
    return a.name < b.name;
  });
  const std::byte* expected = data.data();
  for (const TensorView& view : tensors) {
    if (view.data.data() < expected) fail(fmt::format("tensor {} overlaps another", quote_name(view.name)));
    if (view.data.data() > expected)
      fail(fmt::format("there are unused bytes before tensor {}", quote_name(view.name)));
    expected += view.data.size();
  }
  if (expected != data.data() + data.size()) {
    fail(fmt::format("{} bytes at its end belong to no tensor", data.data() + data.size() - expected));
  }
}

Json header_entry(const HostTensor& tensor, FileElement element, std::int64_t count, std::int64_t& offset) {
  const std::int64_t begin = offset;
  offset += count * static_cast<std::int64_t>(bytes_of(element));
  return {{"dtype", to_string(element)}, {"shape", tensor.shape}, {"data_offsets", {begin, offset}}};
}

}  // namespace

std::vector<TensorView> parse_safetensors(std::span<const std::byte> bytes) {
  if (bytes.size() < kPrefixBytes) fail("it is too short for a header", "copy or write the file again");
  const std::uint64_t header_bytes = little_endian(bytes.first(kPrefixBytes));
  const std::span<const std::byte> rest = bytes.subspan(kPrefixBytes);
  if (header_bytes > kMostHeaderBytes) {
    fail("it does not begin with the length of a safetensors header", kNameAnother);
  }
  if (header_bytes > rest.size()) {
    fail(fmt::format("its header of {} bytes goes beyond its end: the file is truncated", header_bytes),
         "copy or write the file again");
  }
  const std::span<const std::byte> data = rest.subspan(header_bytes);
  const Json header = parse_header({reinterpret_cast<const char*>(rest.data()), header_bytes});
  if (!header.is_object()) fail("its header is not a JSON object");
  std::vector<TensorView> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name != kMetadata) tensors.push_back(parse_tensor(name, entry, data));
  }
  require_full_cover(tensors, data);
  return tensors;
}

void write_safetensors(const std::filesystem::path& file, std::span<const HostTensor> tensors, FileElement element) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::int64_t offset = 0;
  for (const HostTensor& tensor : tensors) {
    const std::int64_t count = writable_elements(file, tensor, element);
    if (tensor.name == kMetadata || header.contains(tensor.name)) {
      throw Error(fmt::format("cannot write '{}'", file.string()),
                  fmt::format("the tensor name {} is taken", quote_name(tensor.name)), "choose another",
                  ExitCode::usage);
    }
    header[tensor.name] = header_entry(tensor, element, count, offset);
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::ordered_json::type_error&) {
    throw Error(fmt::format("cannot write '{}'", file.string()), "a tensor's name is not UTF-8", "rename it",
                ExitCode::usage);
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data is aligned
  std::string prefix;
  for (int i = 0; i < 8; ++i) prefix.push_back(static_cast<char>(text.size() >> (8 * i) & 0xFF));
  AtomicFile out(file);
  out.write(std::as_bytes(std::span(prefix)));
  out.write(std::as_bytes(std::span(text)));
  for (const HostTensor& tensor : tensors) write_elements(out, tensor.values, element);
  out.commit();
}

}  // namespace triscope
