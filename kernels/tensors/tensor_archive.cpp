#include "kernels/tensors/tensor_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/tensors/npy_head.hpp"
#include "kernels/tensors/tensor_shape.hpp"
#include "kernels/tensors/torch_pickle.hpp"

namespace triscope {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostPickle = std::uint64_t{16} << 20;
constexpr std::size_t kMostHead = (std::size_t{1} << 16) + 16;  // of a packed array; numpy's own have 128 bytes
constexpr std::string_view kArray = ".npy", kPickle = "/data.pkl";
constexpr const char* kAgain = "copy or write the file again";

[[noreturn]] void fail(const std::string& why, const std::string& fix = kAgain) {
  throw Error("cannot read the tensors", why, fix, ExitCode::usage);
}

std::optional<std::size_t> find_entry(const std::vector<ZipEntry>& entries, std::string_view name) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name) return i;
  }
  return std::nullopt;
}

/// The description of a .pt file, in the one folder that torch.save makes.
std::optional<std::size_t> find_pickle(const std::vector<ZipEntry>& entries) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view name = entries[i].name;
    if (!name.ends_with(kPickle) || name.find('/') != name.size() - kPickle.size()) continue;
    if (found) fail("it holds two data.pkl");
    found = i;
  }
  return found;
}

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

/// A dimension of one element may have any stride.
bool is_row_major(const PickledTensor& tensor) {
  const std::vector<std::int64_t> usual = row_major(tensor.shape);
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) return true;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] > 1 && tensor.strides[d] != usual[d]) return false;
  }
  return true;
}

}  // namespace

bool is_archive(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");  // the second one is empty
}

TensorArchive::TensorArchive(std::span<const std::byte> bytes) : entries_(parse_zip(bytes)) {
  if (const std::optional<std::size_t> pickle = find_pickle(entries_)) {
    add_torch(*pickle);
  } else {
    add_arrays();
  }
}

void TensorArchive::add_arrays() {
  if (entries_.empty()) fail("it holds nothing", "write it with numpy.savez or torch.save");
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const ZipEntry& entry = entries_[i];
    if (!entry.name.ends_with(kArray)) {
      fail(fmt::format("it holds {}, which is no array of numpy, and no data.pkl of PyTorch", quote_name(entry.name)),
           kNameAnother);
    }
    try {
      const ZipContents beginning =
          entry.deflated ? beginning_of(entry, kMostHead) : ZipContents{entry.packed, nullptr};
      NpyHead head = parse_npy_head(beginning.bytes, entry.name.substr(0, entry.name.size() - kArray.size()));
      require_npy_data(head, entry.size - head.begin);
      tensors_.push_back(std::move(head.view));
      sources_.push_back({i, head.begin, head.bytes, {}});
    } catch (const Error& error) {
      fail(fmt::format("of {}: {}", quote_name(entry.name), error.why()), error.fix());
    }
  }
}

void TensorArchive::add_torch(std::size_t pickle) {
  const std::string folder = entries_[pickle].name.substr(0, entries_[pickle].name.find('/') + 1);
  if (find_entry(entries_, folder + "constants.pkl")) {
    fail("it is a program (TorchScript)", "save its tensors as torch.save({'q': q, 'k1': k1, 'k2': k2}, file)");
  }
  if (entries_[pickle].size > kMostPickle) fail("its data.pkl has more than 16 MiB", "save fewer tensors");
  if (const std::optional<std::size_t> order = find_entry(entries_, folder + "byteorder")) {
    if (entries_[*order].size > 16) fail("its byteorder is damaged");
    const std::span<const std::byte> bytes = contents(*order).bytes;
    if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) != "little")
      fail("its tensors are big-endian", "save them on a little-endian machine");
  }
  std::map<std::string_view, std::size_t> files;
  for (std::size_t i = 0; i < entries_.size(); ++i) files[entries_[i].name] = i;
  for (PickledTensor& tensor : parse_torch_pickle(contents(pickle).bytes)) {
    const std::string name = fmt::format("{}data/{}", folder, tensor.storage);
    const auto found = files.find(name);
    if (found == files.end())
      fail(fmt::format("tensor {} lies in {}, which is not there", quote_name(tensor.name), quote_name(name)));
    const std::uint64_t size = entries_[found->second].size;
    if (size % tensor.element_bytes != 0 ||
        size / tensor.element_bytes != static_cast<std::uint64_t>(tensor.storage_elements)) {
      fail(fmt::format("{} has {} bytes where tensor {} needs {} elements of {}", quote_name(name), size,
                       quote_name(tensor.name), tensor.storage_elements, tensor.element_bytes));
    }
    Source source{found->second, static_cast<std::size_t>(tensor.offset) * tensor.element_bytes, 0, {}};
    source.bytes = static_cast<std::size_t>(element_count(tensor.shape).value_or(0)) * tensor.element_bytes;
    if (!is_row_major(tensor)) source.strides = std::move(tensor.strides);
    sources_.push_back(std::move(source));
    tensors_.push_back({std::move(tensor.name), tensor.element, std::move(tensor.type), std::move(tensor.shape), {}});
  }
}

const TensorView& TensorArchive::load(std::size_t place) {
  TensorView& view = tensors_.at(place);
  const Source& source = sources_.at(place);
  if (!view.data.empty() || source.bytes == 0) return view;
  const std::span<const std::byte> bytes = contents(source.entry).bytes;
  if (source.strides.empty()) {
    view.data = bytes.subspan(source.begin, source.bytes);
  } else if (view.element != FileElement::other) {  // which is not read
    copy_strided(view, source, bytes.subspan(source.begin));
  }
  return view;
}

const ZipContents& TensorArchive::contents(std::size_t entry) {
  const auto known = contents_.find(entry);
  if (known != contents_.end()) return known->second;
  const std::uint64_t bytes = entries_[entry].deflated ? entries_[entry].size : 0;
  require_memory(bytes);
  const ZipContents& found = contents_.emplace(entry, contents_of(entries_[entry])).first->second;
  memory_ += bytes;  // what could not be read takes none
  return found;
}

void TensorArchive::require_memory(std::uint64_t bytes) const {
  if (bytes > kMostMemory - memory_) {
    fail("unpacked, its tensors take more than 4 GiB",
         "save them with numpy.savez, or contiguous with torch.save: these need no memory");
  }
}

// `check_extent` of the pickle has seen that every element lies in the storage.
void TensorArchive::copy_strided(TensorView& view, const Source& source, std::span<const std::byte> storage) {
  require_memory(source.bytes);
  memory_ += source.bytes;
  const std::size_t size = bytes_of(view.element);
  std::vector<std::byte>& copy = copies_[static_cast<std::size_t>(&view - tensors_.data())];
  copy.resize(source.bytes);
  std::vector<std::int64_t> index(view.shape.size());
  for (std::size_t to = 0; to < copy.size(); to += size) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < index.size(); ++d) from += index[d] * source.strides[d];
    const auto element = storage.subspan(static_cast<std::size_t>(from) * size, size);
    std::memcpy(copy.data() + to, element.data(), size);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < view.shape[d]) break;
      index[d] = 0;
    }
  }
  view.data = copy;
}

}  // namespace triscope
