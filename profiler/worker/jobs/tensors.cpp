#include "profiler/worker/jobs/tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/attention/inputs.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/half.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {
namespace {

// Whether a problem has keys and values on a second axis.
bool two_axes(const Problem& problem) { return problem.form != Form::dot_product; }

std::size_t element_bytes(Element element) { return element == Element::bf16 ? 2 : 4; }

constexpr std::size_t kGuardBytes = 256;  // on both sides of each output: what is written there is seen
constexpr std::size_t kStagedElements = std::size_t{1} << 25;  // bf16 is widened and narrowed through a small buffer

// Elements [first, first + count) of `buffer`, widened.
void widen(Backend& backend, const BackendMemory& buffer, Element element, std::size_t first, std::size_t count,
           float* to) {
  if (element == Element::fp32) return backend.copy_to_host(to, buffer.data<float>() + first, count * sizeof(float));
  std::vector<std::uint16_t> bits(std::min(count, kStagedElements));
  for (std::size_t done = 0; done < count; done += bits.size()) {
    const std::size_t some = std::min(bits.size(), count - done);
    backend.copy_to_host(bits.data(), buffer.data<std::uint16_t>() + first + done, some * sizeof(std::uint16_t));
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < some; ++n) to[done + n] = float_from_bfloat16(bits[n]);
  }
}

HostFloats to_host(Backend& backend, const BackendMemory& buffer, Element element) {
  HostFloats values(buffer.bytes() / element_bytes(element));
  if (!values.empty()) widen(backend, buffer, element, 0, values.size(), values.data());
  return values;
}

// The rows at `read` of a tensor of `positions` rows; the others stay unwritten, so that they cost no memory.
HostFloats rows_to_host(Backend& backend, const BackendMemory& buffer, Element element, std::int64_t positions,
                        const std::vector<PositionRange>& read) {
  HostFloats values(buffer.bytes() / element_bytes(element));
  if (values.empty()) return values;
  const std::size_t row = values.size() / static_cast<std::size_t>(positions);
  for (const PositionRange& range : read) {
    const std::size_t first = static_cast<std::size_t>(range.first) * row;
    widen(backend, buffer, element, first, static_cast<std::size_t>(range.count) * row, values.data() + first);
  }
  return values;
}

const float* pointer(const HostFloats& values) { return values.empty() ? nullptr : values.data(); }

HostFloats generate(InputStream stream, std::uint64_t seed, Element element, std::size_t count) {
  HostFloats values(count);
  fill_input(stream, seed, element, values);
  return values;
}

// Multiplies rows of [batch, seq_len, row] by factor(position); rounds again when the element asks for it.
template <typename Factor>
void scale_rows(HostFloats& values, const Problem& problem, std::int64_t row, Element element, Factor factor) {
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t i = 0; i < problem.seq_len; ++i) {
      const float by = factor(i);
      if (by == 1.0f) continue;
      float* first = values.data() + (b * problem.seq_len + i) * row;
      for (std::int64_t d = 0; d < row; ++d)
        first[d] = element == Element::bf16 ? round_to_bf16(first[d] * by) : first[d] * by;
    }
  }
}

// N(0,1) inputs give logits of standard deviation 1; these make them peaked where a kernel's softmax is weakest.
constexpr float kHuge = 64.0f;      // one key's logits: about +-64, up to 250
constexpr std::int64_t kTile = 64;  // a usual tile of keys
constexpr float kRisePerTile =
    64.0f;  // the largest logit of a tile is about 3 standard deviations: it rises by about 200

void apply_kind(InputKind kind, const Problem& problem, HostFloats& q, HostFloats& k1) {
  const std::int64_t query_row = problem.q_heads * problem.head_dim, key_row = problem.kv_heads * problem.head_dim;
  const std::int64_t n = problem.seq_len;
  switch (kind) {
    case InputKind::normal:
      return;
    case InputKind::peaked4:
      return scale_rows(q, problem, query_row, problem.element, [](std::int64_t) { return 4.0f; });
    case InputKind::peaked8:
      return scale_rows(q, problem, query_row, problem.element, [](std::int64_t) { return 8.0f; });
    case InputKind::huge_early:
      return scale_rows(k1, problem, key_row, problem.element, [](std::int64_t j) { return j == 0 ? kHuge : 1.0f; });
    case InputKind::huge_late:
      return scale_rows(k1, problem, key_row, problem.element,
                        [n](std::int64_t j) { return j == n - 1 || j == n / 2 ? kHuge : 1.0f; });
    case InputKind::rising:
      return scale_rows(k1, problem, key_row, problem.element, [](std::int64_t j) {
        const std::int64_t tile = j / kTile;
        return 1.0f + kRisePerTile * static_cast<float>(tile);
      });
  }
}

