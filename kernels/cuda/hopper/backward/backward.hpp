// The backward of cuda.hopper as the kernel's class asks for it (hopper.cpp). It has three instances:
//
//   virtual_keys     WGMMA and TMA, kernel.cuh; scores from fp16 operands
//   virtual_queries  WGMMA, for groups of few heads, virtual_queries.cuh; the same scores
//   portable         the backward of cuda.portable; scores rounded as the forward rounded them; a fixed order
//
// An operation is everything between the forward's o and lse and the gradients: zeros, delta, copies, the main kernel
// and conversions are launched here and timed with it.
//
// No source beside this header has its name (they are choice.cpp and run.cpp), so that the hash of the forward, whose
// class includes it, does not change with the backward (cmake/source_hash.py).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/choose/chip.hpp"

namespace triscope::hopper::backward {

inline constexpr const char* kVirtualKeys = "virtual_keys";
inline constexpr const char* kVirtualQueries = "virtual_queries";
inline constexpr const char* kPortable = "portable";

/// Whether `instance` takes an LSE that was made with `fold` (docs/backward.md).
///   virtual_keys, virtual_queries   exact ones and those of the half folds
///   portable                        those of the bf16 folds, whose rounding it repeats, and of the half folds without
///   a bias on k2
bool takes_lse(const Problem& problem, std::string_view instance, Fold fold);

/// Reason `instance` cannot run `problem` with an LSE made with `fold`; nullopt when it can. `problem` is one that the
/// forward of cuda.hopper supports.
std::optional<std::string> unsupported_instance(const Problem& problem, std::string_view instance, Fold fold);

/// Of the instances that take such an LSE and can run `problem` the one that is faster on most such problems by the
/// estimates for `chip`; null when there is none.
const char* choose_instance(const Problem& problem, const Chip& chip, Fold fold);

/// Bytes of `Arguments::workspace`, for an instance that can run `problem`.
std::size_t workspace_bytes(const Problem& problem, std::string_view instance);

/// Enqueues the operation; pointers have been checked. Throws `Error` when a launch is refused.
void run(const Problem& problem, std::string_view instance, const Arguments& arguments, int multiprocessors);

}  // namespace triscope::hopper::backward
