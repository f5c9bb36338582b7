// cuda.portable as the rest of the program sees it: what it supports, its workspace, its launches.
#include "kernels/cuda/portable/portable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/pointers.hpp"
#include "kernels/cuda/portable/common/shape.hpp"
#include "source_hash/cuda.portable.hpp"

namespace triscope {
namespace {

constexpr char kInstance[] = "64x64";

/// Folds of the LSEs that cuda.hopper's forward gives: without a bias it makes cross products in bf16, and half folds.
Fold hopper_fold(const Problem& problem) {
  return fold_of(portable::roles_of(problem), problem.form == Form::determinant && problem.k2_bias == 0.0);
}
bool takes_half(const Problem& problem, Fold fold) {
  return problem.k2_bias == 0.0 && fold == half_fold_of(portable::roles_of(problem));
}

class PortableKernel final : public Kernel {
 public:
  PortableKernel() {
    info_.id = "cuda.portable";
    info_.name = "CUDA portable (mma.sync, sm_80 and later)";
    info_.card = {.label = "Portable", .short_label = "portable", .colour = 1};
    info_.device = DeviceKind::cuda;
    info_.fold = Fold::query_k2;
    info_.source_hash = source_hash::kCudaPortable;
    info_.instances = {kInstance};
  }

  const KernelInfo& info() const override { return info_; }

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override;

  /// The shorter window is folded; k2 whenever there is a bias (which k2 and v2 have).
  Fold fold(const Problem& problem) const override { return fold_of(portable::roles_of(problem)); }

  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view) const override {
    return pass == Pass::forward ? 0 : portable::plan_backward(portable::make_shape(problem)).bytes;
  }

  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override;

 private:
  KernelInfo info_;
};

std::optional<std::string> PortableKernel::unsupported(const Problem& problem, Pass pass) const {
  if (problem.form != Form::trilinear && problem.form != Form::determinant) {
    return fmt::format("cuda.portable computes the trilinear and determinant forms, not {}", to_string(problem.form));
  }
  if (problem.element != Element::bf16) {
    return fmt::format("cuda.portable computes in bf16, not {}: use cpu.fast", to_string(problem.element));
  }
  if (problem.mask != Mask::causal) return "cuda.portable has causal windows only: use cpu.fast for the full mask";
  if (problem.head_dim % 8 != 0) {
    return fmt::format("cuda.portable needs a head_dim that is a multiple of 8, not {}", problem.head_dim);
  }
  if (problem.head_dim > 128) return fmt::format("cuda.portable has head_dim up to 128, not {}", problem.head_dim);
  if (problem.seq_len > portable::kMaxPosition)
    return fmt::format("cuda.portable has seq_len up to 2^30, not {}", problem.seq_len);
  for (const auto& [name, value] : {std::pair{"q_heads", problem.q_heads}, std::pair{"batch", problem.batch}}) {
    if (value > portable::kMaxHeadsOrBatch) return fmt::format("cuda.portable has {} up to 2^20, not {}", name, value);
  }
  const portable::Shape shape = portable::make_shape(problem);
  const std::int64_t blocks =
      std::max(shape.row_tiles() * shape.pairs(),
               pass == Pass::forward ? 0 : shape.key_tiles() * shape.pairs() * portable::plan_backward(shape).splits);
  if (blocks > portable::kMaxBlocks)
    return fmt::format("cuda.portable would need {} blocks of 64 rows, but has at most 2^29", blocks);
  return std::nullopt;
}

void PortableKernel::launch(const Problem& problem, Pass pass, std::string_view instance,
                            const Arguments& arguments) const {
  if (instance != kInstance) {
    throw Error("cuda.portable was not launched", fmt::format("it has no instance {}", instance),
                fmt::format("use {}", kInstance), ExitCode::usage);
  }
  if (const auto reason = unsupported(problem, pass)) {
    throw Error("cuda.portable was not launched", *reason, "choose another kernel", ExitCode::usage);
  }
  portable::Shape shape = portable::make_shape(problem);
  require_pointers(info_.id, problem, pass, arguments, workspace_bytes(problem, pass, instance));
  portable::Tensors tensors = portable::make_tensors(portable::roles_of(problem), arguments);
  if (!problem.sink) tensors.sink = nullptr;
  const auto stream = static_cast<cudaStream_t>(arguments.stream);
  if (pass == Pass::forward) {
    portable::launch_forward(shape, tensors, stream);
    return;
  }
  shape.half = takes_half(problem, arguments.lse_fold);
  if (arguments.lse_fold != fold(problem) && arguments.lse_fold != hopper_fold(problem) && !shape.half) {
    throw Error(
        "the backward of cuda.portable was not launched",
        fmt::format("its LSE was made with fold {}, but this problem needs {}: the probabilities would not sum to 1",
                    to_string(arguments.lse_fold), to_string(fold(problem))),
        "use the LSE of cuda.portable's own forward, or of cuda.hopper's", ExitCode::usage);
  }
  shape.cross_in_bf16 = !shape.half && arguments.lse_fold != fold(problem);
  if (shape.half) shape.in_bf16 = arguments.lse_in_bf16;
  const portable::BackwardPlan plan = portable::plan_backward(shape);
  portable::launch_row_statistics(shape, plan, tensors, arguments.workspace, stream);
  portable::launch_backward_rows(shape, plan, tensors, arguments.workspace, stream);
  portable::launch_backward_keys(shape, plan, tensors, arguments.workspace, stream);
  portable::launch_finish(shape, plan, tensors, arguments.workspace, stream);
}

}  // namespace

std::unique_ptr<Kernel> make_cuda_portable() { return std::make_unique<PortableKernel>(); }

}  // namespace triscope