void require_finite(const char* name, const HostFloats& values) {
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (std::isfinite(values[n])) continue;
    throw Error(fmt::format("tensor {} cannot be used", name), fmt::format("element {} is {}", n, values[n]),
                "remove NaN and Inf from the inputs", ExitCode::usage);
  }
}

// A tensor of a file as fp32 [batch, seq_len, heads, head_dim], rounded to the problem's element type.
HostFloats given(const AttentionTensors& file, TensorRole role, const char* name, const Problem& problem) {
  const std::int64_t heads = role == TensorRole::q ? file.q_heads : file.kv_heads, dim = file.head_dim;
  HostFloats values(static_cast<std::size_t>(file.batch * file.seq_len * heads * dim));
  std::vector<float> rows(static_cast<std::size_t>(file.seq_len * dim));  // of one head
  for (std::int64_t b = 0; b < file.batch; ++b) {
    for (std::int64_t head = 0; head < heads; ++head) {
      file.read(role, b, head, 0, file.seq_len, rows.data());
      for (std::int64_t i = 0; i < file.seq_len; ++i)
        std::copy_n(rows.data() + i * dim, dim, values.data() + ((b * file.seq_len + i) * heads + head) * dim);
    }
  }
  require_finite(name, values);
  if (problem.element == Element::bf16) std::transform(values.begin(), values.end(), values.begin(), round_to_bf16);
  return values;
}

// The tensors of a file; they must be those of the problem.
std::shared_ptr<const AttentionTensors> open_for(const Problem& problem, const InputSource& source) {
  TensorMapping mapping = source.mapping;
  if (!two_axes(problem)) {  // the file need not hold what dot-product attention does not read
    mapping.names = guess_names(list_tensors(source.tensors), mapping.names);
    mapping.names["k2"] = mapping.names["k1"];
    mapping.names["v2"] = mapping.names["v1"];
  }
  auto file = open_tensors(source.tensors, mapping);
  const std::array have{file->batch, file->seq_len, file->q_heads, file->kv_heads, file->head_dim};
  const std::array need{problem.batch, problem.seq_len, problem.q_heads, problem.kv_heads, problem.head_dim};
  if (have != need) {
    throw Error(fmt::format("the tensors of '{}' cannot be used", source.tensors),
                fmt::format("batch, tokens, query heads, key heads and dimensions are {}, but the problem has {}",
                            fmt::join(have, ", "), fmt::join(need, ", ")),
                "name the file of this problem", ExitCode::usage);
  }
  return file;
}

}  // namespace

TensorCounts tensor_counts(const Problem& problem) {
  const auto positions = static_cast<std::size_t>(problem.batch * problem.seq_len);
  TensorCounts counts;
  if (problem.form == Form::gemm) {
    counts.query = counts.key = static_cast<std::size_t>(problem.seq_len * problem.seq_len);
    return counts;
  }
  counts.query = positions * static_cast<std::size_t>(problem.q_heads * problem.head_dim);
  counts.key = positions * static_cast<std::size_t>(problem.kv_heads * problem.head_dim);
  counts.lse = positions * static_cast<std::size_t>(problem.q_heads);
  return counts;
}

HeldTensor::HeldTensor(Backend& backend, const HostFloats& values, Element element)
    : device_(backend, values.size() * element_bytes(element)) {
  if (element == Element::fp32) {
    backend.copy_to_device(device_.data(), values.data(), device_.bytes());
    return;
  }
  std::vector<std::uint16_t> bits(std::min(values.size(), kStagedElements));
  for (std::size_t first = 0; first < values.size(); first += bits.size()) {
    const std::size_t count = std::min(bits.size(), values.size() - first);
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < count; ++n) bits[n] = bfloat16_from_float(values[first + n]);
    backend.copy_to_device(device_.data<std::uint16_t>() + first, bits.data(), count * sizeof(std::uint16_t));
  }
}

