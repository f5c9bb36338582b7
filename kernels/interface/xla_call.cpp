// triscope_xla_call, triscope_xla_call_cuda: a pass of attention as XLA calls it on the CPU and on a GPU, for JAX
// (python/triscope/_jax.py registers them).
//
//   forward    q k1 k2 v1 v2 [sink]                        -> o lse lse_state
//   backward   grad_o o lse lse_state q k1 k2 v1 v2 [sink] -> gradients of q k1 k2 v1 v2 [sink]
//
// Attributes: "kernel", an id; "pass"; "problem", the numbers of a triscope_problem as they lie in memory. Its element
// type must be that of the place: the kernel was chosen before XLA knew where it would run. Dimensions before the four
// of q are those of vmap: each such problem is a launch of its own, since a forward and its backward that were mapped
// differently must round alike.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "include/triscope/attention.h"
#include "kernels/interface/call.hpp"
#include "kernels/interface/refusal.hpp"
#include "kernels/interface/xla_abi.hpp"
#ifdef TRISCOPE_HAVE_CUDA
#include "kernels/cuda/common/cuda_error.hpp"
#endif

namespace triscope::c_interface {
namespace {

Refusal unlike(const char* what) {
  return {TRISCOPE_ARGUMENT,
          std::string("XLA gave ") + what + ": use the package triscope, which calls this function."};
}

/// An attribute called `name`.
const void* attribute(const xla::Attributes& attributes, std::string_view name, xla::AttributeKind kind) {
  for (std::int64_t n = 0; n < attributes.count; ++n) {
    const xla::Text& called = *attributes.names[n];
    if (std::string_view(called.data, called.size) == name && attributes.kinds[n] == kind) return attributes.values[n];
  }
  throw unlike("no such attribute");
}

/// An array of 64-bit numbers, read as `Value`.
template <typename Value>
Value numbers(const xla::Attributes& attributes, std::string_view name) {
  const auto& array = *static_cast<const xla::Array*>(attribute(attributes, name, xla::AttributeKind::array));
  if (array.type != xla::DataType::s64 || array.size * 8 != sizeof(Value)) throw unlike("numbers of another type");
  Value value;
  std::memcpy(&value, array.data, sizeof value);
  return value;
}

/// The buffers of one side, in order, at one of the problems of a vmap.
class Places {
 public:
  Places(const xla::Buffers& buffers, std::int64_t problems) : buffers_(buffers), problems_(problems) {}

  void* next(std::int64_t problem) {
    if (at_ >= buffers_.count || buffers_.kinds[at_] != xla::kBuffer) throw unlike("too few tensors");
    const xla::Buffer& buffer = *static_cast<const xla::Buffer*>(buffers_.buffers[at_++]);
    std::int64_t bytes = buffer.type == xla::DataType::bf16 ? 2 : 4;
    for (std::int64_t n = 0; n < buffer.rank; ++n) bytes *= buffer.dimensions[n];
    return static_cast<unsigned char*>(buffer.data) + bytes / problems_ * problem;
  }

