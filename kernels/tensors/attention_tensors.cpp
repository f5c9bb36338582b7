#include "kernels/tensors/attention_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/half.hpp"
#include "kernels/base/text/list_items.hpp"
#include "kernels/tensors/tensor_shape.hpp"

namespace triscope {
namespace {

constexpr std::array<const char*, 6> kRoles{"q", "k1", "k2", "v1", "v2", "sink"};  // as TensorRole, then the sink
constexpr std::size_t kRequired = 3;
constexpr const char* kGradient = "do";  // of the output, shaped like q

[[noreturn]] void refuse(const std::string& file, const std::string& why, const std::string& fix) {
  throw Error(fmt::format("the tensors of '{}' cannot be used", file), why, fix, ExitCode::usage);
}

bool is_npy(const std::filesystem::path& file) { return file.extension() == ".npy"; }

/// The files whose tensors belong together: the one named, and for .npy those beside it that are called like a role.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files{file};
  if (!is_npy(file)) return files;
  for (const char* role : {"q", "k1", "k2", "v1", "v2", "sink", kGradient}) {
    const std::filesystem::path neighbour = file.parent_path() / fmt::format("{}.npy", role);
    std::error_code error;
    if (neighbour != file && std::filesystem::exists(neighbour, error)) files.push_back(neighbour);
  }
  return files;
}

template <typename Stored, typename Convert>
void copy_row(const std::byte* data, std::int64_t count, float* out, Convert convert) {
  for (std::int64_t d = 0; d < count; ++d) {
    Stored stored;
    std::memcpy(&stored, data + static_cast<std::size_t>(d) * sizeof(Stored), sizeof(Stored));
    out[d] = convert(stored);
  }
}

void read_row(FileElement element, const std::byte* data, std::int64_t count, float* out) {
  const auto cast = [](auto stored) { return static_cast<float>(stored); };
  switch (element) {
    case FileElement::f64:
      return copy_row<double>(data, count, out, cast);
    case FileElement::f32:
      return copy_row<float>(data, count, out, cast);
    case FileElement::f16:
      return copy_row<std::uint16_t>(data, count, out, float_from_half);
    case FileElement::bf16:
      return copy_row<std::uint16_t>(data, count, out, float_from_bfloat16);
    case FileElement::i64:
      return copy_row<std::int64_t>(data, count, out, cast);
    case FileElement::i32:
      return copy_row<std::int32_t>(data, count, out, cast);
    case FileElement::other:  // no view of it is made
      return;
  }
}

std::vector<std::string> read_labels(const std::string& file, std::int64_t seq_len) {
  const MappedFile bytes(file);  // a pipe or a device may never end
  std::string_view rest(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size());
  std::vector<std::string> labels;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.emplace_back(line);
  }
  if (static_cast<std::int64_t>(labels.size()) != seq_len) {
    throw Error(fmt::format("the labels '{}' cannot be used", file),
                fmt::format("there are {} lines for {} tokens", labels.size(), seq_len), "write one token per line",
                ExitCode::usage);
  }
  return labels;
}

}  // namespace

AttentionTensors::AttentionTensors(std::int64_t batches, std::int64_t length, std::int64_t query_heads,
                                   std::int64_t key_heads, std::int64_t dim, std::array<std::vector<float>, 5> tensors,
                                   std::vector<float> sinks)
    : batch(batches),
      seq_len(length),
      q_heads(query_heads),
      kv_heads(key_heads),
      head_dim(dim),
      sink(std::move(sinks)),
      memory_(std::move(tensors)) {
  for (std::size_t role = 0; role < memory_.size(); ++role) {
    if (memory_[role].empty()) continue;
    const std::int64_t heads = role == 0 ? q_heads : kv_heads;
    tensors_[role] = {FileElement::f32, reinterpret_cast<const std::byte*>(memory_[role].data()), length * heads * dim,
                      heads * dim, dim};
  }
}

bool AttentionTensors::has_values() const {
  return tensors_[static_cast<std::size_t>(TensorRole::v1)].data &&
         tensors_[static_cast<std::size_t>(TensorRole::v2)].data;
}