HeldTensor::HeldTensor(Backend& backend, InputStream stream, std::uint64_t seed, Element element, std::size_t count)
    : device_(backend, count * element_bytes(element)) {
  backend.generate(stream, seed, element, device_.data(), count);
}

InputSet::InputSet(Backend& backend, const Problem& problem, bool with_grad_o, const InputSource& source)
    : backend_(&backend), problem_(problem), with_grad_o_(with_grad_o), source_(source) {
  make();
  made_ = fingerprints();
}

void InputSet::make() {
  Backend& backend = *backend_;
  const Problem& problem = problem_;
  const InputSource& source = source_;
  const TensorCounts counts = tensor_counts(problem);
  const Element element = problem.element;
  std::shared_ptr<const AttentionTensors> file;
  if (!source.tensors.empty() && problem.form != Form::gemm) file = open_for(problem, source);
  const auto held = [&](const char* name, TensorRole role, InputStream stream) {
    if (file) return HeldTensor(backend, given(*file, role, name, problem), element);
    return HeldTensor(backend, stream, source.seed, element, role == TensorRole::q ? counts.query : counts.key);
  };
  if (!file && source.kind != InputKind::normal) {
    HostFloats q = generate(InputStream::q, source.seed, element, counts.query);
    HostFloats k1 = generate(InputStream::k1, source.seed, element, counts.key);
    apply_kind(source.kind, problem, q, k1);
    q_ = HeldTensor(backend, q, element);
    k1_ = HeldTensor(backend, k1, element);
  } else {
    q_ = held("q", TensorRole::q, InputStream::q);
    k1_ = held("k1", TensorRole::k1, InputStream::k1);
  }
  if (problem.form == Form::gemm) return;
  if (file && !file->has_values()) {
    throw Error(fmt::format("the tensors of '{}' cannot be used", source.tensors),
                "it is not clear which are v1 and v2", "say so with --names v1=NAME,v2=NAME", ExitCode::usage);
  }
  v1_ = held("v1", TensorRole::v1, InputStream::v1);
  if (two_axes(problem)) {
    k2_ = held("k2", TensorRole::k2, InputStream::k2);
    v2_ = held("v2", TensorRole::v2, InputStream::v2);
  }
  if (with_grad_o_) {
    const auto gradient = file ? open_gradient(source.tensors, source.mapping) : nullptr;
    grad_o_ = gradient ? HeldTensor(backend, given(*gradient, TensorRole::q, "do", problem), element)
                       : HeldTensor(backend, InputStream::grad_o, source.seed, element, counts.query);
  }
  if (problem.sink) {
    HostFloats sink(static_cast<std::size_t>(problem.q_heads), static_cast<float>(*problem.sink));
    if (file && !file->sink.empty()) sink.assign(file->sink.begin(), file->sink.end());
    require_finite("sink", sink);
    sink_ = HeldTensor(backend, sink, Element::fp32);
  }
}

bool InputSet::serves(const Problem& problem, bool with_grad_o, const InputSource& source) const {
  const auto shape = [](const Problem& p) {
    return std::tuple(p.form == Form::gemm, p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim, p.element);
  };
  const bool sink_held = !problem.sink || problem.sink == problem_.sink;
  const bool axes_held = two_axes(problem_) || !two_axes(problem);
  return shape(problem) == shape(problem_) && sink_held && axes_held && (with_grad_o_ || !with_grad_o) &&
         source == source_;
}

InputSet::Host InputSet::download(const std::vector<PositionRange>& positions) const {
  const Element element = problem_.element;
  const auto whole = [&](const HeldTensor& tensor) { return to_host(*backend_, tensor.memory(), element); };
  const auto rows = [&](const HeldTensor& tensor) {
    return rows_to_host(*backend_, tensor.memory(), element, problem_.batch * problem_.seq_len, positions);
  };
  Host host{rows(q_), whole(k1_), whole(k2_), whole(v1_), whole(v2_), {}, rows(grad_o_)};
  host.sink = to_host(*backend_, sink_.memory(), Element::fp32);
  return host;
}

HostInputs InputSet::Host::pointers() const {
  return {pointer(q), pointer(k1), pointer(k2), pointer(v1), pointer(v2), pointer(sink), pointer(grad_o)};
}