 private:
  const xla::Buffers& buffers_;
  std::int64_t problems_;
  std::int64_t at_ = 0;
};

triscope_tensors tensors_of(const xla::CallFrame& frame, std::int64_t problems, std::int64_t problem, bool forward,
                            bool has_sink) {
  Places in(frame.arguments, problems), out(frame.results, problems);
  triscope_tensors t{};
  t.size = sizeof t;
  if (!forward) {
    t.grad_o = in.next(problem), t.o = in.next(problem), t.lse = static_cast<float*>(in.next(problem));
    t.lse_state = static_cast<std::uint32_t*>(in.next(problem));
  }
  t.q = in.next(problem), t.k1 = in.next(problem), t.k2 = in.next(problem);
  t.v1 = in.next(problem), t.v2 = in.next(problem);
  if (has_sink) t.sink = static_cast<float*>(in.next(problem));
  if (forward) {
    t.o = out.next(problem), t.lse = static_cast<float*>(out.next(problem));
    t.lse_state = static_cast<std::uint32_t*>(out.next(problem));
    return t;
  }
  t.grad_q = out.next(problem), t.grad_k1 = out.next(problem), t.grad_k2 = out.next(problem);
  t.grad_v1 = out.next(problem), t.grad_v2 = out.next(problem);
  if (has_sink) t.grad_sink = static_cast<float*>(out.next(problem));
  return t;
}

/// Problems of a vmap: the product of the dimensions before the last four of q.
std::int64_t problem_count(const xla::Buffers& arguments, int place_of_q) {
  if (place_of_q >= arguments.count) throw unlike("too few tensors");
  const xla::Buffer& q = *static_cast<const xla::Buffer*>(arguments.buffers[place_of_q]);
  std::int64_t count = 1;
  for (std::int64_t n = 0; n + 4 < q.rank; ++n) count *= q.dimensions[n];
  return count;
}

/// Throws with XLA's own function `what` when it returned an error.
void require(const xla::Api& api, xla::Error* error, const char* what) {
  if (error == nullptr) return;
  xla::OldError old{sizeof old, nullptr, error};
  api.destroy_error(&old);
  throw Refusal(TRISCOPE_FAILED,
                std::string("XLA could not ") + what + "; free some memory, or use a smaller problem.");
}

constexpr std::size_t kAlignment = 256;  ///< of a workspace

/// Memory for a workspace, given back at the end: XLA's on a GPU, where what comes later on the stream may use it
/// again; on the CPU XLA has none to give.
class Workspace {
 public:
  Workspace(const xla::CallFrame& frame, std::size_t bytes, bool on_cpu) : frame_(frame), bytes_(bytes) {
    if (bytes == 0) return;
    if (on_cpu) {
      on_cpu_ = std::make_unique_for_overwrite<unsigned char[]>(bytes + kAlignment);
      data_ = on_cpu_.get();
      return;
    }
    xla::NewMemory asked{sizeof asked, nullptr, frame.context, bytes + kAlignment, 16, nullptr};
    require(*frame.api, frame.api->allocate(&asked), "allocate the workspace");
    data_ = asked.data;
  }
  ~Workspace() {
    if (data_ == nullptr || on_cpu_ != nullptr) return;
    xla::OldMemory old{sizeof old, nullptr, frame_.context, bytes_ + kAlignment, data_};
    if (xla::Error* error = frame_.api->release(&old)) {
      xla::OldError unused{sizeof unused, nullptr, error};
      frame_.api->destroy_error(&unused);
    }
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  void put_into(triscope_tensors& tensors) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data_);
    tensors.workspace = reinterpret_cast<void*>((address + kAlignment - 1) / kAlignment * kAlignment);
    tensors.workspace_bytes = bytes_;
  }

