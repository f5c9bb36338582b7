#include "kernels/interface/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "kernels/interface/refusal.hpp"

namespace triscope::c_interface {
namespace {

constexpr std::size_t kLargestStruct = 4096;  // a larger size is memory that nobody set
constexpr std::uintptr_t kWorkspaceAlignment = 256;
constexpr std::uintptr_t kGpuAlignment = 16;  // of the vector accesses of the CUDA kernels

// A copy of the caller's struct. One that is smaller, but has at least `least` bytes, is from a header before the last
// members were added: they are 0. One that is larger comes from a later header: what this library does not know must be
// 0, or it would be ignored in silence.
template <typename Struct>
Struct read_struct(const Struct* given, const char* name, std::size_t least = sizeof(Struct)) {
  if (given == nullptr)
    throw Refusal(TRISCOPE_ARGUMENT, fmt::format("The pointer to the {} is NULL; pass the address of a struct.", name));
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < least || size > kLargestStruct) {
    throw Refusal(TRISCOPE_ARGUMENT, fmt::format("Member size of the {} is {}, but must be {}; set it to sizeof "
                                                 "the struct, and every other member to 0 before you use it.",
                                                 name, size, sizeof(Struct)));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    throw Refusal(TRISCOPE_ARGUMENT, fmt::format("The {} uses members of a later version than this library, which has "
                                                 "version {}; set them to 0, or load a later library.",
                                                 name, TRISCOPE_ATTENTION_VERSION));
  }
  Struct copy{};
  std::memcpy(&copy, given, std::min(size, sizeof copy));
  return copy;
}

// One of the values 0 to count - 1.
void require_choice(const char* name, std::int32_t value, std::int32_t count) {
  if (value >= 0 && value < count) return;
  throw Refusal(TRISCOPE_ARGUMENT, fmt::format("{} is {}, but must be 0 to {}; use the names of triscope/attention.h.",
                                               name, value, count - 1));
}

void refuse_what_no_kernel_computes(const triscope_problem& problem) {
  const auto refuse = [](bool used, const std::string& what, const char* instead) {
    if (used) throw Refusal(TRISCOPE_UNSUPPORTED, fmt::format("{}, which no kernel computes yet; {}.", what, instead));
  };
  refuse(problem.packed_sequences < 0 || problem.packed_sequences > 1,
         fmt::format("packed_sequences is {}: sequences packed into one row", problem.packed_sequences),
         "launch each sequence as a batch of its own");
  refuse(problem.padding != 0,
         fmt::format("padding is {}: sequences of different lengths in one batch", problem.padding),
         "launch sequences of one length together, or ignore what is computed for the padded end");
  refuse(problem.cache_len != 0, fmt::format("cache_len is {}: a key-value cache", problem.cache_len),
         "launch the whole sequence");
  refuse(problem.query_len != 0 && problem.query_len != problem.seq_len,
         fmt::format("query_len is {} and seq_len is {}: another number of queries than of keys", problem.query_len,
                     problem.seq_len),
         "set query_len to 0 and launch as many queries as keys");
  refuse(problem.reserved != 0, fmt::format("reserved is {}: a use that this version does not know", problem.reserved),
         "set it to 0");
}

struct NamedPointer {
  const char* name;
  const void* pointer;
};

void require_tensors(std::initializer_list<NamedPointer> tensors, std::uintptr_t alignment) {
  for (const NamedPointer& tensor : tensors) {
    if (tensor.pointer == nullptr) {
      throw Refusal(TRISCOPE_ARGUMENT,
                    fmt::format("The tensor {} is NULL, but this pass needs it; pass it.", tensor.name));
    }
    if (reinterpret_cast<std::uintptr_t>(tensor.pointer) % alignment != 0) {
      throw Refusal(TRISCOPE_ARGUMENT, fmt::format("The tensor {} is not aligned to {} bytes, as this kernel reads it; "
                                                   "pass memory that is.",
                                                   tensor.name, alignment));
    }
  }
}

// Where a kernel has one way to round the logits there is nothing to say, and a program of the header before
// `lse_state` goes on.
bool writes_lse_state(const Prepared& prepared) {
  const Kernel& kernel = *prepared.kernel;
  if (kernel.info().device != DeviceKind::cuda) return false;
  if (prepared.pass == Pass::backward) return is_half(prepared.lse_fold);
  return is_half(prepared.lse_fold) ||
         is_half(kernel.fold(prepared.problem, kernel.info().instances[prepared.instance]));
}

struct Range {
  const char* name;
  const void* begin;
  std::size_t bytes;
  bool output;
};

// An output may overlap nothing: a kernel writes it while it still reads the others.
void require_apart(std::initializer_list<Range> ranges) {
  for (const Range& one : ranges) {
    if (!one.output || one.begin == nullptr || one.bytes == 0) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(one.begin);
    for (const Range& other : ranges) {
      const auto second = reinterpret_cast<std::uintptr_t>(other.begin);
      if (&one == &other || second == 0 || other.bytes == 0) continue;
      if (first >= second + other.bytes || second >= first + one.bytes) continue;
      throw Refusal(TRISCOPE_ARGUMENT,
                    fmt::format("The output {} overlaps {}; pass memory of its own.", one.name, other.name));
    }
  }
}

void require_apart(const triscope_tensors& t, const Prepared& prepared) {
  const Problem& p = prepared.problem;
  const bool forward = prepared.pass == Pass::forward;
  const auto positions = static_cast<std::size_t>(p.batch * p.seq_len);
  const auto query_heads = static_cast<std::size_t>(p.q_heads);
  const std::size_t row = static_cast<std::size_t>(p.head_dim) * (p.element == Element::fp32 ? 4 : 2);
  const std::size_t queries = positions * query_heads * row,
                    keys = positions * static_cast<std::size_t>(p.kv_heads) * row;
  const std::size_t lse = positions * query_heads * sizeof(float);
  const std::size_t sink = p.sink ? query_heads * sizeof(float) : 0;
  const std::size_t gradient = forward ? 0 : keys, gradient_q = forward ? 0 : queries;
  require_apart({{"lse", t.lse, lse, forward},
                 {"o", t.o, queries, forward},
                 {"q", t.q, queries, false},
                 {"k1", t.k1, keys, false},
                 {"k2", t.k2, keys, false},
                 {"v1", t.v1, keys, false},
                 {"v2", t.v2, keys, false},
                 {"sink", t.sink, sink, false},
                 {"grad_o", t.grad_o, gradient_q, false},
                 {"grad_q", t.grad_q, gradient_q, !forward},
                 {"grad_k1", t.grad_k1, gradient, !forward},
                 {"grad_k2", t.grad_k2, gradient, !forward},
                 {"grad_v1", t.grad_v1, gradient, !forward},
                 {"grad_v2", t.grad_v2, gradient, !forward},
                 {"grad_sink", t.grad_sink, forward ? 0 : sink, !forward}});
}

void require_workspace(const triscope_tensors& tensors, std::size_t needed) {
  if (needed == 0) return;
  if (tensors.workspace == nullptr || tensors.workspace_bytes < needed) {
    throw Refusal(
        TRISCOPE_ARGUMENT,
        fmt::format("The workspace has {} bytes, but this launch needs {}; ask triscope_workspace for the size.",
                    tensors.workspace == nullptr ? 0 : tensors.workspace_bytes, needed));
  }
  if (reinterpret_cast<std::uintptr_t>(tensors.workspace) % kWorkspaceAlignment != 0) {
    throw Refusal(TRISCOPE_ARGUMENT,
                  "The workspace is not aligned to 256 bytes; take it from aligned_alloc(256, ...).");
  }
}

}  // namespace

