// Shapes and order (csrc/flash_attn/flash.cpp of flash-attn3-jax, as published in dew-flash-attn 0.3.6):
//   forward   q [B,S,Hq,D], k, v [B,S,Hkv,D]                -> o [B,S,Hq,D], lse fp32 [B,Hq,S], two dummies fp32
//   backward  do, q, k, v, o, lse                           -> dq, dk, dv (heads of a group summed), softmax_d,
//   lse_log2 fp32 attributes, sorted by name: is_causal, softmax_scale, window_size_left, window_size_right (-1:
//   unbounded)
// A window keeps key j for query i when i - left <= j <= i + right, so a window of w keys is left = w - 1, right = 0.
#include "kernels/baseline/fa3/fa3_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope::xla_ffi {

struct Error {
  std::string message;
  std::int32_t code = 0;
};

}  // namespace triscope::xla_ffi

namespace triscope::fa3 {
namespace {

using namespace xla_ffi;

constexpr std::size_t kAlignment = 256;  // asked for is 1, but TMA wants 16 and bulk reductions 128
constexpr std::int64_t kTile = 128;      // largest block of rows or keys of any of its kernels
constexpr int kMaxHeadDim = 256;
constexpr std::int64_t kMaxGrid = 65535;  // of CUDA's grids, second and third extent

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Elements of softmax_d, and of lse_log2: rows rounded up to tiles, by the bound that dew's own wrapper uses.
std::int64_t row_elements(const Problem& p) { return p.q_heads * (p.batch * p.seq_len + kTile * (p.batch + 1)); }

/// Bytes of one result that nobody reads. The forward has two dummies, the backward softmax_d and lse_log2.
std::size_t unread_bytes(const Problem& p, Pass pass) {
  return pass == Pass::forward ? kAlignment : aligned(static_cast<std::size_t>(row_elements(p)) * sizeof(float));
}

// The forward asks for a tile counter, the backward for fp32 sums of dq and, with grouped heads, of dk and dv, and for
// semaphores; head_dim is rounded up to the next kernel's. Blocks of rows are 64, 80 or 128, of keys 80 to 128.
std::size_t scratch_bytes(const Problem& p, Pass pass) {
  if (pass == Pass::forward) return aligned(static_cast<std::size_t>(16 + 8 * (p.batch + 4)));
  const std::int64_t dim = p.head_dim <= 64 ? 64 : p.head_dim <= 128 ? 128 : p.head_dim <= 192 ? 192 : kMaxHeadDim;
  const std::int64_t rows = p.seq_len + kTile;
  const auto bytes = [](std::int64_t floats) { return aligned(static_cast<std::size_t>(floats) * sizeof(float)); };
  std::size_t total = bytes(p.batch * p.q_heads * rows * dim) + bytes(p.batch * p.q_heads * (p.seq_len / 64 + 2));
  if (p.q_heads != p.kv_heads) total += 2 * bytes(p.batch * p.kv_heads * rows * dim);
  return total;
}

/// The handler's opaque context. Scratch memory is handed out once and never taken back: the handler frees
/// it when it returns, which is before its kernels have run. The next call on the stream uses the same bytes again, in
/// stream order.
struct Context {
  void* stream = nullptr;
  std::int32_t ordinal = 0;
  std::byte* next = nullptr;
  std::byte* end = nullptr;
};

void* create_error(void* raw) {
  const auto& arguments = *static_cast<ErrorCreate*>(raw);
  return new xla_ffi::Error{arguments.message, arguments.code};
}
void* describe_error(void* raw) {
  auto& arguments = *static_cast<ErrorDetails*>(raw);
  arguments.message = arguments.error->message.c_str();
  arguments.code = arguments.error->code;
  return nullptr;
}
void* destroy_error(void* raw) {
  delete static_cast<ErrorDestroy*>(raw)->error;
  return nullptr;
}
void* give_stream(void* raw) {
  auto& arguments = *static_cast<StreamGet*>(raw);
  arguments.stream = static_cast<Context*>(arguments.context)->stream;
  return nullptr;
}
void* give_ordinal(void* raw) {
  auto& arguments = *static_cast<DeviceOrdinal*>(raw);
  arguments.ordinal = static_cast<Context*>(arguments.context)->ordinal;
  return nullptr;
}
void* give_memory(void* raw) {
  auto& arguments = *static_cast<MemoryAllocate*>(raw);
  auto& context = *static_cast<Context*>(arguments.context);
  const std::size_t bytes = aligned(arguments.bytes);
  if (bytes > static_cast<std::size_t>(context.end - context.next)) {
    return new xla_ffi::Error{"the scratch memory is too small", kResourceExhausted};
  }
  arguments.data = context.next;
  context.next += bytes;
  return nullptr;
}
void* keep_memory(void*) { return nullptr; }
// The handler relies on an answer, so this must neither return nor unwind.
void* unexpected(void*) {
  std::fputs("FlashAttention-3 asked for a service of XLA that does not exist here\n", stderr);
  std::abort();
}

const Api& offered_api() {
  static const Api api = [] {
    Api a;
    a.head.struct_size = sizeof(Api);
    a.version = {{sizeof(Version), nullptr}, 0, 1};
    std::fill(std::begin(a.functions), std::end(a.functions), unexpected);
    a.functions[error_create] = create_error;
    a.functions[error_details] = describe_error;
    a.functions[error_destroy] = destroy_error;
    a.functions[stream_get] = give_stream;
    a.functions[memory_allocate] = give_memory;
    a.functions[memory_free] = keep_memory;
    a.functions[device_ordinal] = give_ordinal;
    return a;
  }();
  return api;
}

/// Up to six operands or results, and the arrays of pointers that the frame wants.
class BufferList {
 public:
  void add(DataType type, const void* data, std::array<std::int64_t, 4> extents, std::int64_t rank) {
    extents_[count_] = extents;
    // Results are written through the same member that operands are read through.
    buffers_[count_] = {{sizeof(Buffer), nullptr}, type, const_cast<void*>(data), rank, extents_[count_].data()};
    pointers_[count_] = &buffers_[count_];
    ++count_;
  }
  Buffers frame() {
    kinds_.fill(kArgumentIsBuffer);
    return {{sizeof(Buffers), nullptr}, static_cast<std::int64_t>(count_), kinds_.data(), pointers_.data()};
  }

