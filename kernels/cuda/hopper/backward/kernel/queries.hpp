// The backward by virtual queries (virtual_queries.cuh): what a launch tells its kernel, and the launches:
// launch_prepare | launch_queries | launch_finish, which is that of virtual keys, with a plan of make_queries_plan.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/backward/kernel/preparation.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"

namespace triscope::hopper::backward {

struct QueryParameters {
  BackwardParameters shape;
  const __half* query = nullptr;          ///< q as prepare.cuh scales it, layout of q
  const __nv_bfloat16* grad_o = nullptr;  ///< layout of q
  float* grad_query = nullptr;            ///< 2^(e+a+b) dq / scale, layout of q; zero before the launch
  int q_heads = 1;
};

/// For a bound plan of make_queries_plan.
QueryParameters query_parameters(const Plan& plan, const Arguments& arguments);

/// What virtual keys do at the beginning of their kernel. `multiprocessors` of the current device. Throws `Error` when
/// refused, as all of them.
void launch_prepare(const Plan& plan, const Preparation& to, int multiprocessors, cudaStream_t stream);
/// The main kernel.
void launch_queries(const Plan& plan, const Arguments& arguments, cudaStream_t stream);

}  // namespace triscope::hopper::backward
