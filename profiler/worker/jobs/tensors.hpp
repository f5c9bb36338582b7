// The tensors of one problem on the backend's device, and copies on the host of what a check reads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/philox.hpp"
#include "kernels/reference/check.hpp"
#include "kernels/tensors/attention_tensors.hpp"
#include "profiler/protocol/jobs.hpp"
#include "profiler/worker/device/backend.hpp"

namespace triscope {

/// Where inputs come from.
struct InputSource {
  std::uint64_t seed = 1;
  InputKind kind = InputKind::normal;
  std::string tensors;      ///< file as of `open_tensors`; empty: generated. What the file lacks (do) is generated
  TensorMapping mapping{};  ///< of the file
  bool operator==(const InputSource&) const = default;
};

/// Leaves new elements unwritten: a tensor may have gigabytes, and whoever fills it in parallel should touch it first.
template <typename T>
struct UnwrittenAllocator : std::allocator<T> {
  template <typename Other>
  struct rebind {                             // NOLINT(readability-identifier-naming): the library's name
    using other = UnwrittenAllocator<Other>;  // NOLINT(readability-identifier-naming)
  };
  template <typename Other>
  void construct(Other* place) noexcept {
    ::new (static_cast<void*>(place)) Other;
  }
  template <typename Other, typename... Values>
  void construct(Other* place, Values&&... values) {
    ::new (static_cast<void*>(place)) Other(std::forward<Values>(values)...);
  }
};
using HostFloats = std::vector<float, UnwrittenAllocator<float>>;

/// One tensor on the device.
class HeldTensor {
 public:
  HeldTensor() = default;
  HeldTensor(Backend& backend, const HostFloats& values, Element element);
  /// Generated, on the device where that can.
  HeldTensor(Backend& backend, InputStream stream, std::uint64_t seed, Element element, std::size_t count);
  template <typename T = void>
  T* device() const {
    return device_.data<T>();
  }
  const BackendMemory& memory() const { return device_; }

 private:
  BackendMemory device_;
};

/// q, k1, k2, v1, v2, sink and grad_o of a problem (k2 and v2 unless it is dot-product attention). Shared by all
/// kernels of a group: they have one shape.
class InputSet {
 public:
  /// Throws `Error`: (usage) a given tensor is missing, has another shape, or holds NaN or Inf; no memory.
  InputSet(Backend& backend, const Problem& problem, bool with_grad_o, const InputSource& source);

  /// True when these are also the inputs of that.
  bool serves(const Problem& problem, bool with_grad_o, const InputSource& source) const;
  void fill(Arguments& arguments) const;

  /// A copy on the host, widened to fp32. Of q and grad_o only the rows at `positions`; the others are unwritten.
  struct Host {
    HostFloats q, k1, k2, v1, v2, sink, grad_o;
    HostInputs pointers() const;
  };
  Host download(const std::vector<PositionRange>& positions) const;
  std::size_t device_bytes() const;
  /// The first tensor that is not as it was made, as a launch that writes into its inputs leaves it; null: none.
  const char* changed() const;

 private:
  void make();
  std::array<std::uint64_t, 7> fingerprints() const;

  Backend* backend_;
  Problem problem_;
  bool with_grad_o_;
  InputSource source_;
  HeldTensor q_, k1_, k2_, v1_, v2_, sink_, grad_o_;
  std::array<std::uint64_t, 7> made_{};  // their fingerprints then
};

/// The outputs of one kernel, poisoned when made.
class OutputSet {
 public:
  OutputSet(Backend& backend, const Problem& problem, Pass pass, std::size_t workspace_bytes);

  void fill(Arguments& arguments) const;
  void poison_forward();
  void poison_backward();
  /// "it wrote behind the end of o": where something was written beside a tensor since it was poisoned; nullopt:
  /// nowhere.
  std::optional<std::string> overrun() const;
  /// "o has nan at [0, 5, 1, 7]", "lse was not written at [0, 1, 5]"; nullopt: every element of o, the LSE and the
  /// gradients is finite.
  std::optional<std::string> not_finite() const;
  /// Stands for all bytes of the outputs.
  std::uint64_t fingerprint() const;
  /// Of o, the LSE and its state: what a backward reads and must leave as it is.
  std::array<std::uint64_t, 3> forward_fingerprints() const;

  /// A copy on the host, widened to fp32.
  struct Host {
    HostFloats o, lse, grad_q, grad_k1, grad_k2, grad_v1, grad_v2, grad_sink;
    HostOutputs pointers() const;
  };
  Host download() const;
  /// Of o and grad_q only the rows at `positions`; the others are unwritten.
  Host download(const std::vector<PositionRange>& positions) const;
  /// The word of `Arguments::lse_in_bf16`, for a forward that writes it.
  bool lse_in_bf16() const;

 private:
  struct Tensor {
    const char* name;
    const BackendMemory* memory;
    Element element;
  };
  /// "[0, 5, 1, 7]": which element of a tensor the number `index` is, as batch, position, head and dimension.
  std::string place_of(std::string_view tensor, std::size_t index) const;
  /// Those of the pass that there are.
  std::vector<Tensor> tensors() const;

  Backend* backend_;
  Problem problem_;
  Element element_;
  std::int64_t positions_;
  BackendMemory o_, lse_, lse_in_bf16_, grad_q_, grad_k1_, grad_k2_, grad_v1_, grad_v2_, grad_sink_, workspace_;
};

/// Elements of q (and o), of k1 (and every key and value), and of the LSE. A product (form gemm) has q, k1 and o only.
struct TensorCounts {
  std::size_t query = 0, key = 0, lse = 0;
};
TensorCounts tensor_counts(const Problem& problem);

}  // namespace triscope