void InputSet::fill(Arguments& arguments) const {
  arguments.q = q_.device();
  arguments.k1 = k1_.device();
  arguments.k2 = k2_.device();
  arguments.v1 = v1_.device();
  arguments.v2 = v2_.device();
  arguments.sink = sink_.device<float>();
  arguments.grad_o = grad_o_.device();
}

std::array<std::uint64_t, 7> InputSet::fingerprints() const {
  std::array<std::uint64_t, 7> all{};
  std::size_t n = 0;
  for (const HeldTensor* tensor : {&q_, &k1_, &k2_, &v1_, &v2_, &sink_, &grad_o_}) {
    const BackendMemory& memory = tensor->memory();
    if (memory.bytes() > 0) all[n] = backend_->fingerprint(memory.data(), memory.bytes());
    ++n;
  }
  return all;
}

const char* InputSet::changed() const {
  static constexpr std::array kNames{"q", "k1", "k2", "v1", "v2", "sink", "grad_o"};
  const std::array<std::uint64_t, 7> now = fingerprints();
  const auto differs = std::mismatch(now.begin(), now.end(), made_.begin()).first;
  return differs == now.end() ? nullptr : kNames[static_cast<std::size_t>(differs - now.begin())];
}

std::size_t InputSet::device_bytes() const {
  std::size_t sum = 0;
  for (const HeldTensor* tensor : {&q_, &k1_, &k2_, &v1_, &v2_, &sink_, &grad_o_}) sum += tensor->memory().bytes();
  return sum;
}

OutputSet::OutputSet(Backend& backend, const Problem& problem, Pass pass, std::size_t workspace_bytes)
    : backend_(&backend), problem_(problem), element_(problem.element), positions_(problem.batch * problem.seq_len) {
  const TensorCounts counts = tensor_counts(problem);
  const std::size_t query_bytes = counts.query * element_bytes(element_),
                    key_bytes = counts.key * element_bytes(element_);
  o_ = BackendMemory(backend, query_bytes, kGuardBytes);
  lse_ = BackendMemory(backend, counts.lse * sizeof(float), kGuardBytes);
  lse_in_bf16_ = BackendMemory(backend, sizeof(std::uint32_t), kGuardBytes);
  if (pass == Pass::backward) {
    grad_q_ = BackendMemory(backend, query_bytes, kGuardBytes);
    grad_k1_ = BackendMemory(backend, key_bytes, kGuardBytes);
    grad_v1_ = BackendMemory(backend, key_bytes, kGuardBytes);
    if (two_axes(problem)) grad_k2_ = BackendMemory(backend, key_bytes, kGuardBytes);
    if (two_axes(problem)) grad_v2_ = BackendMemory(backend, key_bytes, kGuardBytes);
    if (problem.sink)
      grad_sink_ = BackendMemory(backend, static_cast<std::size_t>(problem.q_heads) * sizeof(float), kGuardBytes);
  }
  workspace_ = BackendMemory(backend, workspace_bytes, kGuardBytes);
  poison_forward();
  poison_backward();
  workspace_.poison();
}

void OutputSet::fill(Arguments& arguments) const {
  arguments.o = o_.data();
  arguments.lse = lse_.data<float>();
  arguments.lse_in_bf16 = lse_in_bf16_.data<std::uint32_t>();
  arguments.grad_q = grad_q_.data();
  arguments.grad_k1 = grad_k1_.data();
  arguments.grad_k2 = grad_k2_.data();
  arguments.grad_v1 = grad_v1_.data();
  arguments.grad_v2 = grad_v2_.data();
  arguments.grad_sink = grad_sink_.data<float>();
  arguments.workspace = workspace_.data();
}

void OutputSet::poison_forward() {
  o_.poison();
  lse_.poison();
  lse_in_bf16_.poison();
}

bool OutputSet::lse_in_bf16() const {
  std::uint32_t word = 0;
  backend_->copy_to_host(&word, lse_in_bf16_.data(), sizeof word);
  return word != 0;
}

void OutputSet::poison_backward() {
  for (BackendMemory* buffer : {&grad_q_, &grad_k1_, &grad_k2_, &grad_v1_, &grad_v2_, &grad_sink_}) buffer->poison();
}

