// cuda.hopper as the rest of the program sees it.
#include "kernels/cuda/hopper/hopper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/common/pointers.hpp"
#include "kernels/cuda/hopper/choose/plan.hpp"
#include "kernels/cuda/hopper/forward/launch.hpp"
#include "kernels/cuda/portable/common/shape.hpp"
#include "source_hash/cuda.hopper.hpp"

namespace triscope {
namespace {

using namespace hopper;

using Launch = void (*)(const TensorMaps&, const ForwardParameters&, int, int, cudaStream_t);

template <int... kIndex>
constexpr std::array<Launch, sizeof...(kIndex)> launches_of(std::integer_sequence<int, kIndex...>) {
  return {&launch_forward<kIndex>...};
}
constexpr auto kLaunches = launches_of(std::make_integer_sequence<int, kInstanceCount>{});

/// Multiprocessors of the current device, which must be of compute capability 9.0.
int multiprocessors() {
  int device = 0, major = 0, count = 0;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&device));
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  if (major != 9) {
    throw Error("cannot run cuda.hopper",
                fmt::format("this GPU's compute capability is {}.x, and the kernel needs 9.0", major),
                "use cuda.portable");
  }
  return count;
}

void set_pointers(ForwardParameters& p, const Arguments& arguments, bool folds_axis1) {
  const auto tensor = [](const void* pointer) { return static_cast<const __nv_bfloat16*>(pointer); };
  p.q = tensor(arguments.q);
  p.short_key = tensor(folds_axis1 ? arguments.k1 : arguments.k2);
  p.short_value = tensor(folds_axis1 ? arguments.v1 : arguments.v2);
  p.long_key = tensor(folds_axis1 ? arguments.k2 : arguments.k1);
  p.long_value = tensor(folds_axis1 ? arguments.v2 : arguments.v1);
  p.tile_key = p.long_key;
  p.o = static_cast<__nv_bfloat16*>(arguments.o);
  p.lse = arguments.lse;
}

/// Instance kPortableInstance: the forward of kernels/cuda/portable, rounding cross products as all instances do.
void launch_portable(const Problem& problem, const Arguments& arguments, const float* sink, cudaStream_t stream) {
  portable::Shape shape = portable::make_shape(problem);
  shape.cross_in_bf16 = product_of(problem) == Product::cross;
  portable::Tensors tensors = portable::make_tensors(shape, arguments);
  tensors.sink = sink;
  portable::launch_forward(shape, tensors, stream);
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
  }
  const KernelInfo& info() const override { return info_; }

  Fold fold(const Problem& problem) const override {
    if (product_of(problem) == Product::cross) return folds_axis1(problem) ? Fold::cross_k1 : Fold::cross_k2;
    return folds_axis1(problem) ? Fold::query_k1 : Fold::query_k2;
  }

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (pass == Pass::backward) return "cuda.hopper has no backward; cuda.portable has one";
    return unsupported_problem(problem);
  }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass, std::string_view instance) const override {
    if (auto reason = unsupported(problem, pass)) return reason;
    const int index = find_instance(instance);
    if (index < 0) return fmt::format("cuda.hopper has no instance {}", instance);
    if (!make_plan(problem, index)) {
      return fmt::format("instance {} does not fit head_dim {} with {} query heads per kv head", instance,
                         problem.head_dim, problem.group());
    }
    return std::nullopt;
  }
  std::string choose_instance(const Problem& problem, Pass) const override {
    return instance_name(best_plan(problem).instance);
  }

  std::size_t workspace_bytes(const Problem& problem, Pass, std::string_view instance) const override {
    const auto plan = make_plan(problem, find_instance(instance));
    return plan ? plan->reordered_bytes : 0;
  }

  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    if (const auto reason = unsupported(problem, pass, instance)) {
      throw Error("cannot launch cuda.hopper", *reason, "choose another kernel or instance", ExitCode::usage);
    }
    Plan plan = *make_plan(problem, find_instance(instance));
    require_pointers(info_.id, problem, pass, arguments, plan.reordered_bytes);
    const float* sink = problem.sink ? arguments.sink : nullptr;
    const int blocks = multiprocessors();
    const auto stream = static_cast<cudaStream_t>(arguments.stream);
    if (plan.instance == kPortableInstance) {
      launch_portable(problem, arguments, sink, stream);
      return;
    }
    ForwardParameters& p = plan.parameters;
    set_pointers(p, arguments, plan.folds_axis1);
    p.sink = sink;
    if (plan.instance == kRowsInstance) {
      launch_rows(p, plan.row_groups, stream);
      return;
    }
    if (plan.reordered_bytes > 0) {
      p.tile_key = static_cast<__nv_bfloat16*>(arguments.workspace);
      launch_reorder(p.long_key, const_cast<__nv_bfloat16*>(p.tile_key), plan.reordered_bytes, p.head_dim, stream);
    }
    const TensorMaps maps = make_tensor_maps(p, tile_rows(kInstances[plan.instance].config));
    kLaunches[static_cast<std::size_t>(plan.instance)](maps, p, std::min(blocks, p.items), plan.shared_bytes, stream);
  }

 private:
  KernelInfo info_;
};

}  // namespace

std::unique_ptr<Kernel> make_cuda_hopper() { return std::make_unique<CudaHopper>(); }

}  // namespace triscope
