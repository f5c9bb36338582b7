// The launches of a backward, and how much workspace they want.
#include <algorithm>
#include <cstdint>

#include "kernels/base/error.hpp"
#include "kernels/cuda/hopper/backward/around/finish.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/queries.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper::backward {
namespace {

/// With an LSE of `fold`.
PortableInstead portable_backward(const Problem& problem, const Arguments& arguments, Fold fold) {
  const AxisRoles roles = portable::roles_of(problem);
  PortableInstead of;
  of.shape = portable::make_shape(problem);
  of.shape.half = is_half(fold);
  if (of.shape.half) of.shape.in_bf16 = arguments.lse_in_bf16;
  of.shape.cross_in_bf16 = !of.shape.half && fold != fold_of(roles);
  of.tensors = portable::make_tensors(roles, arguments);
  if (!problem.sink) of.tensors.sink = nullptr;
  of.plan = portable::plan_backward(of.shape);
  return of;
}

void run_portable(const Problem& problem, const Arguments& arguments, cudaStream_t stream) {
  const PortableInstead of = portable_backward(problem, arguments, arguments.lse_fold);
  portable::launch_row_statistics(of.shape, of.plan, of.tensors, arguments.workspace, stream);
  portable::launch_backward_rows(of.shape, of.plan, of.tensors, arguments.workspace, stream);
  portable::launch_backward_keys(of.shape, of.plan, of.tensors, arguments.workspace, stream);
  portable::launch_finish(of.shape, of.plan, of.tensors, arguments.workspace, stream);
}

Plan make_plan(const Problem& problem, std::string_view instance) {
  return instance == kVirtualQueries ? make_queries_plan(problem) : make_backward_plan(problem);
}

/// Where the word lies that says whether the portable backward is to run behind virtual keys or queries: beyond both
/// workspaces.
std::size_t word_offset(const Plan& plan, const Problem& problem) {
  const std::size_t bytes = std::max(plan.bytes, portable::plan_backward(portable::make_shape(problem)).bytes);
  return (bytes + 255) / 256 * 256;
}

/// In place of the last step of virtual keys and queries stands the portable backward, which rounds scores as the
/// forward did: inputs beyond the range of fp16 have an LSE that was made in bf16, and of very large logits the
/// rounding matters. Only the GPU knows.
void run_virtual(const Problem& problem, std::string_view instance, const Arguments& arguments, int multiprocessors,
                 cudaStream_t stream) {
  const Plan plan = bind(make_plan(problem, instance), arguments);
  const Fold fold = arguments.lse_fold;
  std::uint32_t* unlike = nullptr;
  if (is_half(fold) && !unsupported_instance(problem, kPortable, fold)) {
    unlike =
        reinterpret_cast<std::uint32_t*>(static_cast<unsigned char*>(arguments.workspace) + word_offset(plan, problem));
  }
  if (instance == kVirtualQueries) {
    launch_prepare(plan, preparation(plan, arguments, unlike), multiprocessors, stream);
    launch_queries(plan, arguments, stream);
  } else {
    launch_main(plan, arguments, multiprocessors, unlike, stream);
  }
  PortableInstead instead;
  if (unlike != nullptr) instead = portable_backward(problem, arguments, fold);
  instead.shape.only_if = unlike;
  launch_finish(plan, arguments, instead, multiprocessors, stream);
}

}  // namespace

std::size_t workspace_bytes(const Problem& problem, std::string_view instance) {
  if (instance != kPortable) {
    return word_offset(make_plan(problem, instance), problem) + sizeof(std::uint32_t);
  }
  return portable::plan_backward(portable::make_shape(problem)).bytes;
}

void run(const Problem& problem, std::string_view instance, const Arguments& arguments, int multiprocessors) {
  const auto stream = static_cast<cudaStream_t>(arguments.stream);
  if (instance != kPortable) {
    run_virtual(problem, instance, arguments, multiprocessors, stream);
  } else {
    run_portable(problem, arguments, stream);
  }
}

}  // namespace triscope::hopper::backward