std::vector<OutputSet::Tensor> OutputSet::tensors() const {
  std::vector<Tensor> list{{"o", &o_, element_},
                           {"lse", &lse_, Element::fp32},
                           {"grad_q", &grad_q_, element_},
                           {"grad_k1", &grad_k1_, element_},
                           {"grad_k2", &grad_k2_, element_},
                           {"grad_v1", &grad_v1_, element_},
                           {"grad_v2", &grad_v2_, element_},
                           {"grad_sink", &grad_sink_, Element::fp32}};
  std::erase_if(list, [](const Tensor& tensor) { return tensor.memory->bytes() == 0; });
  return list;
}

std::optional<std::string> OutputSet::overrun() const {
  std::vector<Tensor> list = tensors();
  list.push_back({"lse_state", &lse_in_bf16_, Element::fp32});
  list.push_back({"the workspace", &workspace_, Element::fp32});
  for (const Tensor& tensor : list) {
    if (const char* where = tensor.memory->overrun()) return fmt::format("it wrote {} {}", where, tensor.name);
  }
  return std::nullopt;
}

std::string OutputSet::place_of(std::string_view tensor, std::size_t index) const {
  const auto n = static_cast<std::int64_t>(index);
  const Problem& p = problem_;
  if (p.form == Form::gemm) return fmt::format("[{}, {}]", n / p.seq_len, n % p.seq_len);
  if (tensor == "grad_sink") return fmt::format("[{}]", n);
  if (tensor == "lse")
    return fmt::format("[{}, {}, {}]", n / (p.seq_len * p.q_heads), n / p.seq_len % p.q_heads, n % p.seq_len);
  const std::int64_t heads = tensor == "o" || tensor == "grad_q" ? p.q_heads : p.kv_heads;
  const std::int64_t row = n / p.head_dim;
  return fmt::format("[{}, {}, {}, {}]", row / heads / p.seq_len, row / heads % p.seq_len, row % heads, n % p.head_dim);
}

std::optional<std::string> OutputSet::not_finite() const {
  for (const Tensor& tensor : tensors()) {
    const std::size_t count = tensor.memory->bytes() / element_bytes(tensor.element);
    const std::size_t bad = backend_->first_not_finite(tensor.memory->data(), tensor.element, count);
    if (bad == count) continue;
    std::uint32_t bits = 0;
    const std::size_t bytes = element_bytes(tensor.element);
    backend_->copy_to_host(&bits, tensor.memory->data<std::byte>() + bad * bytes, bytes);
    const std::string place = place_of(tensor.name, bad);
    if (bits == (bytes == 4 ? 0xFFFFFFFFu : 0xFFFFu))
      return fmt::format("{} was not written at {}", tensor.name, place);
    float value = 0;
    widen(*backend_, *tensor.memory, tensor.element, bad, 1, &value);
    return fmt::format("{} has {} at {}", tensor.name, std::abs(value), place);
  }
  return std::nullopt;
}

std::uint64_t OutputSet::fingerprint() const {
  std::uint64_t all = backend_->fingerprint(lse_in_bf16_.data(), lse_in_bf16_.bytes());
  for (const Tensor& tensor : tensors())
    all = std::rotl(all, 1) + backend_->fingerprint(tensor.memory->data(), tensor.memory->bytes());
  return all;
}

std::array<std::uint64_t, 3> OutputSet::forward_fingerprints() const {
  const auto of = [this](const BackendMemory& memory) { return backend_->fingerprint(memory.data(), memory.bytes()); };
  return {of(o_), lse_.bytes() == 0 ? 0 : of(lse_), of(lse_in_bf16_)};
}

OutputSet::Host OutputSet::download() const { return download({{0, positions_}}); }

OutputSet::Host OutputSet::download(const std::vector<PositionRange>& positions) const {
  const auto whole = [&](const BackendMemory& memory) { return to_host(*backend_, memory, element_); };
  const auto rows = [&](const BackendMemory& memory) {
    return rows_to_host(*backend_, memory, element_, positions_, positions);
  };
  Host host{rows(o_), {}, rows(grad_q_), whole(grad_k1_), whole(grad_k2_), whole(grad_v1_), whole(grad_v2_), {}};
  host.lse = to_host(*backend_, lse_, Element::fp32);
  host.grad_sink = to_host(*backend_, grad_sink_, Element::fp32);
  return host;
}

HostOutputs OutputSet::Host::pointers() const {
  return {pointer(o),       pointer(lse),     pointer(grad_q),  pointer(grad_k1),
          pointer(grad_k2), pointer(grad_v1), pointer(grad_v2), pointer(grad_sink)};
}

}  // namespace triscope
