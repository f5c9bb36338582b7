// How a problem is cut into work items, and which instance runs it (cost.hpp). Host code without CUDA calls.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/attention/axis_roles.hpp"
#include "kernels/cuda/hopper/choose/chip.hpp"
#include "kernels/cuda/hopper/forward/instances.hpp"
#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

/// After kRowsInstance: the forward of kernels/cuda/portable, for narrow windows.
inline constexpr int kPortableInstance = kRowsInstance + 1;
inline constexpr const char* kPortableName = "portable";
inline constexpr int kAllInstances = kPortableInstance + 1;

struct Plan {
  int instance = 0;  ///< index into kInstances, kRowsInstance or kPortableInstance
  ForwardParameters
      parameters;  ///< sizes and scales; the pointers are null. kPortableInstance has its own (portable::Shape)
  int shared_bytes = 0;
  int row_groups = 0;               ///< kRowsInstance: groups of lanes that share a row (row.cuh)
  std::size_t workspace_bytes = 0;  ///< for tile keys in the order of cross products; half instances: HalfWorkspace
  AxisRoles roles;
  double cost = 0;  ///< estimated time, us
};

/// Reason the forward cannot run `problem` with any instance; nullopt when it can.
std::optional<std::string> unsupported_problem(const Problem& problem);

/// How the virtual queries of `problem` are made in bf16.
Product product_of(const Problem& problem);

/// Fold of the LSE that an instance gives. Half instances and `rows` round to the bits of fp16 where there is no bias.
Fold fold_of_instance(const Problem& problem, int instance);

/// The same instance with operands in bf16 or in fp16; -1 when there is none.
int bf16_twin(int instance);
int half_twin(int instance);

/// The plan of `problem` on one instance, without cost and row_groups; nullopt when that instance cannot run it.
/// `problem` is supported. Cheap: a launch makes it several times.
std::optional<Plan> cut_plan(const Problem& problem, int instance);
/// The same with cost and row_groups.
std::optional<Plan> make_plan(const Problem& problem, int instance, const Chip& chip);

/// The plan that is estimated to be the fastest on `chip`; in doubt the portable kernel's. Estimates are those of bf16
/// instances; what has a half twin runs as that, and half_us longer. `problem` is supported.
Plan best_plan(const Problem& problem, const Chip& chip);

const char* instance_name(int instance);

/// Index of the instance called `name`, or -1.
int find_instance(std::string_view name);

}  // namespace triscope::hopper
