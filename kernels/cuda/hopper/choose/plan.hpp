// How a problem is cut into work items, and which instance runs it. Host code without CUDA calls: testable anywhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/forward/config.hpp"
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
  int row_groups = 0;  ///< kRowsInstance: groups of lanes that share a row (row.cuh)
  std::size_t reordered_bytes =
      0;  ///< of the workspace, for tile keys in the order of cross products; 0: the problem's own keys
  bool folds_axis1 = false;  ///< short axis = axis 1: q * k1 is rounded, K2 and V2 are the tiles
  double cost = 0;           ///< estimated time, us
};

/// Reason the forward cannot run `problem` with any instance; nullopt when it can.
std::optional<std::string> unsupported_problem(const Problem& problem);

/// True when axis 1 is the short axis. Biases belong to axis 2 and are applied where the virtual query is made, so with
/// a bias axis 2 is folded whatever its window.
bool folds_axis1(const Problem& problem);

/// How the virtual queries of `problem` are made.
Product product_of(const Problem& problem);

/// The plan of `problem` on one instance; nullopt when that instance cannot run it. `problem` is supported.
std::optional<Plan> make_plan(const Problem& problem, int instance);

/// The cheapest plan; in doubt the portable kernel's. `problem` is supported.
Plan best_plan(const Problem& problem);

const char* instance_name(int instance);

/// Index of the instance called `name`, or -1.
int find_instance(std::string_view name);

}  // namespace triscope::hopper