Pass read_pass(std::int32_t pass) {
  require_choice("pass", pass, 2);
  return pass == TRISCOPE_FORWARD ? Pass::forward : Pass::backward;
}

Problem read_problem(const triscope_problem* given) {
  const triscope_problem from = read_struct(given, "problem");
  require_choice("form", from.form, 2);
  require_choice("mask", from.mask, 2);
  require_choice("element", from.element, 2);
  require_choice("deterministic", from.deterministic, 2);
  require_choice("has_scale", from.has_scale, 2);
  require_choice("has_sink", from.has_sink, 2);
  refuse_what_no_kernel_computes(from);
  Problem problem;
  problem.form = from.form == TRISCOPE_TRILINEAR ? Form::trilinear : Form::determinant;
  problem.mask = from.mask == TRISCOPE_CAUSAL ? Mask::causal : Mask::full;
  problem.element = from.element == TRISCOPE_FP32 ? Element::fp32 : Element::bf16;
  problem.deterministic = from.deterministic != 0;
  problem.batch = from.batch;
  problem.seq_len = from.seq_len;
  problem.q_heads = from.q_heads;
  problem.kv_heads = from.kv_heads;
  problem.head_dim = from.head_dim;
  problem.window1 = from.window1;
  problem.window2 = from.window2;
  if (from.has_scale != 0) problem.scale = from.scale;
  problem.k2_bias = from.k2_bias;
  problem.v2_bias = from.v2_bias;
  if (from.has_sink != 0) problem.sink = 0.0;  // its values are a tensor
  const std::vector<std::string> reasons = validate(problem);
  if (!reasons.empty()) {
    throw Refusal(TRISCOPE_IMPOSSIBLE, fmt::format("This problem is impossible: {}.", fmt::join(reasons, "; ")));
  }
  return problem;
}