void AttentionTensors::read(TensorRole role, std::int64_t at_batch, std::int64_t head, std::int64_t first,
                            std::int64_t count, float* out) const {
  const Strided& tensor = tensors_[static_cast<std::size_t>(role)];
  const std::int64_t start = at_batch * tensor.batch_stride + head * tensor.head_stride;
  const auto size = static_cast<std::int64_t>(bytes_of(tensor.element));
  for (std::int64_t n = 0; n < count; ++n) {
    read_row(tensor.element, tensor.data + (start + (first + n) * tensor.position_stride) * size, head_dim,
             out + n * head_dim);
  }
}

/// The tensor called `role`, or else the only one whose name ends so; empty when there is none.
std::string guess_name(const std::vector<NamedTensor>& tensors, const std::string& role) {
  std::vector<std::string> candidates;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.name == role) return role;
    for (char separator : {'.', '_', '/'}) {
      if (tensor.name.ends_with(separator + role)) candidates.push_back(tensor.name);
    }
  }
  return candidates.size() == 1 ? candidates.front() : "";
}

std::vector<NamedTensor> list_tensors(const std::string& file) {
  std::vector<NamedTensor> list;
  for (const std::filesystem::path& path : files_of(file)) {
    const TensorFile open(path);
    for (const TensorView& view : open.tensors()) {
      list.push_back({view.name, view.shape,
                      view.element == FileElement::other ? view.type : std::string(to_string(view.element))});
    }
  }
  return list;
}

std::map<std::string, std::string> guess_names(const std::vector<NamedTensor>& tensors,
                                               std::map<std::string, std::string> given) {
  for (const char* role : kRoles) {
    if (!given.contains(role)) given[role] = guess_name(tensors, role);
  }
  std::erase_if(given, [](const auto& entry) { return entry.second.empty(); });
  return given;
}

/// Opens the files and puts views on their tensors.
struct TensorFileOpener {
  static constexpr const char* kFix =
      "check which tensor is which (--names) and the order of dimensions (--heads-first)";
  const std::string& file;
  const TensorMapping& mapping;
  std::map<std::string, std::string> names;
  std::shared_ptr<AttentionTensors> result{new AttentionTensors()};

  const TensorView& view_of(const std::string& role) const {
    const std::string& name = names.at(role);
    for (const TensorFile& open : result->files_) {
      if (open.contains(name)) return open.at(name);
    }
    return result->files_.front().at(name);  // throws, listing the names there are
  }

  /// [batch, seq_len, heads, head_dim] of a role's tensor; sets its strides.
  std::array<std::int64_t, 4> take(TensorRole role) {
    const auto index = static_cast<std::size_t>(role);
    const TensorView& view = view_of(kRoles[index]);
    const std::size_t dimensions = view.shape.size();
    if (dimensions != 3 && dimensions != 4) {
      refuse(file, fmt::format("tensor {} has the shape {}", quote_name(view.name), shape_text(view.shape)),
             "store [batch, seq_len, heads, head_dim], with or without the batch");
    }
    if (view.element == FileElement::other) {
      refuse(file,
             fmt::format("tensor {} has the element type {}, which is not supported", quote_name(view.name),
                         quote_name(view.type)),
             "store it as F32, F16 or BF16");
    }
    const std::int64_t batches = dimensions == 4 ? view.shape[0] : 1;
    const std::int64_t a = view.shape[dimensions - 3], b = view.shape[dimensions - 2], dim = view.shape[dimensions - 1];
    if (view.elements() == 0) {
      refuse(file, fmt::format("tensor {} of shape {} is empty", quote_name(view.name), shape_text(view.shape)),
             "store at least one element");
    }
    auto& tensor = result->tensors_[index];
    tensor = {view.element, view.data.data(), a * b * dim, b * dim, dim};
    if (mapping.heads_first) std::swap(tensor.position_stride, tensor.head_stride);
    return {batches, mapping.heads_first ? b : a, mapping.heads_first ? a : b, dim};
  }

  /// `shape` of `role` must be k1's.
  void check_keys(const char* role, const std::array<std::int64_t, 4>& k1,
                  const std::array<std::int64_t, 4>& shape) const {
    if (shape == k1) return;
    refuse(
        file,
        fmt::format("k1 is {} and {} is {} [batch, seq_len, heads, head_dim]", shape_text(k1), role, shape_text(shape)),
        kFix);
  }