 private:
  static constexpr std::size_t kMost = 6;
  std::array<std::array<std::int64_t, 4>, kMost> extents_;
  std::array<Buffer, kMost> buffers_;
  std::array<void*, kMost> pointers_;
  std::array<std::int32_t, kMost> kinds_;
  std::size_t count_ = 0;
};

/// The four attributes. Lives as long as the call.
class AttributeList {
 public:
  explicit AttributeList(const Problem& p) : scale_(p.effective_scale()) {
    const bool bounded = p.mask == Mask::causal && p.window1 < p.seq_len;
    causal_ = p.mask == Mask::causal && !bounded;
    left_ = bounded ? p.window1 - 1 : -1;
    right_ = p.mask == Mask::causal ? 0 : -1;
  }
  AttributeList(const AttributeList&) = delete;

  Attributes frame() {
    static constexpr std::array<std::string_view, kCount> kNames{"is_causal", "softmax_scale", "window_size_left",
                                                                 "window_size_right"};
    scalars_ = {
        {{DataType::pred, &causal_}, {DataType::f64, &scale_}, {DataType::s64, &left_}, {DataType::s64, &right_}}};
    for (std::size_t n = 0; n < kCount; ++n) {
      names_[n] = {kNames[n].data(), kNames[n].size()};
      name_pointers_[n] = &names_[n];
      value_pointers_[n] = &scalars_[n];
    }
    kinds_.fill(kAttributeIsScalar);
    return {{sizeof(Attributes), nullptr}, kCount, kinds_.data(), name_pointers_.data(), value_pointers_.data()};
  }

