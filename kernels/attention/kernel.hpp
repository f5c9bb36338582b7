// The interface of a kernel. What a new kernel touches: docs/architecture.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/problem.hpp"

namespace triscope {

enum class DeviceKind { cpu, cuda };

/// Which key is folded into the virtual operand before the GEMMs, and how the product is rounded: a backward must use
/// an LSE made with the same fold (docs/method.md, "Rounding"). To bf16, unless it says otherwise.
enum class Fold {
  none,      ///< nothing is rounded: fp64/fp32 kernels, dot-product baselines
  query_k2,  ///< q * k2, raw K1
  query_k1,  ///< q * k1, raw K2
  key_pair,  ///< k1 * k2 (virtual keys)
  cross_k2,  ///< determinant: k2 x q in bf16, so that of its two products key_b q_a is rounded before the difference is
  cross_k1,  ///< the same with k1
  half_k2,   ///< q * k2 rounded to the 11 bits of fp16; determinant: k2 x q rounded in the two places of cross_k2
  half_k1,   ///< the same with k1
};

/// True of half_k2 and half_k1.
constexpr bool is_half(Fold fold) { return fold == Fold::half_k2 || fold == Fold::half_k1; }

/// Pointers of one launch, all in the memory of the kernel's device. BSHD, contiguous, element type `problem.element`
/// for q..v2, o, grad_o and the input gradients; fp32 for lse, sink, grad_sink. Unused ones are null.
struct Arguments {
  const void* q = nullptr;   ///< [batch, seq_len, q_heads, head_dim]
  const void* k1 = nullptr;  ///< [batch, seq_len, kv_heads, head_dim]
  const void* k2 = nullptr;
  const void* v1 = nullptr;
  const void* v2 = nullptr;
  const float* sink = nullptr;   ///< [q_heads], natural-log logit
  void* o = nullptr;             ///< [batch, seq_len, q_heads, head_dim]; input of the backward
  float* lse = nullptr;          ///< [batch, q_heads, seq_len], natural log, sink included; input of the backward
  const void* grad_o = nullptr;  ///< like o; from here on backward only
  void* grad_q = nullptr;
  void* grad_k1 = nullptr;
  void* grad_k2 = nullptr;
  void* grad_v1 = nullptr;
  void* grad_v2 = nullptr;
  float* grad_sink = nullptr;  ///< [q_heads]
  void* workspace = nullptr;   ///< at least `Kernel::workspace_bytes`, aligned to 256; contents arbitrary
  Fold lse_fold = Fold::none;  ///< fold of the given LSE (backward)
  /// One word in device memory, beside the LSE of a half fold: not 0 when the inputs were beyond the range of fp16, and
  /// the LSE has `bf16_fold` instead. A forward with such a fold writes it, a backward reads it; null: 0.
  std::uint32_t* lse_in_bf16 = nullptr;
  void* stream = nullptr;  ///< cudaStream_t, or null on the CPU
};

enum class KernelKind {
  simplicial,   ///< 2-simplicial attention, to be measured
  oracle,       ///< the same in fp64: what others are checked against, measured only when it is named
  dot_product,  ///< a baseline
  gemm,         ///< a baseline: a square matrix product, the machine's practical ceiling
};

/// How a kernel stands in tables and charts. Stored with its measurements, so that a database is shown as well by a
/// build without that kernel.
struct KernelCard {
  std::string label;        ///< "FlashAttention-3"
  std::string short_label;  ///< "FA3", for columns
  KernelKind kind = KernelKind::simplicial;
  std::optional<std::int64_t> colour;  ///< 0 or 1: which colours of charts are its own; unset: those that are left
  std::optional<std::int64_t> rank;    ///< of a baseline: others are related to the one of lowest rank; unset: to none
  bool operator==(const KernelCard&) const = default;
};

/// What each pass of a kernel is compiled from: changes when that does (docs/method.md, "Source hashes").
struct SourceHash {
  std::string forward;   ///< empty: there is no such pass
  std::string backward;  ///< the same
  const std::string& of(Pass pass) const { return pass == Pass::forward ? forward : backward; }
};

struct KernelInfo {
  std::string id;    ///< "cpu.fast"
  std::string name;  ///< "CPU fast (fp32, blocked)"
  KernelCard card;
  DeviceKind device = DeviceKind::cpu;
  Fold fold = Fold::none;
  SourceHash source_hash;              ///< set by the build, as "source_hash/<id>.hpp"
  std::vector<std::string> instances;  ///< tile configurations by name; at least one
  std::string library;  ///< file of the library that is loaded at run time for it; empty: none, or none was found
};

/// A kernel. Stateless and const; safe to use from one thread at a time per stream.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const KernelInfo& info() const = 0;
  /// Reason this kernel cannot run `problem`; nullopt when it can. `problem` has passed `validate`.
  virtual std::optional<std::string> unsupported(const Problem& problem, Pass pass) const = 0;
  /// The same for one named instance.
  virtual std::optional<std::string> unsupported(const Problem& problem, Pass pass, std::string_view instance) const {
    (void)instance;
    return unsupported(problem, pass);
  }
  /// The fold of `problem`: how the LSE is rounded that the forward writes and the backward needs.
  /// `info().fold` unless the kernel folds whichever window is shorter.
  virtual Fold fold(const Problem& problem) const {
    (void)problem;
    return info().fold;
  }
  /// The same for one named instance.
  virtual Fold fold(const Problem& problem, std::string_view instance) const {
    (void)instance;
    return fold(problem);
  }
  /// The instance `--instance auto` means for this problem.
  virtual std::string choose_instance(const Problem&, Pass) const { return info().instances.front(); }
  virtual std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view instance) const = 0;
  /// Runs (CPU) or enqueues (CUDA) one pass. Allocates nothing, never synchronises. Every output element is written.
  /// Throws `Error` when the launch is refused.
  virtual void launch(const Problem& problem, Pass pass, std::string_view instance,
                      const Arguments& arguments) const = 0;
};

/// What a forward of fold `half` falls back to where fp16 does not hold its operands (`Arguments::lse_in_bf16`). Other
/// folds are returned as they are.
Fold bf16_fold(Fold half, Form form);

std::string_view to_string(DeviceKind);
std::string_view to_string(Fold);
std::string_view to_string(KernelKind);
std::optional<KernelKind> parse_kernel_kind(std::string_view);

inline bool is_baseline(KernelKind kind) { return kind == KernelKind::dot_product || kind == KernelKind::gemm; }

}  // namespace triscope
