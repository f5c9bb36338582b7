// cuda.hopper as the rest of the program sees it.
#include "kernels/cuda/hopper/hopper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/common/pointers.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/choose/plan.hpp"
#include "kernels/cuda/hopper/forward/half_operands.hpp"
#include "kernels/cuda/hopper/forward/instances/launch_instance.hpp"
#include "kernels/cuda/portable/common/shape.hpp"
#include "source_hash/cuda.hopper.hpp"

namespace triscope {
namespace {

using namespace hopper;

/// The GPU of the calling thread, for estimates: without one, the chip that they were fitted on.
Chip current_chip() {
  int device = 0, multiprocessors = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
    return kH200;
  }
  return {.multiprocessors = multiprocessors};
}

/// Throws `Error` unless the current device is of compute capability 9.0.
void require_hopper() {
  int device = 0, major = 0;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&device));
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major != 9) {
    throw Error("cannot run cuda.hopper",
                fmt::format("this GPU's compute capability is {}.x, and the kernel needs 9.0", major),
                "use cuda.portable");
  }
}

void set_pointers(ForwardParameters& p, const Arguments& arguments, const AxisRoles& roles) {
  const auto tensor = [](const void* pointer) { return static_cast<const __nv_bfloat16*>(pointer); };
  const auto keys = roles.by_role(arguments.k1, arguments.k2), values = roles.by_role(arguments.v1, arguments.v2);
  p.q = tensor(arguments.q);
  p.short_key = tensor(keys.short_axis);
  p.short_value = tensor(values.short_axis);
  p.long_key = tensor(keys.long_axis);
  p.long_value = tensor(values.long_axis);
  p.tile_key = p.long_key;
  p.ring_key = p.short_key;
  p.o = static_cast<__nv_bfloat16*>(arguments.o);
  p.lse = arguments.lse;
}

/// Instance kPortableInstance: the forward of kernels/cuda/portable, rounding cross products as all instances do.
void launch_portable(const Problem& problem, const AxisRoles& roles, const Arguments& arguments, const float* sink,
                     cudaStream_t stream) {
  portable::Shape shape = portable::make_shape(problem);
  shape.cross_in_bf16 = product_of(problem) == Product::cross;
  portable::Tensors tensors = portable::make_tensors(roles, arguments);
  tensors.sink = sink;
  portable::launch_forward(shape, tensors, stream);
}

void launch_one(int instance, const Plan& plan, const ForwardParameters& p, int multiprocessors, cudaStream_t stream) {
  const TensorMaps maps = make_tensor_maps(p, tile_rows(kInstances[instance].config));
  launch_instance(instance, maps, p, std::min(multiprocessors, p.items), plan.shared_bytes, stream);
}

/// A half instance, and in front of it its bf16 twin, which makes the operands, and the rows only if these do not fit.
/// Both have as many CTAs as the twin finds room for at once.
void launch_half(const Plan& plan, const Arguments& arguments, int multiprocessors, cudaStream_t stream) {
  ForwardParameters p = plan.parameters;
  const int rows = tile_rows(kInstances[plan.instance].config);
  int blocks = std::min(multiprocessors, p.items);
  auto* word = static_cast<std::uint32_t*>(arguments.workspace);
  p.in_bf16 = arguments.lse_in_bf16 != nullptr ? arguments.lse_in_bf16 : word;
  p.half = half_operands(p, arguments.workspace, blocks);
  if (p.determinant) p.tile_key = static_cast<const __nv_bfloat16*>(p.half.reordered);
  TensorMaps maps = make_tensor_maps(p, rows);
  blocks = launch_instance(bf16_twin(plan.instance), maps, p, blocks, plan.shared_bytes, stream);
  p.tile_key = static_cast<const __nv_bfloat16*>(p.half.tile_key);
  p.ring_key = static_cast<const __nv_bfloat16*>(p.half.ring_key);
  p.query_scale = reinterpret_cast<const __nv_bfloat16*>(p.half.query_scale);
  p.scale_log2 = std::ldexp(p.scale_log2, -p.half.query_exponent);
  p.half = {};
  maps.key = make_key_map(p, rows);
  launch_instance(plan.instance, maps, p, blocks, plan.shared_bytes, stream);
}

/// Any other instance: `plan` with its pointers.
void launch_tiles(Plan& plan, const Arguments& arguments, int multiprocessors, cudaStream_t stream) {
  ForwardParameters& p = plan.parameters;
  if (is_half(kInstances[plan.instance].config.product)) {
    launch_half(plan, arguments, multiprocessors, stream);
    return;
  }
  if (plan.workspace_bytes > 0) {
    auto* reordered = static_cast<__nv_bfloat16*>(arguments.workspace);
    launch_reorder(p.long_key, reordered, plan.workspace_bytes, p.head_dim, stream);
    p.tile_key = reordered;
  }
  launch_one(plan.instance, plan, p, multiprocessors, stream);
}