 private:
  static constexpr std::size_t kCount = 4;
  bool causal_ = false;
  double scale_;
  std::int64_t left_ = -1, right_ = -1;
  std::array<Scalar, kCount> scalars_;
  std::array<Name, kCount> names_;
  std::array<Name*, kCount> name_pointers_;
  std::array<void*, kCount> value_pointers_;
  std::array<std::int32_t, kCount> kinds_;
};

void add_tensors(const Problem& p, Pass pass, const Arguments& a, std::byte* unread, BufferList& operands,
                 BufferList& results) {
  const std::array<std::int64_t, 4> query{p.batch, p.seq_len, p.q_heads, p.head_dim},
      key{p.batch, p.seq_len, p.kv_heads, p.head_dim}, rows{p.batch, p.q_heads, p.seq_len, 0};
  const auto bf16 = DataType::bf16, f32 = DataType::f32;
  if (pass == Pass::backward) operands.add(bf16, a.grad_o, query, 4);
  operands.add(bf16, a.q, query, 4);
  operands.add(bf16, a.k1, key, 4);
  operands.add(bf16, a.v1, key, 4);
  std::byte* second = unread + unread_bytes(p, pass);
  if (pass == Pass::forward) {
    results.add(bf16, a.o, query, 4);
    results.add(f32, a.lse, rows, 3);
    results.add(f32, unread, {1, 1, 1, 1}, 4);
    results.add(f32, second, {1, 1, 1, 0}, 3);
    return;
  }
  operands.add(bf16, a.o, query, 4);
  operands.add(f32, a.lse, rows, 3);
  results.add(bf16, a.grad_q, query, 4);
  results.add(bf16, a.grad_k1, key, 4);
  results.add(bf16, a.grad_v1, key, 4);
  results.add(f32, unread, {row_elements(p), 0, 0, 0}, 1);
  results.add(f32, second, {row_elements(p), 0, 0, 0}, 1);
}

std::atomic<bool> inside_library = false;

// FlashAttention-3 answers a failed launch with exit(1). This handler runs first in exit(): it explains, and ends
// the process without destructors: the main thread is inside the library.
void explain_exit() {
  if (!inside_library) return;
  std::fputs("FlashAttention-3 ended the worker because one of its launches failed\n", stderr);
  std::fflush(stderr);
  std::_Exit(static_cast<int>(ExitCode::environment));
}

class InsideLibrary {
 public:
  InsideLibrary() {
    static std::once_flag once;
    std::call_once(once, [] { std::atexit(explain_exit); });
    inside_library = true;
  }
  ~InsideLibrary() { inside_library = false; }
};

}  // namespace

std::optional<std::string> unsupported_problem(const Problem& problem, Pass pass) {
  if (problem.form != Form::dot_product)
    return fmt::format("FlashAttention-3 computes dot-product attention, not form {}", to_string(problem.form));
  if (problem.element != Element::bf16)
    return fmt::format("FlashAttention-3 takes bf16 tensors here, not {}", to_string(problem.element));
  if (problem.head_dim % 8 != 0 || problem.head_dim > kMaxHeadDim) {
    return fmt::format("FlashAttention-3 takes head_dim up to {} in multiples of 8, not {}", kMaxHeadDim,
                       problem.head_dim);
  }
  if (problem.sink) return "this build of FlashAttention-3 has no sink";
  // It takes the row maximum before it scales: a negative scale overflows, and 0 times the -inf of a masked score is
  // NaN.
  if (problem.effective_scale() <= 0)
    return fmt::format("FlashAttention-3 needs a scale above 0, not {}", problem.effective_scale());
  if (problem.seq_len > std::int64_t{1} << 30)
    return fmt::format("FlashAttention-3 takes seq_len up to 2^30, not {}", problem.seq_len);
  // Its backward would launch nothing beyond them, and say nothing (seen on an H200).
  if (pass == Pass::backward && std::max(problem.batch, problem.q_heads) > kMaxGrid) {
    return fmt::format("FlashAttention-3's backward takes up to {} batches and query heads, not {}", kMaxGrid,
                       std::max(problem.batch, problem.q_heads));
  }
  if (problem.deterministic && pass == Pass::backward)
    return "FlashAttention-3 sums gradients with atomics: its backward is not deterministic";
  return std::nullopt;
}

std::size_t workspace_bytes(const Problem& problem, Pass pass) {
  return 2 * unread_bytes(problem, pass) + scratch_bytes(problem, pass);
}

void call(Handler handler, const Problem& problem, Pass pass, const Arguments& arguments, int ordinal) {
  auto* workspace = static_cast<std::byte*>(arguments.workspace);
  BufferList operands, results;
  add_tensors(problem, pass, arguments, workspace, operands, results);
  AttributeList attributes(problem);
  Context context{arguments.stream, ordinal, workspace + 2 * unread_bytes(problem, pass),
                  workspace + workspace_bytes(problem, pass)};
  CallFrame frame;
  frame.head.struct_size = kCallFrameSize;
  frame.api = &offered_api();
  frame.context = &context;
  frame.stage = kStageExecute;
  frame.arguments = operands.frame();
  frame.results = results.frame();
  frame.attributes = attributes.frame();
  const auto refuse = [&](const std::string& why) {
    throw triscope::Error(fmt::format("FlashAttention-3 {} was not launched", to_string(pass)), why,
                          "choose another problem or kernel");
  };
  std::unique_ptr<xla_ffi::Error> error;
  try {
    const InsideLibrary inside;
    error.reset(handler(&frame));
  } catch (const std::exception& e) {
    refuse(fmt::format("it threw \"{}\"", e.what()));
  } catch (...) {
    refuse("it threw an exception without a message");
  }
  if (error) refuse(error->message);
}

}  // namespace triscope::fa3
