// The backward by virtual queries (virtual_queries.cuh): what a launch tells its kernel, and the launch. It stands
// between launch_prepare and launch_finish, which are those of virtual keys, with a plan of make_queries_plan.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"

namespace triscope::hopper::backward {

struct QueryParameters {
  BackwardParameters shape;
  const __half* query = nullptr;          ///< q as prepare.cu scales it, layout of q
  const __nv_bfloat16* grad_o = nullptr;  ///< layout of q
  float* grad_query = nullptr;            ///< 2^(e+a+b) dq / scale, layout of q; zero before the launch
  int q_heads = 1;
};

/// For a bound plan of make_queries_plan.
QueryParameters query_parameters(const Plan& plan, const Arguments& arguments);

/// The main kernel; throws `Error` when refused.
void launch_queries(const Plan& plan, const Arguments& arguments, cudaStream_t stream);

}  // namespace triscope::hopper::backward
