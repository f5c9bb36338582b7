// baseline.cublas: C = A B, a row-major bf16 product of seq_len^3 with fp32 sums, as the machine's practical ceiling. A
// is `Arguments::q`, B is `Arguments::k1`, C is `Arguments::o`. Its one instance is the version of cuBLAS. cuBLAS is
// column-major: it is asked for C^T = B^T A^T, which is the same bytes. Declarations of our own: cublas_api.h's, whose
// names and numbers have not changed since CUDA 11.
#include "kernels/baseline/cublas/cublas_kernel.hpp"

#include <fmt/format.h>

#include <climits>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/files/library_folders.hpp"
#include "kernels/baseline/common/library_kernel.hpp"
#include "kernels/baseline/common/runtime_library.hpp"
#include "source_hash/baseline.cublas.hpp"

namespace triscope {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // what cuBLAS recommends for Hopper
constexpr char kHowToGet[] =
    "install the CUDA Toolkit or PyTorch, or name the folder of libcublas.so.13 in the variable TRISCOPE_CUBLAS";

using Handle = void*;
using Status = int;
constexpr Status kSuccess = 0, kNotInitialized = 1, kAllocationFailed = 3, kInvalidValue = 7, kArchitectureMismatch = 8,
                 kMappingError = 11, kExecutionFailed = 13, kInternalError = 14, kNotSupported = 15;
enum Operation : int { kAsStored = 0 };
enum DataType : int { kBf16 = 14 };
enum ComputeType : int { kFp32 = 68 };
enum Algorithm : int { kByHeuristic = -1 };

struct Functions {
  Status (*create)(Handle*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  Status (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  Status (*get_property)(int, int*) = nullptr;
  const char* (*status_text)(Status) = nullptr;
  Status (*product)(Handle, Operation, Operation, int m, int n, int k, const void* alpha, const void* a, DataType,
                    int lda, const void* b, DataType, int ldb, const void* beta, void* c, DataType, int ldc,
                    ComputeType, Algorithm) = nullptr;
};

/// Advice for each way in which cuBLAS refuses a call.
const char* advice(Status status) {
  switch (status) {
    case kAllocationFailed:
      return "free memory of the GPU, or measure without baseline.cublas";
    case kNotInitialized:
      return "check with `triscope doctor` that this library fits the GPU and its driver";
    case kArchitectureMismatch:
    case kNotSupported:
      return "name a version of cuBLAS that knows this GPU in the variable TRISCOPE_CUBLAS";
    case kMappingError:
    case kExecutionFailed:
    case kInternalError:
      return "measure again, first without the other kernels: one of them may have left the GPU in error";
    case kInvalidValue:
      return "report it: the call is Triscope's own";
    default:
      return "measure without baseline.cublas";
  }
}

/// cuBLAS, loaded; never unloaded.
class CuBlas {
 public:
  /// Throws `Error`: not found, or a function is missing.
  CuBlas() {
    LibrarySearch search{
        "TRISCOPE_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}, {"libcublasLt.so.13", "libcublasLt.so.12"}, {}};
    for (const char* wheel : {"nvidia/cu13/lib", "nvidia/cublas/lib"}) {
      for (const auto& folder : cuda_library_folders("", wheel)) search.folders.push_back(folder);
    }
    std::string why;
    SharedLibrary library = open_library(search, why);
    if (!library) throw Error("cuBLAS cannot be measured", why, kHowToGet);
    const auto find = [&](auto& function, const char* name) {
      function = library.symbol<std::remove_reference_t<decltype(function)>>(name);
      if (function == nullptr)
        throw Error("cuBLAS cannot be measured", fmt::format("it has no symbol {}", name), kHowToGet);
    };
    find(functions_.create, "cublasCreate_v2");
    find(functions_.set_stream, "cublasSetStream_v2");
    find(functions_.set_workspace, "cublasSetWorkspace_v2");
    find(functions_.get_property, "cublasGetProperty");
    find(functions_.status_text, "cublasGetStatusString");
    find(functions_.product, "cublasGemmEx");
    int part[3] = {0, 0, 0};
    for (int which = 0; which < 3; ++which) functions_.get_property(which, &part[which]);
    version = fmt::format("{}.{}.{}", part[0], part[1], part[2]);
    file = library.file();
    library.keep();
  }

  std::string version, file;

  /// The handle is made by the first call and lives as long as the process. Not thread-safe.
  void product(int n, const Arguments& arguments) {
    if (handle_ == nullptr) check(functions_.create(&handle_), "cublasCreate");
    check(functions_.set_stream(handle_, arguments.stream), "cublasSetStream");
    check(functions_.set_workspace(handle_, arguments.workspace, kWorkspaceBytes), "cublasSetWorkspace");
    const float one = 1, zero = 0;
    check(functions_.product(handle_, kAsStored, kAsStored, n, n, n, &one, arguments.k1, kBf16, n, arguments.q, kBf16,
                             n, &zero, arguments.o, kBf16, n, kFp32, kByHeuristic),
          "cublasGemmEx");
  }

 private:
  void check(Status status, const char* call) const {
    if (status == kSuccess) return;
    throw Error("the product of cuBLAS was not launched",
                fmt::format("{} answers {} ({})", call, functions_.status_text(status), status), advice(status));
  }

  Functions functions_;
  Handle handle_ = nullptr;
};

class CuBlasKernel final : public LibraryKernel<CuBlas> {
 public:
  explicit CuBlasKernel(CurrentGpu current_gpu)
      : LibraryKernel(
            baseline_info("baseline.cublas", "cuBLAS matrix product (NVIDIA's licence)",
                          KernelCard{.label = "cuBLAS product", .short_label = "cuBLAS", .kind = KernelKind::gemm},
                          source_hash::kBaselineCublas),
            std::move(current_gpu), [] { return CuBlas(); }) {}

  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (problem.form != Form::gemm)
      return fmt::format("baseline.cublas computes a matrix product, not form {}", to_string(problem.form));
    if (pass == Pass::backward) return "a matrix product has no backward of its own";
    if (problem.element != Element::bf16)
      return fmt::format("baseline.cublas multiplies bf16 matrices, not {}", to_string(problem.element));
    if (problem.seq_len > INT_MAX) return fmt::format("cuBLAS takes matrices up to 2^31-1, not {}", problem.seq_len);
    return absence();
  }

  std::size_t workspace_bytes(const Problem&, Pass, std::string_view) const override { return kWorkspaceBytes; }

  void launch(const Problem& problem, Pass pass, std::string_view, const Arguments& arguments) const override {
    if (const auto reason = unsupported(problem, pass)) {
      throw Error("baseline.cublas was not launched", *reason, "choose another kernel or problem", ExitCode::usage);
    }
    library()->product(static_cast<int>(problem.seq_len), arguments);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_baseline_cublas(CurrentGpu current_gpu) {
  return std::make_unique<CuBlasKernel>(std::move(current_gpu));
}

}  // namespace triscope
