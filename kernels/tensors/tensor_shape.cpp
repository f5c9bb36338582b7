#include "kernels/tensors/tensor_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"
#include "kernels/base/half.hpp"

namespace triscope {
namespace {

template <typename Word, typename Convert>
void write_converted(AtomicFile& out, std::span<const float> values, Convert convert) {
  constexpr std::size_t kChunk = 1 << 16;
  std::vector<Word> words;
  while (!values.empty()) {
    const auto chunk = values.first(std::min(kChunk, values.size()));
    words.resize(chunk.size());
    std::transform(chunk.begin(), chunk.end(), words.begin(), convert);
    out.write(std::as_bytes(std::span(words)));
    values = values.subspan(chunk.size());
  }
}

}  // namespace

std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  std::int64_t bytes = 8;
  bool empty = false;
  for (std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) empty = true;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes)) return std::nullopt;
  }
  return empty ? 0 : bytes / 8;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  constexpr std::size_t kMostShown = 8;
  const auto shown = shape.first(std::min(shape.size(), kMostShown));
  return fmt::format("[{}{}]", fmt::join(shown, ", "), shape.size() > kMostShown ? ", ..." : "");
}

std::string quote_name(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  using Json = nlohmann::json;
  const std::string shown(text.substr(0, kLongest));
  const std::string escaped = Json(shown).dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > kLongest ? escaped + "..." : escaped;
}

std::int64_t writable_elements(const std::filesystem::path& file, const HostTensor& tensor, FileElement element) {
  const std::optional<std::int64_t> count = element_count(tensor.shape);
  if (!count || static_cast<std::size_t>(*count) != tensor.values.size()) {
    throw Error(fmt::format("cannot write '{}'", file.string()),
                fmt::format("tensor {} has the shape {} and {} values", quote_name(tensor.name),
                            shape_text(tensor.shape), tensor.values.size()),
                "report this as a defect of triscope", ExitCode::usage);
  }
  if (element != FileElement::f32 && element != FileElement::f16 && element != FileElement::bf16) {
    throw Error(fmt::format("cannot write '{}'", file.string()),
                fmt::format("tensors cannot be written as {}", to_string(element)), "choose F32, F16 or BF16",
                ExitCode::usage);
  }
  return *count;
}

void write_elements(AtomicFile& out, std::span<const float> values, FileElement element) {
  switch (element) {
    case FileElement::f16:
      return write_converted<std::uint16_t>(out, values, half_from_float);
    case FileElement::bf16:
      return write_converted<std::uint16_t>(out, values, bfloat16_from_float);
    default:
      return out.write(std::as_bytes(values));
  }
}

}  // namespace triscope