Arguments read_tensors(const triscope_tensors* given, const Prepared& prepared) {
  const triscope_tensors from = read_struct(given, "tensors", offsetof(triscope_tensors, lse_state));
  const Problem& problem = prepared.problem;
  const std::uintptr_t size = problem.element == Element::fp32 ? 4 : 2;
  const bool on_gpu = prepared.kernel->info().device == DeviceKind::cuda;
  const std::uintptr_t element = on_gpu ? kGpuAlignment : size;
  require_tensors({{"q", from.q}, {"k1", from.k1}, {"k2", from.k2}, {"v1", from.v1}, {"v2", from.v2}, {"o", from.o}},
                  element);
  require_tensors({{"lse", from.lse}}, sizeof(float));
  if (writes_lse_state(prepared)) require_tensors({{"lse_state", from.lse_state}}, sizeof(std::uint32_t));
  if (problem.sink) require_tensors({{"sink", from.sink}}, sizeof(float));
  if (prepared.pass == Pass::backward) {
    require_tensors({{"grad_o", from.grad_o},
                     {"grad_q", from.grad_q},
                     {"grad_k1", from.grad_k1},
                     {"grad_k2", from.grad_k2},
                     {"grad_v1", from.grad_v1},
                     {"grad_v2", from.grad_v2}},
                    element);
    if (problem.sink) require_tensors({{"grad_sink", from.grad_sink}}, sizeof(float));
  }
  require_workspace(from, prepared.workspace_bytes);
  require_apart(from, prepared);
  Arguments arguments;
  arguments.q = from.q;
  arguments.k1 = from.k1;
  arguments.k2 = from.k2;
  arguments.v1 = from.v1;
  arguments.v2 = from.v2;
  arguments.sink = from.sink;
  arguments.o = from.o;
  arguments.lse = from.lse;
  arguments.grad_o = from.grad_o;
  arguments.grad_q = from.grad_q;
  arguments.grad_k1 = from.grad_k1;
  arguments.grad_k2 = from.grad_k2;
  arguments.grad_v1 = from.grad_v1;
  arguments.grad_v2 = from.grad_v2;
  arguments.grad_sink = from.grad_sink;
  arguments.workspace = from.workspace;
  arguments.lse_fold = prepared.lse_fold;
  arguments.lse_in_bf16 = on_gpu ? from.lse_state : nullptr;
  return arguments;
}

}  // namespace triscope::c_interface
