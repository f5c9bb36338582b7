// baseline.cudnn as the rest of the program sees it. Without the frontend's
// headers at build time it says so.
#include "kernels/baseline/cudnn/cudnn_kernel.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <utility>
#ifdef TRISCOPE_HAVE_CUDNN
#include "kernels/baseline/cudnn/cudnn_attention.hpp"
#endif
#include "kernels/base/error.hpp"
#include "kernels/baseline/common/library_kernel.hpp"
#include "kernels/baseline/cudnn/cudnn_library.hpp"
#include "source_hash/baseline.cudnn.hpp"

namespace triscope {
namespace {

#ifdef TRISCOPE_HAVE_CUDNN
using cudnn::Attention;
cudnn::Library load_cudnn() {
  cudnn::Library library = cudnn::load();
  cudnn::use(library);
  return library;
}
#else
/// Takes the place of the library in a build without its headers.
struct Attention {
  Attention(const Problem&, Pass) {}
  std::size_t workspace_bytes() const { return 0; }
  void run(const Arguments&) const {}
};
cudnn::Library load_cudnn() {
  throw Error("cuDNN cannot be measured", "this program was built without its headers",
              "build it with `./run build --cuda --with-cudnn`");
}
#endif

std::optional<std::string> unsupported_problem(const Problem& problem) {
  if (problem.form != Form::dot_product)
    return fmt::format("cuDNN computes dot-product attention here, not form {}", to_string(problem.form));
  if (problem.element != Element::bf16)
    return fmt::format("cuDNN takes bf16 tensors here, not {}", to_string(problem.element));
  if (problem.head_dim % 8 != 0)
    return fmt::format("cuDNN needs a head_dim that is a multiple of 8, not {}", problem.head_dim);
  if (problem.sink) return "cuDNN is measured without a sink";
  if (problem.effective_scale() <= 0)
    return fmt::format("cuDNN is measured with a scale above 0, not {}", problem.effective_scale());
  if (problem.seq_len > std::int64_t{1} << 30)
    return fmt::format("cuDNN takes seq_len up to 2^30 here, not {}", problem.seq_len);
  return std::nullopt;
}

class CuDnnKernel final : public LibraryKernel<cudnn::Library> {
 public:
  explicit CuDnnKernel(CurrentGpu current_gpu)
      : LibraryKernel(
            baseline_info(
                "baseline.cudnn", "cuDNN attention (NVIDIA's licence)",
                KernelCard{.label = "cuDNN", .short_label = "cuDNN", .kind = KernelKind::dot_product, .rank = 2},
                source_hash::kBaselineCudnn),
            std::move(current_gpu), load_cudnn) {}

  /// Builds the graph: whether cuDNN offers a problem is known when it has done it.
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (auto reason = unsupported_problem(problem)) return reason;
    if (auto reason = absence()) return reason;
    try {
      graph(problem, pass);
    } catch (const std::exception& e) {
      return e.what();
    }
    return std::nullopt;
  }

  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view) const override {
    return unsupported(problem, pass) ? 0 : graph(problem, pass).workspace_bytes();
  }

  void launch(const Problem& problem, Pass pass, std::string_view, const Arguments& arguments) const override {
    if (auto reason = library() ? unsupported_problem(problem) : why_not()) {
      throw Error("baseline.cudnn was not launched", *reason, "choose another kernel or problem", ExitCode::usage);
    }
    graph(problem, pass).run(arguments);
  }

 private:
  const Attention& graph(const Problem& problem, Pass pass) const {
    const auto key = std::pair(describe(problem), pass);
    const auto found = graphs_.find(key);
    return found != graphs_.end() ? found->second : graphs_.emplace(key, Attention(problem, pass)).first->second;
  }

  mutable std::map<std::pair<std::string, Pass>, Attention> graphs_;
};

}  // namespace

std::unique_ptr<Kernel> make_baseline_cudnn(CurrentGpu current_gpu) {
  return std::make_unique<CuDnnKernel>(std::move(current_gpu));
}

}  // namespace triscope