class CudaHopper final : public Kernel {
 public:
  CudaHopper() {
    info_.id = "cuda.hopper";
    info_.name = "Hopper (WGMMA, TMA)";
    info_.card = {.label = "Hopper", .short_label = "Hopper", .colour = 0};
    info_.device = DeviceKind::cuda;
    info_.fold = Fold::query_k2;
    info_.source_hash = source_hash::kCudaHopper;
    for (int instance = 0; instance < kAllInstances; ++instance) info_.instances.emplace_back(instance_name(instance));
    info_.instances.emplace_back(backward::kVirtualKeys);
    info_.instances.emplace_back(backward::kVirtualQueries);
  }
  const KernelInfo& info() const override { return info_; }

  /// Of the instance that is chosen.
  Fold fold(const Problem& problem) const override {
    return fold_of_instance(problem, best_plan(problem, current_chip()).instance);
  }
  Fold fold(const Problem& problem, std::string_view instance) const override {
    const int index = find_instance(instance);
    return index < 0 ? fold(problem)
                     : fold_of_instance(problem, index);  // those of the backward have none of their own
  }

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (auto reason = unsupported_problem(problem)) return reason;
    if (pass == Pass::forward || backward::choose_instance(problem, current_chip(), fold(problem)) != nullptr)
      return std::nullopt;
    return backward::unsupported_instance(problem, backward::kVirtualKeys, fold(problem));
  }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass, std::string_view instance) const override {
    if (auto reason = unsupported(problem, pass)) return reason;
    if (pass == Pass::backward) return backward::unsupported_instance(problem, instance, fold(problem));
    const int index = find_instance(instance);
    if (index < 0) return fmt::format("cuda.hopper has no instance {}", instance);
    if (!cut_plan(problem, index)) {
      return fmt::format("instance {} does not fit head_dim {} with {} query heads per kv head", instance,
                         problem.head_dim, problem.group());
    }
    return std::nullopt;
  }
  std::string choose_instance(const Problem& problem, Pass pass) const override {
    if (pass == Pass::forward) return instance_name(best_plan(problem, current_chip()).instance);
    const char* instance = backward::choose_instance(problem, current_chip(), fold(problem));
    return instance != nullptr ? instance : backward::kVirtualKeys;
  }

  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view instance) const override {
    if (pass == Pass::backward) return backward::workspace_bytes(problem, instance);
    const auto plan = cut_plan(problem, find_instance(instance));
    return plan ? plan->workspace_bytes : 0;
  }

  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    // A backward is judged with the fold of the LSE that it is given, which need not be that of the own forward.
    const auto reason = pass == Pass::forward ? unsupported(problem, pass, instance)
                                              : unsupported_backward(problem, instance, arguments.lse_fold);
    if (reason) throw Error("cannot launch cuda.hopper", *reason, "choose another kernel or instance", ExitCode::usage);
    require_pointers(info_.id, problem, pass, arguments, workspace_bytes(problem, pass, instance));
    require_hopper();
    if (pass == Pass::forward) {
      launch_forward(problem, instance, arguments);
    } else {
      backward::run(problem, instance, arguments, current_chip().multiprocessors);
    }
  }

 private:
  static std::optional<std::string> unsupported_backward(const Problem& problem, std::string_view instance, Fold fold) {
    if (auto reason = unsupported_problem(problem)) return reason;
    return backward::unsupported_instance(problem, instance, fold);
  }

  static void launch_forward(const Problem& problem, std::string_view instance, const Arguments& arguments) {
    const Chip chip = current_chip();
    const int index = find_instance(instance);
    Plan plan = index == kRowsInstance ? *make_plan(problem, index, chip) : *cut_plan(problem, index);
    const float* sink = problem.sink ? arguments.sink : nullptr;
    const auto stream = static_cast<cudaStream_t>(arguments.stream);
    if (plan.instance == kPortableInstance) {
      launch_portable(problem, plan.roles, arguments, sink, stream);
      return;
    }
    set_pointers(plan.parameters, arguments, plan.roles);
    plan.parameters.sink = sink;
    if (plan.instance == kRowsInstance) {
      plan.parameters.in_bf16 = arguments.lse_in_bf16;
      launch_rows(plan.parameters, plan.row_groups, is_half(fold_of_instance(problem, plan.instance)), stream);
    } else {
      launch_tiles(plan, arguments, chip.multiprocessors, stream);
    }
  }

  KernelInfo info_;
};

}  // namespace

std::unique_ptr<Kernel> make_cuda_hopper() { return std::make_unique<CudaHopper>(); }

}  // namespace triscope