 private:
  const xla::CallFrame& frame_;
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> on_cpu_;
  void* data_ = nullptr;
};

/// The stream to launch on; null on the CPU.
void* stream_of(const xla::CallFrame& frame, bool on_cpu) {
  if (on_cpu) return nullptr;
  xla::StreamQuestion asked{sizeof asked, nullptr, frame.context, nullptr};
  require(*frame.api, frame.api->find_stream(&asked), "name its stream");
  return asked.stream;
}

/// Before the plan is made, since that asks for the current GPU. An XLA that is too old to say which it is has made it
/// current.
void make_current([[maybe_unused]] const xla::CallFrame& frame) {
#ifdef TRISCOPE_HAVE_CUDA
  if (frame.api->struct_size < sizeof(xla::Api)) return;
  xla::DeviceQuestion asked{sizeof asked, nullptr, frame.context, 0};
  require(*frame.api, frame.api->find_device(&asked), "name its GPU");
  TRISCOPE_CUDA_CHECK(cudaSetDevice(asked.device));
#endif
}

/// Not every kernel writes its word.
void clear([[maybe_unused]] std::uint32_t* word, [[maybe_unused]] void* stream, bool on_cpu) {
  if (on_cpu) {
    *word = 0;
    return;
  }
#ifdef TRISCOPE_HAVE_CUDA
  TRISCOPE_CUDA_CHECK(cudaMemsetAsync(word, 0, sizeof *word, static_cast<cudaStream_t>(stream)));
#endif
}

/// Before anything touches a tensor: XLA's memory on a GPU must not be read here, nor that of the CPU there.
void require_place(const triscope_problem& problem, bool on_cpu) {
  if (problem.element == (on_cpu ? TRISCOPE_FP32 : TRISCOPE_BF16)) return;
  throw Refusal(TRISCOPE_ARGUMENT, on_cpu ? "XLA runs this on the CPU, whose kernels compute in float32, and q is "
                                            "bfloat16: cast the arrays, or run it on a GPU."
                                          : "XLA runs this on a GPU, whose kernels compute in bfloat16, and q is "
                                            "float32: cast the arrays, or run it on the CPU.");
}

/// A process that was forked from one that launched has none of its OpenMP threads, and would wait for them.
void refuse_a_fork() {
  static std::atomic<pid_t> launched{0};  // by the first process that did
  pid_t first = 0;
  if (launched.compare_exchange_strong(first, getpid()) || first == getpid()) return;
  const char* threads = std::getenv("OMP_NUM_THREADS");
  if (threads != nullptr && std::string_view(threads) == "1") return;
  throw Refusal(TRISCOPE_FAILED,
                "this process was forked after attention had run, and OpenMP would wait for ever for threads that a "
                "fork does not copy: start processes by \"spawn\", or set OMP_NUM_THREADS=1 first.");
}

void execute(const xla::CallFrame& frame, bool on_cpu) {
  const auto problem = numbers<triscope_problem>(frame.attributes, "problem");
  const auto pass = static_cast<std::int32_t>(numbers<std::int64_t>(frame.attributes, "pass"));
  const auto& id = *static_cast<const xla::Text*>(attribute(frame.attributes, "kernel", xla::AttributeKind::text));
  require_place(problem, on_cpu);
  if (on_cpu) {
    refuse_a_fork();
  } else {
    make_current(frame);
  }
  const Prepared prepared = prepare(std::string(id.data, id.size).c_str(), &problem, pass);
  const bool forward = prepared.pass == Pass::forward;
  const std::int64_t problems = problem_count(frame.arguments, forward ? 0 : 4);
  if ((prepared.kernel->info().device == DeviceKind::cpu) != on_cpu) throw unlike("a kernel of another device");
  void* const stream = stream_of(frame, on_cpu);
  const Workspace workspace(frame, prepared.workspace_bytes, on_cpu);
  for (std::int64_t n = 0; n < problems; ++n) {
    triscope_tensors tensors = tensors_of(frame, problems, n, forward, prepared.problem.sink.has_value());
    workspace.put_into(tensors);
    if (forward) clear(tensors.lse_state, stream, on_cpu);
    run(prepared, &tensors, stream);
  }
}

xla::Error* error_of(const xla::Api& api, const char* sentence, xla::ErrorCode code) {
  xla::NewError error{sizeof error, nullptr, sentence, code};
  return api.create_error(&error);
}

/// Answers what this function was made for; false when nobody asks.
bool say_version(const xla::CallFrame& frame) {
  for (xla::Extension* one = frame.extensions; one != nullptr; one = one->next) {
    if (one->type != xla::kMetadataExtension) continue;
    xla::Metadata& metadata = *reinterpret_cast<xla::MetadataExtension*>(one)->metadata;
    metadata.version.major_version = xla::kMajorVersion;
    metadata.version.minor_version = xla::kMinorVersion;
    metadata.traits = 0;
    return true;
  }
  return false;
}

xla::Error* call(xla::CallFrame& frame, bool on_cpu) {
  if (say_version(frame) || frame.stage != xla::Stage::execute) return nullptr;
  try {
    execute(frame, on_cpu);
    return nullptr;
  } catch (const Refusal& refusal) {
    const bool failed = refusal.status() == TRISCOPE_FAILED;
    return error_of(*frame.api, refusal.what(), failed ? xla::ErrorCode::internal : xla::ErrorCode::invalid_argument);
  } catch (const std::exception& error) {
    return error_of(*frame.api, error.what(), xla::ErrorCode::internal);
  } catch (...) {  // into XLA, which is C
    return error_of(*frame.api, "attention failed for a reason that it did not say.", xla::ErrorCode::internal);
  }
}

}  // namespace
}  // namespace triscope::c_interface

/// Null, or the error that XLA shows.
extern "C" triscope::xla::Error* triscope_xla_call(triscope::xla::CallFrame* frame) {
  return triscope::c_interface::call(*frame, true);
}

extern "C" triscope::xla::Error* triscope_xla_call_cuda(triscope::xla::CallFrame* frame) {
  return triscope::c_interface::call(*frame, false);
}