  void check_query(const std::array<std::int64_t, 4>& q, const std::array<std::int64_t, 4>& k1) const {
    if (q[0] != k1[0] || q[1] != k1[1] || q[3] != k1[3]) {
      refuse(file, fmt::format("q is {} and k1 is {} [batch, seq_len, heads, head_dim]", shape_text(q), shape_text(k1)),
             kFix);
    }
    if (q[2] % k1[2] != 0)
      refuse(file, fmt::format("{} query heads cannot share {} key heads evenly", q[2], k1[2]), kFix);
  }

  std::shared_ptr<const AttentionTensors> open(const std::string& labels_file) {
    for (const std::filesystem::path& path : files_of(file)) result->files_.emplace_back(path);
    std::vector<NamedTensor> list;
    for (const TensorFile& open : result->files_) {
      for (const TensorView& view : open.tensors()) list.push_back({view.name, view.shape, {}});
    }
    names = guess_names(list, mapping.names);
    std::vector<std::string> missing;
    for (std::size_t role = 0; role < kRequired; ++role) {
      if (!names.contains(kRoles[role])) missing.emplace_back(kRoles[role]);
    }
    if (!missing.empty()) {
      std::vector<std::string> held;
      for (const NamedTensor& tensor : list) held.push_back(quote_name(tensor.name));
      held.resize(std::min<std::size_t>(held.size(), 12));
      refuse(file,
             fmt::format("it is not clear which tensor is {}, and it holds {}", fmt::join(missing, ", "),
                         fmt::join(held, ", ")),
             "say which tensor is which, as with --names q=NAME,k1=NAME,k2=NAME");
    }
    const auto q = take(TensorRole::q), k1 = take(TensorRole::k1);
    check_keys("k2", k1, take(TensorRole::k2));
    check_query(q, k1);
    if (names.contains("v1") && names.contains("v2")) {
      check_keys("v1", k1, take(TensorRole::v1));
      check_keys("v2", k1, take(TensorRole::v2));
    }
    result->batch = q[0];
    result->seq_len = q[1];
    result->q_heads = q[2];
    result->kv_heads = k1[2];
    result->head_dim = q[3];
    if (names.contains("sink")) {
      const TensorView& view = view_of("sink");
      if (view.elements() != q[2]) {
        refuse(file, fmt::format("the sink has {} values for {} query heads", view.elements(), q[2]),
               "store one for each head");
      }
      result->sink = read_floats(view);
    }
    if (!labels_file.empty()) result->labels = read_labels(labels_file, result->seq_len);
    return result;
  }
};

std::shared_ptr<const AttentionTensors> open_tensors(const std::string& file, const TensorMapping& mapping,
                                                     const std::string& labels_file) {
  return TensorFileOpener{file, mapping, {}}.open(labels_file);
}

std::shared_ptr<const AttentionTensors> open_gradient(const std::string& file, const TensorMapping& mapping) {
  const std::vector<NamedTensor> list = list_tensors(file);
  const auto given = mapping.names.find(kGradient);
  const std::string name = given == mapping.names.end() ? guess_name(list, kGradient) : given->second;
  if (name.empty()) return nullptr;
  TensorMapping as_query = mapping;
  as_query.names["q"] = name;
  const auto shape_of = [&list](const std::string& tensor) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const NamedTensor& t) { return t.name == tensor; });
    return found == list.end() ? std::vector<std::int64_t>{} : found->shape;
  };
  const auto shape = shape_of(name), query = shape_of(guess_names(list, mapping.names)["q"]);
  if (!shape.empty() && shape != query)
    refuse(file, fmt::format("do is {} and q is {}", shape_text(shape), shape_text(query)), "store do shaped like q");
  return open_tensors(file, as_query);
}

std::map<std::string, std::string> parse_tensor_names(std::string_view text, bool with_gradient) {
  std::map<std::string, std::string> names;
  for (const std::string_view item : list_items(text)) {
    const std::string pair(item);
    const std::size_t equals = pair.find('=');
    const std::string role = pair.substr(0, equals);
    const bool known = std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
    if (equals == std::string::npos || !(known || (with_gradient && role == kGradient))) {
      throw Error(fmt::format("--names '{}'", pair),
                  fmt::format("it does not name q, k1, k2, v1, v2{} or sink", with_gradient ? ", do" : ""),
                  "write q=NAME,k1=NAME,k2=NAME[,v1=NAME,v2=NAME,sink=NAME]", ExitCode::usage);
    }
    names[role] = pair.substr(equals + 1);
  }
  return names;
}

}  // namespace triscope
