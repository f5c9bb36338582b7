// Host side of a launch of the Hopper backward.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/backward/kernel/preparation.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"

namespace triscope::hopper::backward {

struct TensorMaps;

/// One instance each (backward_d128.cu and its neighbours). `blocks`: CTAs, at most p.items; fewer where the stream has
/// too few multiprocessors for all at once. Throw `Error` when refused.
void launch_d128(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                 cudaStream_t stream);
void launch_d128_cross(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                       cudaStream_t stream);
void launch_d64(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                cudaStream_t stream);
void launch_d64_cross(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                      cudaStream_t stream);
/// The same with sums that do not depend on their order.
void launch_deterministic_d128(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                               cudaStream_t stream);
void launch_deterministic_d128_cross(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to,
                                     int blocks, cudaStream_t stream);
void launch_deterministic_d64(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                              cudaStream_t stream);
void launch_deterministic_d64_cross(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to,
                                    int blocks, cudaStream_t stream);

/// `plan` with the pointers of its parameters set.
Plan bind(const Plan& plan, const Arguments& arguments);

/// The first step of a backward by virtual keys, for a bound plan; `arguments.workspace` has plan.bytes. The second is
/// launch_finish (finish.hpp). Sums to zero, ranges, q scaled (into grad_q), LSE and delta in tile order, keys and
/// values scaled, and the scales of integer sums; then the sums. `multiprocessors` of the current device.
void launch_main(const Plan& plan, const Arguments& arguments, int multiprocessors, std::uint32_t* unlike,
                 cudaStream_t stream);

}  // namespace triscope::hopper::backward
