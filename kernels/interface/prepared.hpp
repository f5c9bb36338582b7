// What a launch needs to know of its problem, and how it lies in a caller's triscope_plan.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "include/triscope/attention.h"
#include "kernels/attention/kernel.hpp"
#include "kernels/interface/refusal.hpp"

namespace triscope::c_interface {

/// A call that was understood and found possible. Plain bytes: it is copied into a triscope_plan and back.
struct Prepared {
  std::uint64_t mark = 0;  ///< of this process: what has another one is no plan of it
  const Kernel* kernel = nullptr;
  Problem problem;
  Pass pass = Pass::forward;
  Fold lse_fold = Fold::none;  ///< of the LSE that the backward is given
  std::uint64_t instance = 0;  ///< its place in the kernel's list
  std::uint64_t workspace_bytes = 0;
  std::int64_t gpu = -1;  ///< the one that was current, of a kernel for GPUs
};

/// Throws `Refusal` when `current` is not the GPU that `prepared` was made for.
inline void require_gpu_of(const Prepared& prepared, std::int64_t current) {
  if (prepared.gpu == current) return;
  throw Refusal(TRISCOPE_ARGUMENT, fmt::format("The plan was made for GPU {}, but GPU {} is current; make that one "
                                               "current, or call triscope_prepare.",
                                               prepared.gpu, current));
}

/// What `Prepared::mark` is in this process.
std::uint64_t mark_of_process();

/// Writes `prepared` into the caller's struct, whose size is checked. Throws `Refusal`, as the other does.
void write_plan(const Prepared& prepared, triscope_plan* plan);
Prepared read_plan(const triscope_plan* plan);

}  // namespace triscope::c_interface
