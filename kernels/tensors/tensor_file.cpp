#include "kernels/tensors/tensor_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/half.hpp"
#include "kernels/tensors/tensor_archive.hpp"
#include "kernels/tensors/tensor_shape.hpp"

namespace triscope {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor files are read and written without swapping bytes");

// Tensor data need not be aligned in a file, so every element is copied out.
template <typename Stored, typename Convert>
void convert_elements(std::span<const std::byte> bytes, std::vector<float>& values, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = convert(stored);
  }
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(magic);
}

// Before torch 1.6 its files were several pickles one after the other; the first is a number of ten bytes. No header of
// safetensors begins so: it would have 170 MB.
constexpr std::string_view kOldTorch = "\x80\x02\x8a\x0a";

std::vector<TensorView> parse(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  if (starts_with(bytes, kOldTorch)) {
    throw Error("cannot read the tensors", "it has the format that torch.save wrote before PyTorch 1.6",
                "load and save it with a later one", ExitCode::usage);
  }
  if (starts_with(bytes, "\x93NUMPY") || file.extension() == ".npy") return {parse_npy(bytes, file.stem().string())};
  return parse_safetensors(bytes);
}

/// Whose name says already what it is meant to be.
bool is_named_as_tensors(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 4> kEndings{".safetensors", ".npy", ".npz", ".pt"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

// Says which file could not be read, and of one that is named rightly nothing about names.
template <typename Action>
auto naming(const std::filesystem::path& file, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    const bool by_name = error.fix() == kNameAnother && is_named_as_tensors(file);
    throw Error(fmt::format("cannot read '{}'", file.string()), error.why(),
                by_name ? "write the file again: it holds something else than its name says" : error.fix(),
                error.code());
  }
}

std::string names_of(const std::vector<TensorView>& tensors) {
  constexpr std::size_t kMostShown = 20;
  std::vector<std::string> names;
  for (const TensorView& view : tensors) {
    if (names.size() == kMostShown) break;
    names.push_back(quote_name(view.name));
  }
  if (names.empty()) return "nothing";
  return fmt::format("{}{}", fmt::join(names, ", "), tensors.size() > kMostShown ? ", ..." : "");
}

}  // namespace

struct TensorFile::Impl {
  explicit Impl(const std::filesystem::path& path) : file(path), map(path) {
    naming(file, [this] {
      if (is_archive(map.bytes())) {
        archive.emplace(map.bytes());
      } else {
        views = parse(file, map.bytes());
      }
    });
  }

  const std::vector<TensorView>& tensors() const { return archive ? archive->tensors() : views; }

  std::size_t place_of(std::string_view name) const {
    const auto found =
        std::find_if(tensors().begin(), tensors().end(), [&](const auto& view) { return view.name == name; });
    if (found != tensors().end()) return static_cast<std::size_t>(found - tensors().begin());
    throw Error(fmt::format("cannot use '{}'", file.string()),
                fmt::format("it has no tensor {}, it holds {}", quote_name(name), names_of(tensors())),
                "rename the tensor or name another file", ExitCode::usage);
  }

  std::filesystem::path file;
  MappedFile map;
  std::vector<TensorView> views;         // of files that are no archive
  std::optional<TensorArchive> archive;  // has its own
};

TensorFile::TensorFile(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
TensorFile::~TensorFile() = default;
TensorFile::TensorFile(TensorFile&&) noexcept = default;
TensorFile& TensorFile::operator=(TensorFile&&) noexcept = default;

const std::vector<TensorView>& TensorFile::tensors() const { return impl_->tensors(); }

bool TensorFile::contains(std::string_view name) const {
  return std::any_of(tensors().begin(), tensors().end(), [&](const TensorView& view) { return view.name == name; });
}

const std::vector<std::int64_t>& TensorFile::shape_of(std::string_view name) const {
  return tensors()[impl_->place_of(name)].shape;
}

const TensorView& TensorFile::at(std::string_view name) const {
  const std::size_t place = impl_->place_of(name);
  if (!impl_->archive) return tensors()[place];
  return *naming(impl_->file, [&] { return &impl_->archive->load(place); });
}

std::string_view to_string(FileElement element) {
  switch (element) {
    case FileElement::f64:
      return "F64";
    case FileElement::f32:
      return "F32";
    case FileElement::f16:
      return "F16";
    case FileElement::bf16:
      return "BF16";
    case FileElement::i64:
      return "I64";
    case FileElement::i32:
      return "I32";
    case FileElement::other:
      return "other";
  }
  return "?";
}

std::size_t bytes_of(FileElement element) {
  switch (element) {
    case FileElement::f64:
    case FileElement::i64:
      return 8;
    case FileElement::f32:
    case FileElement::i32:
      return 4;
    case FileElement::f16:
    case FileElement::bf16:
      return 2;
    case FileElement::other:
      return 1;
  }
  return 0;
}

std::int64_t TensorView::elements() const { return static_cast<std::int64_t>(data.size() / bytes_of(element)); }

std::vector<float> read_floats(const TensorView& view, std::int64_t first, std::int64_t count) {
  if (view.element == FileElement::other) {
    throw Error(fmt::format("cannot read tensor {}", quote_name(view.name)),
                fmt::format("its element type {} is not supported", quote_name(view.type)),
                "store it as F32, F16 or BF16", ExitCode::usage);
  }
  const std::int64_t elements = view.elements();
  if (count == -1 && first <= elements) count = elements - first;
  if (first < 0 || count < 0 || first > elements || count > elements - first) {
    throw Error(fmt::format("cannot read tensor {}", quote_name(view.name)),
                fmt::format("{} elements from number {} on exceed its {}", count, first, elements), "ask for fewer",
                ExitCode::usage);
  }
  const std::size_t size = bytes_of(view.element);
  const auto bytes = view.data.subspan(static_cast<std::size_t>(first) * size, static_cast<std::size_t>(count) * size);
  std::vector<float> values(static_cast<std::size_t>(count));
  const auto cast = [](auto stored) { return static_cast<float>(stored); };
  switch (view.element) {
    case FileElement::f64:
      convert_elements<double>(bytes, values, cast);
      break;
    case FileElement::f32:
      convert_elements<float>(bytes, values, cast);
      break;
    case FileElement::f16:
      convert_elements<std::uint16_t>(bytes, values, float_from_half);
      break;
    case FileElement::bf16:
      convert_elements<std::uint16_t>(bytes, values, float_from_bfloat16);
      break;
    case FileElement::i64:
      convert_elements<std::int64_t>(bytes, values, cast);
      break;
    case FileElement::i32:
      convert_elements<std::int32_t>(bytes, values, cast);
      break;
    case FileElement::other:
      break;
  }
  return values;
}

}  // namespace triscope
